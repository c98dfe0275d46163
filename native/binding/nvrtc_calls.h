// NativeNvrtc.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineNvrtc(Napi::Env env);

}  // namespace stridelab::binding

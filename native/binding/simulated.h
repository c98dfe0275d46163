// NativeSimulated: how simulated devices do their work.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineSimulated(Napi::Env env);

}  // namespace stridelab::binding

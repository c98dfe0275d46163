// NativeRecording: what the recording driver noted, for tests.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineRecording(Napi::Env env);

}  // namespace stridelab::binding

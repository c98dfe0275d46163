// NativeCompute: array operations in host code, as operations of a simulated device's streams.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineCompute(Napi::Env env);

}  // namespace stridelab::binding

// NativeCompute: array operations that a simulated device does in host code.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineCompute(Napi::Env env);

}  // namespace stridelab::binding

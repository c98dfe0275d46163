// NativeExports: what consumers ask of arrays, and what becomes of the tensors and buffers.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineExports(Napi::Env env);

}  // namespace stridelab::binding

// NativeExports: what consumers ask of arrays through DLPack, and what becomes of the tensors.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineExports(Napi::Env env);

}  // namespace stridelab::binding

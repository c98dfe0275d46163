// NativePython (src/native/python-binding.ts).
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefinePython(Napi::Env env);

}  // namespace stridelab::binding

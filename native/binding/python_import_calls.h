// NativePythonImport (src/native/python-import-binding.ts).
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefinePythonImport(Napi::Env env);

}  // namespace stridelab::binding

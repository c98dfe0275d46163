// NativeLibraryMemory (src/native/library-memory-binding.ts).
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineLibraryMemory(Napi::Env env);

}  // namespace stridelab::binding

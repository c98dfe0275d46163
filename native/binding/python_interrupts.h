// NativePythonInterrupts (src/native/python-interrupts-binding.ts).
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefinePythonInterrupts(Napi::Env env);

}  // namespace stridelab::binding

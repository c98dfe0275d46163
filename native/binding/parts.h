// The objects that NativeBinding is made of (src/native/binding.ts), each defined in a file of its own.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineChannels(Napi::Env env);
Napi::Object DefineCollectives(Napi::Env env);
Napi::Object DefineCompute(Napi::Env env);
Napi::Object DefineCublas(Napi::Env env);
Napi::Object DefineExports(Napi::Env env);
Napi::Object DefineLibraryMemory(Napi::Env env);
Napi::Object DefineLinks(Napi::Env env);
Napi::Object DefineNvrtc(Napi::Env env);
Napi::Object DefinePython(Napi::Env env);
Napi::Object DefinePythonImport(Napi::Env env);
Napi::Object DefinePythonInterrupts(Napi::Env env);
Napi::Object DefineRawMemory(Napi::Env env);
Napi::Object DefineRecording(Napi::Env env);
Napi::Object DefineSharing(Napi::Env env);
Napi::Object DefineSimulated(Napi::Env env);
Napi::Object DefineTrace(Napi::Env env);
Napi::Object DefineWaits(Napi::Env env);

}  // namespace stridelab::binding

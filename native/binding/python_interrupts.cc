#include <cstdint>

#include "binding/arguments.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/parts.h"
#include "binding/python_scope.h"
#include "core/error.h"
#include "python/gil.h"
#include "python/interrupts.h"

namespace stridelab::binding {
namespace {

Napi::Value Share(const Napi::CallbackInfo& info) {
  const bool words =
      info[0].IsTypedArray() && info[0].As<Napi::TypedArray>().TypedArrayType() == napi_int32_array;
  const HostBytes memory = words ? ToHostBytes(info[0], "words") : HostBytes{nullptr, 0};
  if (memory.bytes < python::kInterruptWords * sizeof(std::int32_t))
    throw core::Error(core::ErrorKind::kArgument, "words must be an Int32Array of eight elements");
  PythonState& state = Environment::Of(info.Env()).python();
  state.interrupt_words = Napi::Persistent(info[0].As<Napi::Object>());
  python::ShareInterruptWords(static_cast<std::int32_t*>(memory.data));
  return info.Env().Undefined();
}

Napi::Value InterruptAsyncCalls(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&]() -> napi_value {
    if (!info[0].IsNumber()) throw core::Error(core::ErrorKind::kArgument, "cell must be a number");
    python::InterruptAsyncCalls(info[0].As<Napi::Number>().Int32Value());
    return info.Env().Undefined();
  });
}

}  // namespace

Napi::Object DefinePythonInterrupts(Napi::Env env) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("share", Entry<Share>(env, "share"));
  object.Set("interruptAsyncCalls", Entry<InterruptAsyncCalls>(env, "interruptAsyncCalls"));
  return object;
}

}  // namespace stridelab::binding

#include "binding/errors.h"

#include "binding/environment.h"

namespace stridelab::binding {
namespace {

const char* KindName(core::ErrorKind kind) {
  switch (kind) {
    case core::ErrorKind::kDriver:
      return "driver";
    case core::ErrorKind::kLost:
      return "lost";
    case core::ErrorKind::kUnavailable:
      return "unavailable";
    case core::ErrorKind::kFreed:
      return "freed";
    case core::ErrorKind::kBounds:
      return "bounds";
    case core::ErrorKind::kArgument:
      return "argument";
    case core::ErrorKind::kInterrupted:
      return "interrupted";
    case core::ErrorKind::kBuffer:
      return "buffer";
    case core::ErrorKind::kCollective:
      return "collective";
  }
  return "";
}

/** Everything of NativeErrorInfo but the message. */
void SetFields(Napi::Object target, const core::Error& error) {
  const Napi::Env env = target.Env();
  target.Set("kind", KindName(error.kind()));
  if (error.failure()) {
    target.Set("call", error.failure()->call);
    target.Set("status", error.failure()->status);
    target.Set("statusName", error.failure()->status_name);
  }
  if (error.kind() == core::ErrorKind::kUnavailable) {
    Napi::Array tried = Napi::Array::New(env, error.tried().size());
    for (std::uint32_t index = 0; index < error.tried().size(); ++index)
      tried.Set(index, error.tried()[index]);
    target.Set("tried", tried);
  }
}

Napi::Object PlainError(Napi::Env env, const core::Error& error) {
  if (error.kind() == core::ErrorKind::kArgument) return Napi::TypeError::New(env, error.what()).Value();
  if (error.kind() == core::ErrorKind::kBounds) return Napi::RangeError::New(env, error.what()).Value();
  return Napi::Error::New(env, error.what()).Value();
}

}  // namespace

Napi::Value MakeError(Napi::Env env, const core::Error& error) {
  const Napi::FunctionReference& factory = Environment::Of(env).error_factory();
  if (!factory.IsEmpty()) {
    Napi::Object info = Napi::Object::New(env);
    info.Set("message", error.what());
    SetFields(info, error);
    const Napi::Value made = factory.Call({info});
    if (made.IsObject()) return made;
  }
  Napi::Object plain = PlainError(env, error);
  SetFields(plain, error);
  return plain;
}

}  // namespace stridelab::binding

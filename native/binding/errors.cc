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

/** What stands for the exception that is being handled; null where JavaScript is being stopped. */
napi_value ValueOfCurrent(Napi::Env env) {
  try {
    throw;
  } catch (const core::Error& error) {
    const Napi::FunctionReference& await_stop = Environment::Of(env).await_stop();
    if (error.kind() == core::ErrorKind::kInterrupted && !await_stop.IsEmpty()) await_stop.Call({});
    return MakeError(env, error);
  } catch (const Napi::Error& error) {
    return ThrownValue(error);
  } catch (const std::exception& error) {
    return ThrownValue(Napi::Error::New(env, error.what()));
  } catch (const JavaScriptStopped&) {
    return nullptr;
  }
}

/** Null too where the error could not be made because JavaScript was stopped meanwhile. */
napi_value ValueToThrow(napi_env env) noexcept {
  napi_value value = nullptr;
  try {
    value = ValueOfCurrent(env);
  } catch (const Napi::Error& error) {
    value = ThrownValue(error);
  }
  return IsStop(env, value) ? nullptr : value;
}

}  // namespace

Napi::Object PlainError(Napi::Env env, const core::Error& error) {
  const auto make = [&]() -> Napi::Object {
    if (error.kind() == core::ErrorKind::kArgument) return Napi::TypeError::New(env, error.what()).Value();
    if (error.kind() == core::ErrorKind::kBounds) return Napi::RangeError::New(env, error.what()).Value();
    return Napi::Error::New(env, error.what()).Value();
  };
  Napi::Object plain = make();
  SetFields(plain, error);
  return plain;
}

Napi::Value MakeError(Napi::Env env, const core::Error& error) {
  const Napi::FunctionReference& factory = Environment::Of(env).error_factory();
  if (!factory.IsEmpty()) {
    Napi::Object info = Napi::Object::New(env);
    info.Set("message", error.what());
    SetFields(info, error);
    const Napi::Value made = factory.Call({info});
    if (made.IsObject()) return made;
  }
  return PlainError(env, error);
}

napi_value ThrownValue(const Napi::Error& error) noexcept {
  // Napi::Error::Value looks into the object, which null is not.
  const Napi::ObjectReference& reference = error;
  return reference.IsEmpty() ? nullptr : static_cast<napi_value>(reference.Value());
}

bool IsStop(napi_env env, napi_value thrown) noexcept {
  napi_valuetype type = napi_null;
  return thrown == nullptr || (napi_typeof(env, thrown, &type) == napi_ok && type == napi_null);
}

void ThrowIntoJavaScript(napi_env env) noexcept {
  napi_value value = ValueToThrow(env);
  // Where it fails, another exception is on its way already.
  if (value != nullptr) static_cast<void>(napi_throw(env, value));
}

Napi::Error PassedOn(Napi::Env env) noexcept { return {env, ValueToThrow(env)}; }

}  // namespace stridelab::binding

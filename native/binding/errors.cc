#include "binding/errors.h"

#include <dlfcn.h>

#include <stdexcept>

#include "binding/environment.h"
#include "driver/cuda_library.h"
#include "ipc/socket.h"

namespace stridelab::binding {
namespace {

/** In the order of core::ErrorKind. */
constexpr const char* kKindNames[] = {"driver",   "lost",        "unavailable", "freed",     "bounds",
                                      "argument", "interrupted", "buffer",      "collective"};

/** Sets all fields of NativeErrorInfo except the message. */
void SetFields(Napi::Object target, const core::Error& error) {
  const Napi::Env env = target.Env();
  target.Set("kind", kKindNames[static_cast<int>(error.kind())]);
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

/** Returns the JavaScript value of the exception being handled; null while JavaScript is being stopped. */
napi_value ValueOfCurrent(Napi::Env env) {
  try {
    RethrowCurrent();
  } catch (const core::Error& error) {
    const Napi::FunctionReference& await_stop = Environment::Of(env).hooks().interrupt.await_stop;
    if (error.kind() == core::ErrorKind::kInterrupted && !await_stop.IsEmpty())
      CallJavaScript(await_stop.Value());
    return MakeError(env, error);
  } catch (const Napi::Error& error) {
    return ThrownValue(error);
  } catch (const std::exception& error) {
    return ThrownValue(Napi::Error::New(env, error.what()));
  }
}

/** Returns the value to throw; null also if JavaScript was stopped while the error was being made. */
napi_value ValueToThrow(napi_env env) noexcept {
  napi_value value = nullptr;
  try {
    value = ValueOfCurrent(env);
  } catch (const Napi::Error& error) {
    value = ThrownValue(error);
  }
  return IsStop(env, value) ? nullptr : value;
}

/**
 * V8's own throw, which Node exports to addons; both members are null in a runtime that lacks it. A
 * napi_value is a v8::Local, which is a pointer.
 */
struct EngineThrow {
  void* (*current_isolate)();
  void* (*throw_exception)(void* isolate, napi_value value);
};

const EngineThrow& Engine() {
  static const EngineThrow engine = [] {
    EngineThrow found{};
    found.current_isolate = reinterpret_cast<decltype(found.current_isolate)>(
        dlsym(RTLD_DEFAULT, "_ZN2v87Isolate10GetCurrentEv"));
    found.throw_exception = reinterpret_cast<decltype(found.throw_exception)>(
        dlsym(RTLD_DEFAULT, "_ZN2v87Isolate14ThrowExceptionENS_5LocalINS_5ValueEEE"));
    return found;
  }();
  return engine;
}

}  // namespace

void RethrowCurrent() {
  try {
    throw;
  } catch (const driver::LibraryUnavailable& failure) {
    throw core::Error(failure.what(), failure.tried());
  } catch (const ipc::SocketError& error) {
    throw core::Error(core::ErrorKind::kBuffer, error.what());
  } catch (const std::invalid_argument& error) {
    throw core::Error(core::ErrorKind::kArgument, error.what());
  }
}

napi_status CallJavaScript(napi_env env, napi_value receiver, napi_value function,
                           std::span<const napi_value> arguments, napi_value* result) noexcept {
  const napi_status status =
      napi_call_function(env, receiver, function, arguments.size(), arguments.data(), result);
  bool stopped = false;
  if (status != napi_ok || napi_is_exception_pending(env, &stopped) != napi_ok) return status;
  return stopped ? napi_pending_exception : napi_ok;
}

Napi::Value CallJavaScript(const Napi::Function& function, std::initializer_list<napi_value> arguments) {
  const Napi::Env env = function.Env();
  napi_value result = nullptr;
  Require(env,
          CallJavaScript(env, env.Undefined(), function, {arguments.begin(), arguments.size()}, &result));
  return {env, result};
}

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
  const Napi::FunctionReference& factory = Environment::Of(env).hooks().error_factory;
  if (!factory.IsEmpty()) {
    Napi::Object info = Napi::Object::New(env);
    info.Set("message", error.what());
    SetFields(info, error);
    const Napi::Value made = CallJavaScript(factory.Value(), {info});
    if (made.IsObject()) return made;
  }
  return PlainError(env, error);
}

napi_value ThrownValue(const Napi::Error& error) noexcept {
  // Napi::Error::Value reads a property of the object, which fails for null.
  const Napi::ObjectReference& reference = error;
  try {
    return reference.IsEmpty() ? nullptr : static_cast<napi_value>(reference.Value());
  } catch (...) {
    // The environment is ending.
    return nullptr;
  }
}

bool IsStop(napi_env env, napi_value thrown) noexcept {
  napi_valuetype type = napi_null;
  return thrown == nullptr || (napi_typeof(env, thrown, &type) == napi_ok && type == napi_null);
}

void ThrowIntoJavaScript(napi_env env) noexcept {
  const EngineThrow& engine = Engine();
  if (engine.current_isolate == nullptr || engine.throw_exception == nullptr) return LeavePending(env);
  if (napi_value value = ValueToThrow(env); value != nullptr)
    engine.throw_exception(engine.current_isolate(), value);
}

void LeavePending(napi_env env) noexcept {
  // If it fails, another exception is already pending.
  if (napi_value value = ValueToThrow(env); value != nullptr) static_cast<void>(napi_throw(env, value));
}

void ReportUncaught(napi_env env) noexcept {
  if (napi_value value = ValueToThrow(env); value != nullptr)
    static_cast<void>(napi_fatal_exception(env, value));
}

Napi::Error PassedOn(Napi::Env env) noexcept { return {env, ValueToThrow(env)}; }

}  // namespace stridelab::binding

// The frames by which JavaScript and its event loop come into native code: there are no others. They keep the
// rule of errors.h for everything below them.
#pragma once

#include <napi.h>

#include "binding/errors.h"
#include "binding/hazards.h"

namespace stridelab::binding {

/** What `body` gives; null where it threw, which JavaScript catches then unless it is being stopped. */
template <typename Body>
napi_value Enter(napi_env env, Body body) noexcept {
  try {
    return WatchHazards(env, body);
  } catch (...) {
    ThrowIntoJavaScript(env);
    return nullptr;
  }
}

template <Napi::Value (*Body)(const Napi::CallbackInfo&)>
napi_value CallBody(napi_env env, napi_callback_info arguments) noexcept {
  return Enter(env, [&]() -> napi_value { return Body(Napi::CallbackInfo(env, arguments)); });
}

/** A function of JavaScript that runs `Body`; `data` is its CallbackInfo::Data. */
template <Napi::Value (*Body)(const Napi::CallbackInfo&)>
Napi::Function Entry(Napi::Env env, const char* name, void* data = nullptr) {
  napi_value function = nullptr;
  if (napi_create_function(env, name, NAPI_AUTO_LENGTH, CallBody<Body>, data, &function) != napi_ok)
    throw Napi::Error::New(env);
  return {env, function};
}

/**
 * Runs `OnTurn(env, context, data)` in a turn of the event loop, as the callback of a thread-safe function.
 * `env` is null where the environment is gone. What it throws becomes an uncaught exception of JavaScript.
 */
template <void (*OnTurn)(napi_env env, void* context, void* data)>
void TurnEntry(napi_env env, napi_value, void* context, void* data) noexcept {
  try {
    OnTurn(env, context, data);
  } catch (...) {
    if (env != nullptr) ReportUncaught(env);
  }
}

/** A class of JavaScript around native objects. */
template <typename Class>
class NativeObject : public Napi::ObjectWrap<Class> {
 private:
  friend Class;
  explicit NativeObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Class>(info) {}

 protected:
  template <Napi::Value (Class::*Body)(const Napi::CallbackInfo&)>
  static Napi::ClassPropertyDescriptor<Class> Method(const char* name,
                                                     napi_property_attributes attributes = napi_default) {
    napi_property_descriptor descriptor{};
    descriptor.utf8name = name;
    descriptor.method = CallMethod<Body>;
    descriptor.attributes = attributes;
    return descriptor;
  }

  /** Runs the body of a constructor. */
  template <typename Body>
  static void RunConstructor(Napi::Env env, Body body) {
    try {
      WatchHazards(env, body);
    } catch (...) {
      throw PassedOn(env);
    }
  }

 private:
  template <Napi::Value (Class::*Body)(const Napi::CallbackInfo&)>
  static napi_value CallMethod(napi_env env, napi_callback_info arguments) noexcept {
    return Enter(env, [&]() -> napi_value {
      const Napi::CallbackInfo info(env, arguments);
      Class* object = Class::Unwrap(info.This().template As<Napi::Object>());
      return (object->*Body)(info);
    });
  }
};

}  // namespace stridelab::binding

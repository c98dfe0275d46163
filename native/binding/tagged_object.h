// Type tags: an argument is used as one of our objects only where its tag says that it is one.
#pragma once

#include <napi.h>

#include <string>

#include "binding/errors.h"
#include "core/error.h"

namespace stridelab::binding {

/**
 * The object behind `value`, from any load of the addon in this thread. `Object` has a tag `kTag` and a name
 * `kName`. Throws kind `argument`.
 */
template <typename Object>
Object& ToObject(Napi::Value value, const char* argument) {
  if (value.IsObject()) {
    const auto object = value.As<Napi::Object>();
    if (object.CheckTypeTag(&Object::kTag)) return *Object::Unwrap(object);
  }
  throw core::Error(core::ErrorKind::kArgument, std::string(argument) + " is not a " + Object::kName);
}

template <typename Object, auto Body>
napi_value GetThroughTag(napi_env env, napi_callback_info raw) {
  try {
    const Napi::CallbackInfo info(env, raw);
    return Guarded(env, [&]() -> Napi::Value { return (ToObject<Object>(info.This(), "this").*Body)(info); });
  } catch (const Napi::Error& error) {
    error.ThrowAsJavaScriptException();
    return nullptr;
  }
}

/** A read-only property. V8 checks the receivers of methods itself, but not those of getters, hence the tag.
 */
template <typename Object, auto Body>
Napi::ClassPropertyDescriptor<Object> Getter(const char* name) {
  napi_property_descriptor property{};
  property.utf8name = name;
  property.getter = GetThroughTag<Object, Body>;
  property.attributes = napi_default;
  return property;
}

}  // namespace stridelab::binding

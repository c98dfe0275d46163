// Type tags: an argument is used as one of our objects only where its tag says that it is one.
#pragma once

#include <napi.h>

#include <string>

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

/** Marks a method that TurnIntoGetters makes a property. */
inline constexpr napi_property_attributes kGetter = napi_configurable;

/**
 * Makes the methods marked kGetter of a class read-only properties. They start as methods because V8 checks
 * the receiver of a method, at no cost, but not that of a getter which Node-API defines: a wrong `this` is
 * its TypeError.
 */
void TurnIntoGetters(Napi::Function constructor);

}  // namespace stridelab::binding

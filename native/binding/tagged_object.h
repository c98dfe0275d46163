// Type tags: an argument is used as one of our objects only where its tag says that it is one.
#pragma once

#include <napi.h>

#include <string>

#include "core/error.h"

namespace stridelab::binding {

/**
 * The object behind `value`, from any load of the addon in this thread. `Object` has a tag `kTag` and a name
 * `kName`. Throws kind `argument`. (A wrong `this` never gets here: V8 checks receivers itself and throws a
 * TypeError.)
 */
template <typename Object>
Object& ToObject(Napi::Value value, const char* argument) {
  if (value.IsObject()) {
    const auto object = value.As<Napi::Object>();
    if (object.CheckTypeTag(&Object::kTag)) return *Object::Unwrap(object);
  }
  throw core::Error(core::ErrorKind::kArgument, std::string(argument) + " is not a " + Object::kName);
}

}  // namespace stridelab::binding

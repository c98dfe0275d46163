// Type tags: an argument is used as one of our objects only where its tag says that it is one.
#pragma once

#include <napi.h>

#include <string>
#include <unordered_set>

#include "core/error.h"

namespace stridelab::binding {

/**
 * Notes a wrapped object of this thread while it lives. Being noted proves what an object is, at a fraction
 * of what asking the engine for its tag costs.
 */
template <typename Object>
class Living {
 public:
  explicit Living(const Object* object) : object_(object) { Known().insert(object); }
  ~Living() { Known().erase(object_); }
  Living(const Living&) = delete;
  Living& operator=(const Living&) = delete;

  static bool Knows(const void* object) { return Known().contains(object); }

 private:
  static std::unordered_set<const void*>& Known() {
    thread_local std::unordered_set<const void*> known;
    return known;
  }

  const void* object_;
};

/**
 * The object behind `value`, from any load of the addon in this thread. `Object` has a tag `kTag` and a name
 * `kName`. Throws kind `argument`.
 */
template <typename Object>
Object& ToObject(Napi::Value value, const char* argument) {
  void* wrapped = nullptr;
  if (napi_unwrap(value.Env(), value, &wrapped) == napi_ok && Living<Object>::Knows(wrapped))
    return *static_cast<Object*>(wrapped);
  // Perhaps of another load of the addon, whose objects are not noted here.
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

// JavaScript classes around native objects. Type tags identify the class of an argument.
#pragma once

#include <napi.h>

#include <string>
#include <unordered_set>
#include <vector>

#include "binding/call.h"
#include "core/error.h"

namespace stridelab::binding {

/**
 * Registers a wrapped object of this thread while it lives. A registered object needs no tag check by the
 * engine, which costs many times more.
 */
template <typename Object>
class Living {
 public:
  explicit Living(const void* object) : object_(object) { Known().insert(object); }
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

/** Makes the descriptor of a method that Enter runs, for Define. */
napi_property_descriptor DescriptorOf(const Function& method);

/**
 * Makes the methods that are marked as getters read-only properties. They start as methods because V8 checks
 * the receiver of a method at no cost, but not that of a getter defined through Node-API: with a wrong
 * `this`, V8 throws a TypeError.
 */
void TurnIntoGetters(Napi::Function constructor, Functions methods);

/**
 * The base of native classes: `Object` has a tag `kTag`, a name `kName`, its index `kClass` in the
 * environment and its methods `kMethods`. Only Environment::New makes one, from what it holds.
 */
template <typename Object, typename Holds>
class NativeObject : public Napi::ObjectWrap<Object> {
 public:
  using Held = Holds;

  static Napi::Function Define(Napi::Env env) {
    std::vector<Napi::ClassPropertyDescriptor<Object>> methods;
    for (const Function& method : Object::kMethods) methods.emplace_back(DescriptorOf(method));
    const Napi::Function constructor = Napi::ObjectWrap<Object>::DefineClass(env, Object::kName, methods);
    TurnIntoGetters(constructor, Object::kMethods);
    return constructor;
  }

  const Held& held() const { return held_; }

 protected:
  Held held_{};

 private:
  friend Object;
  explicit NativeObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Object>(info) {
    RunConstructor(info.Env(), [&] {
      held_ = *static_cast<const Held*>(Environment::Of(info.Env()).TakeHandedOver());
      info.This().As<Napi::Object>().TypeTag(&Object::kTag);
    });
  }

  // The address is that of the complete object, whose only base this is.
  const Living<Object> living_{this};
};

/** Returns the object behind a value, from any load of the addon in this thread. */
template <typename Object>
  requires requires { Object::kTag; }
Object& Convert(const Argument& argument, As<Object>) {
  void* wrapped = nullptr;
  if (napi_unwrap(argument.value.Env(), argument.value, &wrapped) == napi_ok &&
      (argument.receiver || Living<Object>::Knows(wrapped)))
    return *static_cast<Object*>(wrapped);
  // It may come from another load of the addon, whose objects are not registered here.
  if (argument.value.IsObject()) {
    const auto object = argument.value.As<Napi::Object>();
    if (object.CheckTypeTag(&Object::kTag)) return *Object::Unwrap(object);
  }
  Refuse(std::string(argument.name) + " is not a " + Object::kName);
}

}  // namespace stridelab::binding

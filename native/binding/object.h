// JavaScript classes around native objects. Type tags identify the class of an argument.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>
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
  explicit Living(const void* object) : object_(object) { Own().insert(object); }
  ~Living() { Own().erase(object_); }
  Living(const Living&) = delete;
  Living& operator=(const Living&) = delete;

  static bool Knows(const void* object) { return known_ != nullptr && known_->contains(object); }

 private:
  using Objects = std::unordered_set<const void*>;

  static Objects& Own() {
    thread_local Objects objects;
    known_ = &objects;
    return objects;
  }

  /** Null before the thread's first object. Unlike the set itself, it is read without a guard. */
  static inline constinit thread_local Objects* known_ = nullptr;

  const void* object_;
};

/**
 * Numbers for objects of this thread. Reading an object takes ten times as long as its number, because Node-API
 * keeps the native half in a property. An object gets its number when JavaScript first asks for it, and a later
 * object may get it again. Numbers are small integers, which V8 passes without allocating: while JavaScript
 * passes one, it cannot collect the object.
 */
template <typename Object>
class Numbers {
 public:
  Numbers() = default;
  ~Numbers() {
    if (number_ == 0) return;
    Table& table = Own();
    table.objects[number_] = nullptr;
    table.free.push_back(number_);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  /** Returns the number of `object`, whose member this is. */
  std::uint32_t Of(Object& object) {
    if (number_ != 0) return number_;
    Table& table = Own();
    if (table.free.empty()) {
      number_ = static_cast<std::uint32_t>(table.objects.size());
      table.objects.push_back(&object);
    } else {
      number_ = table.free.back();
      table.free.pop_back();
      table.objects[number_] = &object;
    }
    return number_;
  }

  /** Returns the object with that number, or null. */
  static Object* Find(std::uint32_t number) {
    return known_ != nullptr && number < known_->objects.size() ? known_->objects[number] : nullptr;
  }

 private:
  struct Table {
    /** Number 0 names no object. */
    std::vector<Object*> objects{nullptr};
    std::vector<std::uint32_t> free;
  };

  static Table& Own() {
    thread_local Table table;
    known_ = &table;
    return table;
  }

  /** Null before the thread's first number; read without a guard. */
  static inline constinit thread_local Table* known_ = nullptr;

  std::uint32_t number_ = 0;
};

/** Makes the descriptor of a method that Enter runs, for Define. */
napi_property_descriptor DescriptorOf(const Function& method);

/**
 * Makes the methods that are marked as getters read-only properties. They start as methods because V8 checks
 * the receiver of a method at no cost, but not that of a getter defined through Node-API: with a wrong
 * `this`, V8 throws a TypeError.
 */
void TurnIntoGetters(Napi::Function constructor, Functions methods);

/** A class of the addon: its name in JavaScript, and the tag of its objects, the same in every load. */
struct ClassInfo {
  constexpr ClassInfo(ObjectClass class_index, const char* class_name, std::uint64_t class_tag)
      : index(class_index), name(class_name), tag{0x53545249444c4142, class_tag} {}

  ObjectClass index;
  const char* name;
  napi_type_tag tag;
};

/**
 * The base of native classes: `Object` has its `kInfo` and its methods `kMethods`. Only Environment::New
 * makes one, from what it holds.
 */
template <typename Object, typename Holds>
class NativeObject : public Napi::ObjectWrap<Object> {
 public:
  using Held = Holds;
  static constexpr Functions kMethods{};

  // Public, because the classes inherit it.
  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility)
  explicit NativeObject(const Napi::CallbackInfo& info) : Napi::ObjectWrap<Object>(info) {
    RunConstructor(info.Env(), [&] {
      held_ = *static_cast<const Held*>(Environment::Of(info.Env()).TakeHandedOver());
      info.This().As<Napi::Object>().TypeTag(&Object::kInfo.tag);
    });
  }

  static Napi::Function Define(Napi::Env env) {
    std::vector<Napi::ClassPropertyDescriptor<Object>> methods;
    for (const Function& method : Object::kMethods) methods.emplace_back(DescriptorOf(method));
    const auto constructor = Napi::ObjectWrap<Object>::DefineClass(env, Object::kInfo.name, methods);
    TurnIntoGetters(constructor, Object::kMethods);
    return constructor;
  }

  const Held& held() const { return held_; }
  /** The number by which JavaScript names the object in calls with `Keyed` parameters, while the object lives. */
  std::uint32_t key() { return numbers_.Of(static_cast<Object&>(*this)); }

 protected:
  Held held_{};

 private:
  // The address is that of the complete object, whose only base this is.
  const Living<Object> living_{this};
  Numbers<Object> numbers_;
};

/** Returns the native object that an object holds. Classes whose objects can be destroyed then throw kind
 * `freed` in their `native`. */
template <typename Object>
const auto& NativeOf(const Object& object) {
  if constexpr (requires { object.native(); }) {
    return object.native();
  } else {
    return object.held();
  }
}

/** Returns the object behind a value, from any load of the addon in this thread. */
template <typename Object>
  requires requires { Object::kInfo; }
Object& Convert(const Argument& argument, As<Object>) {
  void* wrapped = nullptr;
  if (napi_unwrap(argument.value.Env(), argument.value, &wrapped) == napi_ok &&
      (argument.receiver || Living<Object>::Knows(wrapped)))
    return *static_cast<Object*>(wrapped);
  // It may come from another load of the addon, whose objects are not registered here.
  if (argument.value.IsObject()) {
    const auto object = argument.value.As<Napi::Object>();
    if (object.CheckTypeTag(&Object::kInfo.tag)) return *Object::Unwrap(object);
  }
  Refuse(std::string(argument.name) + " is not a " + Object::kInfo.name);
}

/** Returns the object with that key. */
template <typename Object>
Object& FromKey(std::uint32_t key, const char* name) {
  if (Object* object = Numbers<Object>::Find(key)) return *object;
  Refuse(std::string(name) + " is not the key of a " + Object::kInfo.name);
}

/** The getter `key` of a class. */
template <typename Object>
std::uint32_t KeyOf(Object& object) {
  return object.key();
}

/** A parameter for which JavaScript passes an object's key. */
template <typename Object>
struct Keyed {
  Object& object;

  decltype(auto) native() const { return NativeOf(object); }
};
template <typename Object>
Keyed<Object> Convert(const Argument& argument, As<Keyed<Object>>) {
  std::uint32_t key = 0;
  static_cast<void>(napi_get_value_uint32(argument.value.Env(), argument.value, &key));
  return {FromKey<Object>(key, argument.name)};
}

/** Classes of the core that a class of the addon wraps: `ObjectFor` is declared for them (objects.h). */
template <typename T>
concept Wrapped = requires { ObjectFor(As<T>{}); };
template <Wrapped T>
using ObjectOf = std::remove_pointer_t<decltype(ObjectFor(As<T>{}))>;

template <Wrapped T>
T& Convert(const Argument& argument, As<T>) {
  return *NativeOf(Convert(argument, As<ObjectOf<T>>{}));
}
template <Wrapped T>
const std::shared_ptr<T>& Convert(const Argument& argument, As<std::shared_ptr<T>>) {
  return NativeOf(Convert(argument, As<ObjectOf<T>>{}));
}
template <Wrapped T>
napi_value ToValue(Env env, const std::shared_ptr<T>& native) {
  return Environment::Of(env).New<ObjectOf<T>>(native);
}

}  // namespace stridelab::binding

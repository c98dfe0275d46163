// Calls into Python: their frame, and the types of their parameters and results.
#pragma once

#include <napi.h>

#include <array>
#include <cstddef>
#include <vector>

#include "binding/call.h"
#include "binding/python_handle.h"
#include "binding/python_values.h"
#include "python/owned.h"

namespace stridelab::binding {

/** Takes the current exception, with its traceback, and clears it. Needs the GIL. */
python::Owned TakeException();

/** Throws the current Python exception as JavaScript's error for it, or a stop. Needs the GIL. */
[[noreturn]] void ThrowException(Napi::Env env);

/** Wraps a body that calls Python: takes the GIL, and throws exceptions that Python raises. */
napi_value InPython(Call& call, Body body);

/** Makes the table entry of a function that calls Python. */
template <auto kFunction, typename... Names>
constexpr Function Python(const char* name, Names... parameters) {
  return Bind<kFunction, InPython>(name, parameters...);
}

/** A Python object that JavaScript gets as a handle, whatever its type. */
struct Handle {
  Owned object;
};
inline napi_value ToValue(Env env, Handle handle) {
  return PythonHandle::Wrap(env, std::move(handle.object));
}
/** Converts an object; null if there is none. */
inline napi_value ToValue(Env env, Owned object) {
  return object ? FromPython(env, std::move(object)) : static_cast<napi_value>(env.Null());
}

struct Text {
  Owned object;
  PyObject* get() const { return object.get(); }
};
inline Text Convert(const Argument& argument, As<Text>) {
  if (!argument.value.IsString()) Refuse(argument, "a string");
  return {TextToPython(argument.value.Env(), argument.value)};
}
inline PyObject* Convert(const Argument& argument, As<PyObject*>) {
  return PythonHandle::Require(argument.value.Env(), argument.value, argument.name);
}
inline Owned Convert(const Argument& argument, As<Owned>) {
  return ToPython(argument.value.Env(), argument.value);
}
inline PythonState& Read(Call& call, As<PythonState>) { return call.environment().python(); }

/** Argument values, on the stack if they are few. Needs the GIL. */
class PythonArguments {
 public:
  static constexpr std::size_t kFew = 6;

  void Add(Owned value);
  std::size_t count() const { return count_; }
  Owned& at(std::size_t index) { return index < kFew ? few_[index] : more_[index - kFew]; }

 private:
  std::array<Owned, kFew> few_;
  std::vector<Owned> more_;
  std::size_t count_ = 0;
};

/** Reads the arguments that remain after the preceding parameters, as Python values. */
PythonArguments Read(Call& call, As<PythonArguments>);
/** The items of an array, as Python values. */
struct Items : PythonArguments {};
Items Convert(const Argument& argument, As<Items>);

/** Moves the values into a new tuple. */
Owned TupleOf(PythonArguments& values);

/** Calls `callable` with the values, the last of which are keyword arguments if `names` is a tuple of names.
 * Throws Raised. */
Owned CallWith(PyObject* callable, PythonArguments& values, PyObject* names = nullptr);
/** `callAsync` of NativePython: returns a promise of `[raised, value]`. The GIL is held. */
napi_value CallPythonAsync(Env env, Environment& environment, PyObject* callable, PythonArguments&& values);

}  // namespace stridelab::binding

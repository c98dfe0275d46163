// Calls into Python: their frame, and the types of their parameters and results.
#pragma once

#include <napi.h>

#include "binding/call.h"
#include "binding/python_handle.h"
#include "binding/python_values.h"
#include "python/owned.h"

namespace stridelab::binding {

using python::Owned;
using python::PyObject;

/** Takes the current exception, with its traceback, and clears it. Needs the GIL. */
python::Owned TakeException();

/** Throws the current Python exception as JavaScript's error for it, or JavaScriptStopped. Needs the GIL. */
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

/** A string as a Python str. */
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

}  // namespace stridelab::binding

// Calls that go into Python: their frame, and the types of their parameters and results.
#pragma once

#include <napi.h>

#include "binding/call.h"
#include "binding/python_handle.h"
#include "binding/python_values.h"
#include "python/owned.h"

namespace stridelab::binding {

using python::Owned;
using python::PyObject;

/** The exception that is set, with its traceback, which is no longer set then. Needs the GIL. */
python::Owned TakeException();

/** Throws the exception that is set as JavaScript's own error for it, or JavaScriptStopped. Needs the GIL. */
[[noreturn]] void ThrowException(Napi::Env env);

/** The frame of a body that goes into Python: it has the GIL, and what Python raises there is thrown. */
napi_value InPython(Call& call, Body body);

/** The line of a function that goes into Python. */
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
/** Null where there is no object. */
inline napi_value ToValue(Env env, Owned object) {
  return object ? FromPython(env, std::move(object)) : static_cast<napi_value>(env.Null());
}

/** A string as Python's. */
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

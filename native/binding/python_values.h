// Values between JavaScript and Python: scalars and text by value, all else as handles.
#pragma once

#include <napi.h>

#include <string>

#include "python/owned.h"

namespace stridelab::binding {

/**
 * undefined and null are None; a number is an int where it is a whole one that JavaScript holds exactly, and
 * a float otherwise, -0 too. Handles are their objects. The GIL is held. Throws kind `argument` for others,
 * PythonFailure where Python refuses.
 */
python::Owned ToPython(napi_env env, napi_value value);

/**
 * None is undefined; an int that a number cannot hold exactly is a bigint; a JavaScript function that came
 * to Python is itself again; what is neither number, text nor bool is a handle. The GIL is held.
 */
napi_value FromPython(napi_env env, python::Owned object);

/** A str, lone surrogates included. */
python::Owned TextToPython(napi_env env, napi_value text);
/** An int of any size. */
python::Owned WholeToPython(napi_env env, napi_value number);

/** Python has an exception set, which RunPython throws on as JavaScript's. */
struct PythonFailure {};

/** `object`, or PythonFailure where it is null. */
inline python::Owned Checked(python::PyObject* object) {
  if (object == nullptr) throw PythonFailure{};
  return python::Owned(object);
}
inline void CheckStatus(int status) {
  if (status < 0) throw PythonFailure{};
}

}  // namespace stridelab::binding

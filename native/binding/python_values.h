// Conversions between JavaScript and Python values: scalars and text by value, everything else as handles.
#pragma once

#include <napi.h>

#include <string>

#include "python/owned.h"

namespace stridelab::binding {

/**
 * Converts undefined and null to None, and a number to an int if it is an integer that JavaScript holds
 * exactly, otherwise, and for -0, to a float. Handles become their objects. The GIL is held. Throws kind
 * `argument` for other values, PythonFailure if Python refuses.
 */
python::Owned ToPython(napi_env env, napi_value value);

/**
 * Converts None to undefined, and an int that a number cannot hold exactly to a bigint. A callable made from
 * a JavaScript function becomes that function; other values that are not number, text or bool become handles.
 * The GIL is held.
 */
napi_value FromPython(napi_env env, python::Owned object);

/** Converts text to a str, lone surrogates included. */
python::Owned TextToPython(napi_env env, napi_value text);
/** Converts an integer of any size to an int. */
python::Owned WholeToPython(napi_env env, napi_value number);

/** Thrown while Python has an exception set, which InPython rethrows as JavaScript's. */
struct PythonFailure {};

/** Returns `object`. Throws PythonFailure if it is null. */
inline python::Owned Checked(python::PyObject* object) {
  if (object == nullptr) throw PythonFailure{};
  return python::Owned(object);
}
inline void CheckStatus(int status) {
  if (status < 0) throw PythonFailure{};
}

}  // namespace stridelab::binding

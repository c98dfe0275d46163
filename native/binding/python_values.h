// Conversions between JavaScript and Python values: scalars and text by value, arrays
// over the same memory, everything else as handles.
#pragma once

#include <napi.h>

#include <string>

#include "python/objects.h"

namespace stridelab::binding {

// The names with which the binding writes code for Python.
using python::api;
using python::Made;
using python::Owned;
using python::PyObject;
using python::Raised;
using python::Succeed;

/**
 * Converts undefined and null to None, and a number to an int if it is an integer that JavaScript holds
 * exactly, otherwise, and for -0, to a float. Handles become their objects. The GIL is held. Throws kind
 * `argument` for other values, Raised if Python refuses.
 */
Owned ToPython(napi_env env, napi_value value);

/**
 * Converts None to undefined, and an int that a number cannot hold exactly to a bigint. A callable made from
 * a JavaScript function becomes that function; other values that are not number, text or bool become handles.
 * The GIL is held.
 */
napi_value FromPython(napi_env env, Owned object);

/**
 * Converts the value of `__cuda_array_interface__` or `__array_interface__`: the keys that a descriptor has, lists and tuples as arrays,
 * None as null, integers past 2^53 as bigint, other objects as handles. A value that is not a dictionary is converted as it is. Throws
 * Raised.
 */
napi_value InterfaceOf(napi_env env, PyObject* found);

/** Converts text to a str, lone surrogates included. */
Owned TextToPython(napi_env env, napi_value text);
/** Converts an integer of any size to an int. */
Owned WholeToPython(napi_env env, napi_value number);

/**
 * Makes a Python object of a Stridelab type for an array that was attached; null for any other value. The GIL
 * is held. Throws kind `freed`.
 */
Owned ArrayToPython(napi_env env, napi_value value);

/**
 * Returns the JavaScript array for a Python object of a Stridelab type: a view of the same storage. Null for
 * any other object, and if this environment does not exchange arrays. The GIL is held.
 */
napi_value ArrayFromPython(Napi::Env env, PyObject* object, const PyObject* type);

}  // namespace stridelab::binding

// Conversion of Python's array interface dictionaries to JavaScript objects.
#pragma once

#include <napi.h>

#include "python/owned.h"

namespace stridelab::binding {

/**
 * Reads `__cuda_array_interface__` or `__array_interface__` of an object: the keys that a descriptor has,
 * lists and tuples as arrays, None as null, integers past 2^53 as bigint, other objects as handles. Null if
 * the attribute is missing or None; a value that is no dictionary is returned as it is. Throws PythonFailure.
 */
napi_value InterfaceOf(napi_env env, python::PyObject* object, python::PyObject* name);

}  // namespace stridelab::binding

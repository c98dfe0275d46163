// The dictionaries by which Python's arrays describe themselves, as JavaScript's objects.
#pragma once

#include <napi.h>

#include "python/owned.h"

namespace stridelab::binding {

/**
 * `__cuda_array_interface__` or `__array_interface__` of an object: the keys that a descriptor has, lists and
 * tuples as arrays, None as null, whole numbers past 2^53 as bigint, other objects as handles. Null where the
 * object has no such attribute, or None; what is no dictionary comes as it is. Throws PythonFailure.
 */
napi_value InterfaceOf(napi_env env, python::PyObject* object, python::PyObject* name);

}  // namespace stridelab::binding

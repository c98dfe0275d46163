// Conversions between JavaScript arrays and Python objects.
#pragma once

#include <napi.h>

#include "python/owned.h"

namespace stridelab::binding {

/**
 * Makes a Python object of a Stridelab type for an array that was attached; null for any other value. The GIL
 * is held. Throws kind `freed`.
 */
python::Owned ArrayToPython(napi_env env, napi_value value);

/**
 * Returns the JavaScript array for a Python object of a Stridelab type: a view of the same storage. Null for
 * any other object, and if this environment does not exchange arrays. The GIL is held.
 */
napi_value ArrayFromPython(Napi::Env env, python::PyObject* object, const python::PyObject* type);

}  // namespace stridelab::binding

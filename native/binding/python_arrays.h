// Arrays of JavaScript as objects of Python, and back.
#pragma once

#include <napi.h>

#include "python/owned.h"

namespace stridelab::binding {

/**
 * A new object of one of our types for an array that was attached; null for any other value. The GIL is held.
 * Throws kind `freed`.
 */
python::Owned ArrayToPython(napi_env env, napi_value value);

/**
 * JavaScript's array for an object of one of our types: a view of the same storage. Null for any other
 * object, and where this environment has no part in arrays. The GIL is held.
 */
napi_value ArrayFromPython(Napi::Env env, python::PyObject* object, const python::PyObject* type);

}  // namespace stridelab::binding

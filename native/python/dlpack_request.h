// The arguments of `__dlpack__` (rules 142 to 155).
#pragma once

#include "dlpack/request.h"
#include "python/api.h"

namespace stridelab::python {

/** Reads the arguments of a vectorcall: keywords only. TypeError or ValueError for anything else. */
dlpack::Request ReadDlpackRequest(PyObject* const* values, Size positional, PyObject* names);

}  // namespace stridelab::python

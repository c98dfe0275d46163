// What NumPy looks for on an array beside the protocols.
#pragma once

#include "python/array_object.h"

namespace stridelab::python {

/** `dtype`: NumPy's own where NumPy is loaded and has one, since it takes no other for a dtype; else the
 * name. */
Owned DtypeOf(const ExportedArray& array);

/**
 * `__array__`, which NumPy calls where it found no protocol, and would make an array of one object otherwise:
 * TypeError that says what to do for memory of a device and for a dtype without a typestr; else what
 * numpy.array makes.
 */
PyObject* ArrayForNumPy(PyObject* self, PyObject* arguments, PyObject* keywords);

}  // namespace stridelab::python

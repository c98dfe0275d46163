// Array members that NumPy uses beside the protocols.
#pragma once

#include "python/array_object.h"

namespace stridelab::python {

/** Returns `dtype`: NumPy's object if NumPy is loaded and has one, since it accepts no other; else the name.
 */
Owned DtypeOf(const ExportedArray& array);

/**
 * Implements `__array__`, which NumPy calls if no protocol worked, before it makes a 0-d object array:
 * TypeError with a remedy for device memory and for a dtype without a typestr; otherwise the result of
 * numpy.array.
 */
PyObject* ArrayForNumPy(PyObject* self, PyObject* arguments, PyObject* keywords);

}  // namespace stridelab::python

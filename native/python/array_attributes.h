// The Python attributes of arrays, such as shape and dtype, and their length.
#pragma once

#include <span>
#include <string>

#include "python/array_object.h"
#include "python/object_layout.h"

namespace stridelab::python {

/** Returns the attributes of each type; the last entry has no name. */
std::span<Attribute> HostAttributes();
std::span<Attribute> CudaAttributes();

PyObject* ReprOfArray(PyObject* self);
/** Returns the first dimension; TypeError for a 0-d array. */
Size LengthOfArray(PyObject* self);

/** Makes a tuple of ints. */
Owned TupleOf(const std::int64_t* numbers, std::int32_t count);
Owned TextOf(const std::string& text);
Owned Boolean(bool value);

}  // namespace stridelab::python

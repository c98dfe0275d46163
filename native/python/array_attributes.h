// What people and libraries ask an array for by name: shape, dtype, length.
#pragma once

#include <span>
#include <string>

#include "python/array_object.h"
#include "python/object_layout.h"

namespace stridelab::python {

/** The attributes of each type, ended by one without a name. */
std::span<Attribute> HostAttributes();
std::span<Attribute> CudaAttributes();

PyObject* ReprOfArray(PyObject* self);
/** The first dimension; TypeError for a 0-d array. */
Size LengthOfArray(PyObject* self);

/** A new tuple of ints. */
Owned TupleOf(const std::int64_t* numbers, std::int32_t count);
Owned TextOf(const std::string& text);
Owned Boolean(bool value);

}  // namespace stridelab::python

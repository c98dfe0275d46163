// The array interfaces of Python, in terms of a dictionary: NumPy's and CUDA's, version 3.
#pragma once

#include "python/array_object.h"

namespace stridelab::python {

/**
 * `__array_interface__`; the data is ready when it returns. AttributeError for a dtype without a typestr
 * (rules 14, 44).
 */
Owned ArrayInterface(const ExportedArray& array);

/**
 * `__cuda_array_interface__`, as JavaScript's own property: the stream is one behind which all pending work
 * is joined on the device (rules 66 to 71, 78 to 84), strides are None where C-contiguous (rule 19). Each
 * read is a new snapshot. AttributeError as above.
 */
Owned CudaArrayInterface(const ExportedArray& array);

}  // namespace stridelab::python

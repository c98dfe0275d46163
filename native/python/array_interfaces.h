// The array interfaces of Python as dictionaries: NumPy's and CUDA's, version 3.
#pragma once

#include "python/array_object.h"

namespace stridelab::python {

/**
 * Returns `__array_interface__`; the data is ready by then. AttributeError for a dtype without a typestr
 * (rules 14, 44).
 */
Owned ArrayInterface(const ExportedArray& array);

/**
 * Returns `__cuda_array_interface__`, like the JavaScript property: all pending work is joined into its
 * stream, on the device (rules 66 to 71, 78 to 84); strides are None if C-contiguous (rule 19). Each read is
 * a new snapshot. AttributeError for a dtype without a typestr (rules 14, 44).
 */
Owned CudaArrayInterface(const ExportedArray& array);

}  // namespace stridelab::python

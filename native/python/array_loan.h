// Buffers of arrays that somebody follows.
#pragma once

#include <memory>

#include "dlpack/export_log.h"
#include "python/owned.h"

namespace stridelab::python {

/** Makes the type at the first call. The GIL is held. Raised where Python refuses. */
void PrepareLoans(std::ptrdiff_t size_of_plain_object);

/**
 * What stands for the array in a buffer, keeps it, and ends the record as the buffer is released. Arrays
 * themselves have no bf_releasebuffer: consumers would take them for bytes no more that they can keep (`y#`;
 * NumPy's frombuffer asks for a format then, which some dtypes lack).
 */
Owned NewLoan(PyObject* array, const std::shared_ptr<dlpack::ExportRecord>& record);

}  // namespace stridelab::python

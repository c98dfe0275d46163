// Buffers of arrays whose accesses are recorded.
#pragma once

#include <memory>

#include "dlpack/export_log.h"
#include "python/owned.h"

namespace stridelab::python {

/** Makes the type at the first call. The GIL is held. Throws Raised if Python refuses. */
void PrepareLoans(std::ptrdiff_t size_of_plain_object);

/**
 * Makes a stand-in for the array in a buffer, which keeps the array alive and ends the record when the buffer
 * is released. Arrays themselves have no bf_releasebuffer: consumers would no longer accept them as bytes to
 * keep (`y#`), and NumPy's frombuffer would require a format, which some dtypes lack.
 */
Owned NewLoan(PyObject* array, const std::shared_ptr<dlpack::ExportRecord>& record);

}  // namespace stridelab::python

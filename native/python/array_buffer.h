// The buffer protocol of arrays in host memory.
#pragma once

#include "python/buffer.h"

namespace stridelab::python {

/**
 * Implements bf_getbuffer for every kind of request; BufferError for a writable buffer of a read-only array,
 * a layout that the consumer does not accept, and a requested format that the dtype lacks. The view keeps the
 * object, in a loan if the access is recorded, and the object the memory.
 */
int GetArrayBuffer(PyObject* self, BufferView* out, int flags);

}  // namespace stridelab::python

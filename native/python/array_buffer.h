// The buffer protocol of arrays in host memory.
#pragma once

#include "python/buffer.h"

namespace stridelab::python {

/**
 * bf_getbuffer: every kind of request; BufferError for a writable buffer of a read-only array, a layout that
 * the consumer does not ask for, and a format where the dtype has none. The view keeps the object, in a
 * loan where it is followed, and the object the memory.
 */
int GetArrayBuffer(PyObject* self, BufferView* out, int flags);

}  // namespace stridelab::python

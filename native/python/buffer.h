// The buffer protocol (PEP 3118): memory that an object exports until the buffer is released.
#pragma once

#include "python/api.h"
#include "python/gil.h"

namespace stridelab::python {

/** Py_buffer, whose layout is the same in all versions. */
struct BufferView {
  void* data;
  PyObject* object;
  Size bytes;
  Size itemsize;
  int read_only;
  int ndim;
  char* format;
  Size* shape;
  Size* strides;
  Size* suboffsets;
  void* internal;
};

/** PyBUF_FULL_RO: any layout, read-only or writable. */
inline constexpr int kFullBuffer = 0x0100 | 0x0010 | 0x0008 | 0x0004;

/** A buffer that is held until this object is destroyed, which needs the GIL. */
class HeldBuffer final : public NeedsGil {
 public:
  ~HeldBuffer() override {
    if (asked_) api.PyBuffer_Release(&view_);
  }
  /** Requests the buffer. Returns false with an exception set. */
  bool Ask(PyObject* object) {
    asked_ = api.PyObject_GetBuffer(object, &view_, kFullBuffer) == 0;
    return asked_;
  }
  const BufferView& view() const { return view_; }

 private:
  BufferView view_{};
  bool asked_ = false;
};

}  // namespace stridelab::python

#include "python/array_buffer.h"

#include "python/array_loan.h"
#include "python/array_ready.h"
#include "python/export_record.h"
#include "python/object_layout.h"
#include "python/raise.h"

namespace stridelab::python {
namespace {

static_assert(sizeof(Size) == sizeof(std::int64_t), "shapes are handed out as they are");

/** The address that buffers of empty arrays point to. */
char nowhere = 0;

bool Asks(int flags, int what) { return (flags & what) == what; }

void RequireLayout(const dlpack::ArrayView& view, int flags) {
  const char* missing = nullptr;
  if (Asks(flags, kBufferRowMajor) && !view.row_major()) missing = "C-contiguous";
  if (Asks(flags, kBufferColumnMajor) && !view.column_major()) missing = "Fortran-contiguous";
  if (Asks(flags, kBufferContiguous) && !view.row_major() && !view.column_major()) missing = "contiguous";
  if (!Asks(flags, kBufferStrides) && !view.row_major()) missing = "C-contiguous";
  if (missing != nullptr) Raise(api.PyExc_BufferError, std::string("the array is not ") + missing);
}

void Require(const ExportedArray& array, int flags) {
  const dlpack::ArrayView& view = *array.view;
  if (Asks(flags, kBufferWritable) && view.read_only())
    Raise(api.PyExc_BufferError, "the array is read-only");
  RequireLayout(view, flags);
  if (Asks(flags, kBufferFormat) && array.element->format.empty()) {
    Raise(api.PyExc_BufferError,
          "the buffer protocol has no format for " + array.element->name + ": use DLPack, or its bytes");
  }
}

void Fill(const ExportedArray& array, BufferView* out, int flags) {
  const dlpack::ArrayView& view = *array.view;
  out->data = view.empty() ? &nowhere : driver::HandleFrom<void*>(view.address(*array.storage));
  out->bytes = static_cast<Size>(view.size() * view.itemsize());
  out->itemsize = static_cast<Size>(view.itemsize());
  out->read_only = view.read_only() ? 1 : 0;
  out->ndim = view.ndim();
  out->format = Asks(flags, kBufferFormat) ? const_cast<char*>(array.element->format.c_str()) : nullptr;
  const bool has_axes = view.ndim() > 0;
  out->shape = has_axes && Asks(flags, kBufferShape) ? const_cast<Size*>(view.shape()) : nullptr;
  out->strides = has_axes && Asks(flags, kBufferStrides) ? const_cast<Size*>(view.byte_strides()) : nullptr;
  out->suboffsets = nullptr;
  out->internal = nullptr;
}

}  // namespace

int GetArrayBuffer(PyObject* self, BufferView* out, int flags) {
  out->object = nullptr;
  return CalledByPython(-1, [&] {
    const ExportedArray& array = ArrayOf(self);
    const auto record = RecordOfRead(dlpack::Way::kPythonBuffer, array);
    Owned keeper = record == nullptr ? Owned::Borrowed(self) : NewLoan(self, record);
    if (record != nullptr) {
      record->flags = flags;
      record->read_only = array.view->read_only();
    }
    const auto answer = [&] {
      Require(array, flags);
      WaitForHost(array);
      return 0;
    };
    dlpack::Recorded(array.storage, record, answer, RefusalByPython);
    Fill(array, out, flags);
    out->object = keeper.Release();
    return 0;
  });
}

}  // namespace stridelab::python

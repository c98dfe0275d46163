// The buffer protocol of arrays in host memory.
#include <array>
#include <utility>

#include "dlpack/order.h"
#include "python/array_members.h"
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

/**
 * Stands in for the array in a buffer whose access is recorded: keeps the array alive and ends the record
 * when the buffer is released. Arrays themselves have no bf_releasebuffer: consumers would no longer accept
 * them as bytes to keep (`y#`), and NumPy's frombuffer would require a format, which some dtypes lack.
 */
struct Loan {
  Owned array;
  std::shared_ptr<dlpack::ExportRecord> record;
};

PyObject* loan_type = nullptr;

void FreeLoan(PyObject* self) {
  const GilGiven given;
  delete HeldBy<Loan>(self);
  FreeObject(self);
}

PyObject* RefuseNewLoan(PyObject*, PyObject*, PyObject*) {
  api.PyErr_SetString(api.PyExc_TypeError, "FollowedBuffer cannot be constructed: use memoryview(array)");
  return nullptr;
}

/** Supports consumers that request a buffer of `memoryview(array).obj`. */
int GetBuffer(PyObject* self, BufferView* out, int flags) {
  return GetArrayBuffer(HeldBy<Loan>(self)->array.get(), out, flags);
}

void ReleaseBuffer(PyObject* self, BufferView*) {
  if (const auto record = std::exchange(HeldBy<Loan>(self)->record, nullptr)) dlpack::ExportLog::End(*record);
}

Owned NewLoan(PyObject* array, const std::shared_ptr<dlpack::ExportRecord>& record) {
  std::unique_ptr<Loan> loan(new Loan{Owned::Borrowed(array), record});
  Owned object = Made(api.PyType_GenericAlloc(loan_type, 0));
  HeldBy<Loan>(object.get()) = loan.release();
  return object;
}

}  // namespace

void PrepareLoans() {
  if (loan_type != nullptr) return;
  std::array<TypeSlot, 6> slots = {
      {{kSlotDealloc, reinterpret_cast<void*>(FreeLoan)},
       {kSlotNew, reinterpret_cast<void*>(RefuseNewLoan)},
       {kSlotGetBuffer, reinterpret_cast<void*>(GetBuffer)},
       {kSlotReleaseBuffer, reinterpret_cast<void*>(ReleaseBuffer)},
       {kSlotDoc, const_cast<char*>("Stands in for an array in a buffer while exchanges are recorded.")},
       {}}};
  const auto size = static_cast<int>(plain_object_size + Size{sizeof(void*)});
  TypeSpec spec{"stridelab.FollowedBuffer", size, 0, kTypeFlagsDefault, slots.data()};
  loan_type = Made(api.PyType_FromSpec(&spec)).Release();
}

void WaitForHost(const ExportedArray& array) {
  // Work on a simulated device is complete on submission, or deferred until requested: releasing the GIL
  // would not pay.
  if (array.view->description().device.device_type == kDLCPU) {
    dlpack::MakeReady(*array.view, *array.storage);
    return;
  }
  const GilPause pause;
  dlpack::MakeReady(*array.view, *array.storage);
}

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

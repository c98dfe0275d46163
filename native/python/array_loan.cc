#include "python/array_loan.h"

#include <array>
#include <utility>

#include "python/array_buffer.h"
#include "python/object_layout.h"
#include "python/raise.h"

namespace stridelab::python {
namespace {

struct Loan {
  Owned array;
  std::shared_ptr<dlpack::ExportRecord> record;
};

PyObject* loan_type = nullptr;
/** Offset of the pointer to the Loan in an object. */
std::ptrdiff_t instance_offset = 0;

Loan*& SlotOf(PyObject* object) {
  return *reinterpret_cast<Loan**>(reinterpret_cast<char*>(object) + instance_offset);
}

void Dealloc(PyObject* self) {
  const GilGiven given;
  const Owned own_type(api.PyObject_Type(self));
  delete std::exchange(SlotOf(self), nullptr);
  reinterpret_cast<void (*)(void*)>(api.PyType_GetSlot(own_type.get(), kSlotFree))(self);
  api.Py_DecRef(own_type.get());  // Each object of a heap type holds a reference to it.
}

PyObject* RefuseNew(PyObject*, PyObject*, PyObject*) {
  api.PyErr_SetString(api.PyExc_TypeError, "buffers are asked for of arrays: memoryview(array)");
  return nullptr;
}

/** Supports consumers that request a buffer of `memoryview(array).obj`. */
int GetBuffer(PyObject* self, BufferView* out, int flags) {
  return GetArrayBuffer(SlotOf(self)->array.get(), out, flags);
}

void ReleaseBuffer(PyObject* self, BufferView*) {
  if (const auto record = std::exchange(SlotOf(self)->record, nullptr)) dlpack::ExportLog::End(*record);
}

}  // namespace

void PrepareLoans(std::ptrdiff_t size_of_plain_object) {
  if (loan_type != nullptr) return;
  instance_offset = size_of_plain_object;
  std::array<TypeSlot, 6> slots = {
      {{kSlotDealloc, reinterpret_cast<void*>(Dealloc)},
       {kSlotNew, reinterpret_cast<void*>(RefuseNew)},
       {kSlotGetBuffer, reinterpret_cast<void*>(GetBuffer)},
       {kSlotReleaseBuffer, reinterpret_cast<void*>(ReleaseBuffer)},
       {kSlotDoc, const_cast<char*>("Stands for an array in a buffer of it while exchanges are recorded.")},
       {}}};
  const auto size = static_cast<int>(instance_offset + std::ptrdiff_t{sizeof(void*)});
  TypeSpec spec{"stridelab.FollowedBuffer", size, 0, kTypeFlagsDefault, slots.data()};
  loan_type = Made(api.PyType_FromSpec(&spec)).Release();
}

Owned NewLoan(PyObject* array, const std::shared_ptr<dlpack::ExportRecord>& record) {
  std::unique_ptr<Loan> loan(new Loan{Owned::Borrowed(array), record});
  Owned object = Made(api.PyType_GenericAlloc(loan_type, 0));
  SlotOf(object.get()) = loan.release();
  return object;
}

}  // namespace stridelab::python

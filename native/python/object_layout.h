// Structs and constants with which C code defines a Python type: declarations after the Python/C API
// reference ("Type Objects", "Buffer Protocol"). They are the same in CPython 3.9 to 3.14.
#pragma once

#include "python/owned.h"

namespace stridelab::python {

/** PyType_Slot. */
struct TypeSlot {
  int slot;
  void* function;
};

/** PyType_Spec. */
struct TypeSpec {
  const char* name;
  int basic_size;
  int item_size;
  unsigned flags;
  TypeSlot* slots;
};

/** PyGetSetDef. */
struct Attribute {
  const char* name;
  PyObject* (*get)(PyObject* self, void* closure);
  int (*set)(PyObject* self, PyObject* value, void* closure);
  const char* doc;
  void* closure;
};

/** PyMemberDef. */
struct Member {
  const char* name;
  int type;
  Size offset;
  int flags;
  const char* doc;
};

inline constexpr int kSlotGetBuffer = 1;
inline constexpr int kSlotReleaseBuffer = 2;
inline constexpr int kSlotMappingLength = 4;
inline constexpr int kSlotDealloc = 52;
inline constexpr int kSlotDoc = 56;
inline constexpr int kSlotMethods = 64;
inline constexpr int kSlotNew = 65;
inline constexpr int kSlotRepr = 66;
inline constexpr int kSlotMembers = 72;
inline constexpr int kSlotAttributes = 73;
inline constexpr int kSlotFree = 74;

/** Py_TPFLAGS_DEFAULT of an extension module without additional flags. */
inline constexpr unsigned kTypeFlagsDefault = 1U << 18U;

inline constexpr int kMemberSize = 19;
inline constexpr int kMemberReadOnly = 1;

inline constexpr int kCallWithoutArguments = 0x0004;
inline constexpr int kCallWithKeywords = 0x0001 | 0x0002;

// PyBUF_ flags of a consumer's request.
inline constexpr int kBufferWritable = 0x0001;
inline constexpr int kBufferFormat = 0x0004;
inline constexpr int kBufferShape = 0x0008;
inline constexpr int kBufferStrides = 0x0010 | kBufferShape;
inline constexpr int kBufferRowMajor = 0x0020 | kBufferStrides;
inline constexpr int kBufferColumnMajor = 0x0040 | kBufferStrides;
inline constexpr int kBufferContiguous = 0x0080 | kBufferStrides;

/** Bytes of the fields of `object`, which differ between builds. Objects of this library's types hold a
 * pointer after them. */
inline Size plain_object_size = 0;

template <typename Held>
Held*& HeldBy(PyObject* object) {
  return *reinterpret_cast<Held**>(reinterpret_cast<char*>(object) + plain_object_size);
}

/** Frees an object at the end of its dealloc. Each object of a heap type holds a reference to the type. */
inline void FreeObject(PyObject* self) {
  const Owned type = TypeOf(self);
  reinterpret_cast<void (*)(void*)>(api.PyType_GetSlot(type.get(), kSlotFree))(self);
  api.Py_DecRef(type.get());
}

}  // namespace stridelab::python

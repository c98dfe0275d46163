#include "python/array_object.h"

#include <array>
#include <cstring>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "python/array_attributes.h"
#include "python/array_buffer.h"
#include "python/array_dlpack.h"
#include "python/array_jax.h"
#include "python/array_loan.h"
#include "python/array_numpy.h"
#include "python/array_table.h"
#include "python/object_layout.h"
#include "python/raise.h"

namespace stridelab::python {
namespace {

PyObject* host_type = nullptr;
PyObject* cuda_type = nullptr;
/** Offset of the pointer to the ExportedArray: behind the fields of `object`, which differ between builds. */
std::ptrdiff_t instance_offset = 0;

ExportedArray*& SlotOf(PyObject* object) {
  return *reinterpret_cast<ExportedArray**>(reinterpret_cast<char*>(object) + instance_offset);
}

void Dealloc(PyObject* self) {
  const GilGiven given;
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  api.PyErr_Fetch(&type, &value, &traceback);
  {
    const Owned own_type(api.PyObject_Type(self));
    api.PyObject_ClearWeakRefs(self);
    const std::unique_ptr<ExportedArray> array(std::exchange(SlotOf(self), nullptr));
    if (array != nullptr && !array->view->on_host() && array->storage.use_count() == 1) {
      // The driver may wait for the device before it frees.
      const GilPause pause;
      array->storage.reset();
    }
    const auto free = reinterpret_cast<void (*)(void*)>(api.PyType_GetSlot(own_type.get(), kSlotFree));
    free(self);
    api.Py_DecRef(own_type.get());  // Each object of a heap type holds a reference to it.
  }
  api.PyErr_Restore(type, value, traceback);
}

PyObject* RefuseNew(PyObject*, PyObject*, PyObject*) {
  api.PyErr_SetString(api.PyExc_TypeError,
                      "arrays of JavaScript are made there: pass one, or python.array(it), to Python");
  return nullptr;
}

std::ptrdiff_t SizeOfPlainObject() {
  const Owned size = Made(api.PyObject_GetAttrString(api.PyBaseObject_Type, "__basicsize__"));
  int overflow = 0;
  return static_cast<std::ptrdiff_t>(api.PyLong_AsLongLongAndOverflow(size.get(), &overflow));
}

Method ForNumPy() {
  return {"__array__", reinterpret_cast<void*>(ArrayForNumPy), kCallWithKeywords,
          "What numpy.array makes of it, where NumPy has a dtype for it and reads its memory."};
}

// The last entry has no name.
Method* HostMethods() {
  static std::array<Method, 4> methods = {DlpackMethod(), DlpackDeviceMethod(), ForNumPy(), {}};
  return methods.data();
}

Method* CudaMethods() {
  static std::array<Method, 5> methods = {
      DlpackMethod(),
      DlpackDeviceMethod(),
      ForNumPy(),
      {"__jax_array__", reinterpret_cast<void*>(JaxArray), kCallWithoutArguments,
       "__jax_array__($self, /)\n--\n\nAn array of JAX over the same memory."},
      {}};
  return methods.data();
}

Owned MakeType(const char* name, const char* doc, std::span<Attribute> attributes, bool host) {
  static std::array<Member, 2> members{};
  const std::ptrdiff_t weak_references = instance_offset + std::ptrdiff_t{sizeof(void*)};
  members[0] = {"__weaklistoffset__", kMemberSize, weak_references, kMemberReadOnly, nullptr};
  std::array<TypeSlot, 10> slots{};
  std::size_t count = 0;
  const auto add = [&](int slot, void* function) { slots[count++] = {slot, function}; };
  add(kSlotDealloc, reinterpret_cast<void*>(Dealloc));
  add(kSlotNew, reinterpret_cast<void*>(RefuseNew));
  add(kSlotRepr, reinterpret_cast<void*>(ReprOfArray));
  add(kSlotMappingLength, reinterpret_cast<void*>(LengthOfArray));
  add(kSlotMembers, members.data());
  add(kSlotAttributes, attributes.data());
  add(kSlotMethods, host ? HostMethods() : CudaMethods());
  add(kSlotDoc, const_cast<char*>(doc));
  if (host) add(kSlotGetBuffer, reinterpret_cast<void*>(GetArrayBuffer));
  const auto size = static_cast<int>(weak_references + std::ptrdiff_t{sizeof(void*)});
  TypeSpec spec{name, size, 0, kTypeFlagsDefault, slots.data()};
  Owned type = Made(api.PyType_FromSpec(&spec));
  const Owned table = Made(api.PyCapsule_New(ArrayExchangeTable(), kExchangeCapsule, nullptr));
  Succeed(api.PyObject_SetAttrString(type.get(), kExchangeAttribute, table.get()));
  return type;
}

// Never destroyed, since Python arrays are not either.
struct Homes {
  std::mutex mutex;
  std::vector<std::weak_ptr<const ArrayHome>> offered;
};
Homes& AllHomes() {
  static Homes& homes = *new Homes;
  return homes;
}

}  // namespace

ArrayHome::~ArrayHome() {
  if (copy != nullptr) DropLater(copy);
  if (allocate != nullptr) DropLater(allocate);
}

void PrepareArrayTypes() {
  if (cuda_type != nullptr) return;
  try {
    instance_offset = SizeOfPlainObject();
    PrepareDlpack();
    PrepareLoans(instance_offset);
    Owned host = MakeType("stridelab.HostArray",
                          "An array of JavaScript in memory of the host: the buffer protocol, "
                          "__array_interface__ and DLPack over the same bytes.",
                          HostAttributes(), true);
    Owned cuda = MakeType("stridelab.CudaArray",
                          "An array of JavaScript in memory of a CUDA device: __cuda_array_interface__ and "
                          "DLPack over the same bytes.",
                          CudaAttributes(), false);
    host_type = host.Release();
    cuda_type = cuda.Release();
  } catch (const Raised&) {
    api.PyErr_Clear();
    throw core::Error("the types of arrays could not be made in this Python", {});
  }
}

PyObject* ArrayTypeFor(const dlpack::ArrayView& view) { return view.on_host() ? host_type : cuda_type; }

bool IsArrayType(const PyObject* type) {
  return cuda_type != nullptr && (type == host_type || type == cuda_type);
}

ExportedArray& ArrayOf(PyObject* object) { return *SlotOf(object); }

Owned NewArray(std::unique_ptr<ExportedArray> array) {
  Owned object(api.PyType_GenericAlloc(ArrayTypeFor(*array->view), 0));
  if (object) SlotOf(object.get()) = array.release();
  return object;
}

void OfferHome(const std::shared_ptr<const ArrayHome>& home) {
  Homes& homes = AllHomes();
  const std::lock_guard lock(homes.mutex);
  std::erase_if(homes.offered, [](const std::weak_ptr<const ArrayHome>& entry) { return entry.expired(); });
  homes.offered.push_back(home);
}

std::shared_ptr<const ArrayHome> AnyHome() {
  Homes& homes = AllHomes();
  const std::lock_guard lock(homes.mutex);
  for (const auto& entry : homes.offered)
    if (auto home = entry.lock(); home != nullptr && !home->ended) return home;
  return nullptr;
}

}  // namespace stridelab::python

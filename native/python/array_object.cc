#include "python/array_object.h"

#include <array>
#include <mutex>
#include <utility>
#include <vector>

#include "core/error.h"
#include "python/array_members.h"
#include "python/objects.h"

namespace stridelab::python {
namespace {

PyObject* host_type = nullptr;
PyObject* cuda_type = nullptr;

void FreeArray(PyObject* self) {
  const GilGiven given;
  const ExceptionAside aside;
  api.PyObject_ClearWeakRefs(self);
  {
    const std::unique_ptr<ExportedArray> array(std::exchange(HeldBy<ExportedArray>(self), nullptr));
    if (array != nullptr && !array->view->on_host() && array->storage.use_count() == 1) {
      // The driver may wait for the device before it frees.
      const GilPause pause;
      array->storage.reset();
    }
  }
  FreeObject(self);
}

PyObject* RefuseNewArray(PyObject*, PyObject*, PyObject*) {
  api.PyErr_SetString(api.PyExc_TypeError,
                      "JavaScript arrays cannot be constructed in Python: create one in JavaScript and pass "
                      "it, or python.array(it)");
  return nullptr;
}

/** Returns the methods; the last entry has no name. */
Method* Methods(bool host) {
  static std::array<Method, 5> methods = {
      {{"__jax_array__", reinterpret_cast<void*>(JaxArray), kCallWithoutArguments,
        "__jax_array__($self, /)\n--\n\nA JAX array over the same memory."},
       DlpackMethod(),
       DlpackDeviceMethod(),
       {"__array__", reinterpret_cast<void*>(ArrayForNumPy), kCallWithKeywords,
        "numpy.array of this array, if NumPy has its dtype and can read its memory."},
       {}}};
  // JAX imports host arrays without the first method.
  return methods.data() + (host ? 1 : 0);
}

Owned MakeType(const char* name, const char* doc, bool host) {
  static std::array<Member, 2> members{};
  const Size weak_references = plain_object_size + Size{sizeof(void*)};
  members[0] = {"__weaklistoffset__", kMemberSize, weak_references, kMemberReadOnly, nullptr};
  std::array<TypeSlot, 10> slots{};
  std::size_t count = 0;
  const auto add = [&](int slot, void* function) { slots[count++] = {slot, function}; };
  add(kSlotDealloc, reinterpret_cast<void*>(FreeArray));
  add(kSlotNew, reinterpret_cast<void*>(RefuseNewArray));
  add(kSlotRepr, reinterpret_cast<void*>(ReprOfArray));
  add(kSlotMappingLength, reinterpret_cast<void*>(LengthOfArray));
  add(kSlotMembers, members.data());
  add(kSlotAttributes, AttributesOfArrays(host));
  add(kSlotMethods, Methods(host));
  add(kSlotDoc, const_cast<char*>(doc));
  if (host) add(kSlotGetBuffer, reinterpret_cast<void*>(GetArrayBuffer));
  const auto size = static_cast<int>(weak_references + Size{sizeof(void*)});
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
    const Owned size = Made(api.PyObject_GetAttrString(api.PyBaseObject_Type, "__basicsize__"));
    plain_object_size = ToWhole(size.get()).value_or(0);
    PrepareDlpack();
    PrepareLoans();
    Owned host = MakeType("stridelab.HostArray",
                          "A JavaScript array in host memory: the buffer protocol, "
                          "__array_interface__ and DLPack over the same bytes.",
                          true);
    Owned cuda = MakeType("stridelab.CudaArray",
                          "A JavaScript array in CUDA device memory: __cuda_array_interface__ and "
                          "DLPack over the same bytes.",
                          false);
    host_type = host.Release();
    cuda_type = cuda.Release();
  } catch (const Raised&) {
    api.PyErr_Clear();
    throw core::Error("the array types could not be created in this Python", {});
  }
}

bool IsArrayType(const PyObject* type) {
  return cuda_type != nullptr && (type == host_type || type == cuda_type);
}

ExportedArray& ArrayOf(PyObject* object) { return *HeldBy<ExportedArray>(object); }

Owned NewArray(std::unique_ptr<ExportedArray> array) {
  Owned object(api.PyType_GenericAlloc(array->view->on_host() ? host_type : cuda_type, 0));
  if (object) HeldBy<ExportedArray>(object.get()) = array.release();
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

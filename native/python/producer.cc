#include "python/producer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace stridelab::python {
namespace {

/** Cache size: programs use a handful of array classes; one that is evicted is inspected again. */
constexpr std::size_t kKept = 64;

Owned Attribute(PyObject* object, const char* name) {
  Owned value(api.PyObject_GetAttrString(object, name));
  if (!value) api.PyErr_Clear();
  return value;
}

struct ModulePrefix {
  std::string_view name;
  Library library;
};
constexpr std::array<ModulePrefix, 8> kModules = {{{"torch", Library::kTorch},
                                                   {"jax", Library::kJax},
                                                   {"jaxlib", Library::kJax},
                                                   {"cupy", Library::kCupy},
                                                   {"warp", Library::kWarp},
                                                   {"numba", Library::kNumba},
                                                   {"numba_cuda", Library::kNumba},
                                                   {"numba_cuda_mlir", Library::kNumba}}};

/** Returns the top-level package of a class's module; empty if unknown. */
std::string PackageOfType(PyObject* type) {
  const Owned module = Attribute(type, "__module__");
  const char* text = nullptr;
  if (module && IsA(module.get(), api.PyUnicode_Type))
    text = api.PyUnicode_AsUTF8AndSize(module.get(), nullptr);
  if (text == nullptr) {
    api.PyErr_Clear();
    return {};
  }
  const std::string_view full = text;
  return std::string(full.substr(0, full.find('.')));
}

/** Calls `look` with the top-level package of each class of a class's MRO, until it returns true. */
template <typename Look>
void LookAtPackages(PyObject* type, Look look) {
  const Owned order = Attribute(type, "__mro__");
  if (!order || !IsA(order.get(), api.PyTuple_Type)) {
    look(PackageOfType(type));
    return;
  }
  for (Size index = 0; index < api.PyTuple_Size(order.get()); ++index)
    if (look(PackageOfType(api.PyTuple_GetItem(order.get(), index)))) return;
}

/** Finds the library along the class's MRO: a subclass of torch.Tensor is in its author's module. */
Library LibraryOfArrays(PyObject* type) {
  Library library = Library::kOther;
  LookAtPackages(type, [&](const std::string& package) {
    const auto* found = std::ranges::find(kModules, package, &ModulePrefix::name);
    if (found != kModules.end()) library = found->library;
    return found != kModules.end();
  });
  return library;
}

const ExchangeTable* TableOf(PyObject* type) {
  const Owned capsule = Attribute(type, kExchangeAttribute);
  if (!capsule) return nullptr;
  const void* found = api.PyCapsule_GetPointer(capsule.get(), kExchangeCapsule);
  if (found == nullptr) api.PyErr_Clear();  // no capsule, or one of another name: not the protocol's table
  const auto* header = static_cast<const ExchangeHeader*>(found);
  while (header != nullptr && header->version.major != DLPACK_MAJOR_VERSION) header = header->previous;
  return reinterpret_cast<const ExchangeTable*>(header);
}

/** Returns PyTorch's `__dlpack__` if the class does not override it; otherwise null. */
PyObject* UnorderedDlpack(PyObject* type, const Producer& producer) {
  if (producer.library != Library::kTorch || producer.table == nullptr) return nullptr;
  const Owned torch(api.PyImport_ImportModule("torch"));
  if (!torch) api.PyErr_Clear();
  const Owned tensor = torch ? Attribute(torch.get(), "Tensor") : Owned();
  const Owned original = tensor ? Attribute(tensor.get(), "__dlpack__") : Owned();
  const Owned method = Attribute(type, "__dlpack__");
  if (!original || original.get() != method.get()) return nullptr;
  // Kept for the life of the process, even if the class loses it.
  return Owned::Borrowed(method.get()).Release();
}

struct Known {
  /** Kept alive, so that no other class gets its address. */
  Owned type;
  Producer producer;
};

}  // namespace

const char* NameOf(Library library) {
  const auto* found = std::ranges::find(kModules, library, &ModulePrefix::library);
  return found == kModules.end() ? "" : found->name.data();
}

Producer ProducerOf(PyObject* object) {
  // Never destroyed: references to Python objects must not be dropped while the process ends.
  static auto& kept = *new std::array<Known, kKept>;
  Owned type = TypeOf(object);
  Known& place = kept[(reinterpret_cast<std::uintptr_t>(type.get()) >> 4) % kKept];
  if (place.type.get() == type.get()) return place.producer;
  Producer producer{TableOf(type.get()), LibraryOfArrays(type.get()), nullptr};
  producer.unordered_dlpack = UnorderedDlpack(type.get(), producer);
  Known found{std::move(type), producer};
  std::swap(place, found);
  return producer;
}

std::string PackageOf(PyObject* object) {
  std::string shown;
  LookAtPackages(TypeOf(object).get(), [&](const std::string& package) {
    const bool of_library = !package.empty() && package != "__main__" && package != "builtins";
    if (of_library) shown = package;
    return of_library;
  });
  return shown;
}

}  // namespace stridelab::python

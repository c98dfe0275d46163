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
  const Owned key(api.PyUnicode_InternFromString(name));
  Owned value(key ? api.PyObject_GetAttr(object, key.get()) : nullptr);
  if (!value) api.PyErr_Clear();
  return value;
}

struct ModulePrefix {
  std::string_view name;
  Library library;
};
constexpr std::array<ModulePrefix, 7> kModules = {{{"torch", Library::kTorch},
                                                   {"jax", Library::kJax},
                                                   {"jaxlib", Library::kJax},
                                                   {"cupy", Library::kCupy},
                                                   {"warp", Library::kWarp},
                                                   {"numba", Library::kNumba},
                                                   {"numba_cuda", Library::kNumba}}};

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

Library LibraryOf(PyObject* type) {
  const std::string first = PackageOfType(type);
  const auto* found = std::find_if(kModules.begin(), kModules.end(),
                                   [&](const ModulePrefix& known) { return known.name == first; });
  return found == kModules.end() ? Library::kOther : found->library;
}

/** Finds the library along the class's MRO: a subclass of torch.Tensor is in its author's module. */
Library LibraryOfArrays(PyObject* type) {
  const Owned order = Attribute(type, "__mro__");
  if (!order || !IsA(order.get(), api.PyTuple_Type)) return LibraryOf(type);
  for (Size index = 0; index < api.PyTuple_Size(order.get()); ++index) {
    const Library library = LibraryOf(api.PyTuple_GetItem(order.get(), index));
    if (library != Library::kOther) return library;
  }
  return Library::kOther;
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

struct Known {
  /** Kept alive, so that no other class gets its address. */
  Owned type;
  Producer producer;
};

}  // namespace

const char* NameOf(Library library) {
  const auto* found = std::find_if(kModules.begin(), kModules.end(),
                                   [&](const ModulePrefix& known) { return known.library == library; });
  return found == kModules.end() ? "" : found->name.data();
}

Producer ProducerOf(PyObject* object) {
  // Never destroyed: references to Python objects must not be dropped while the process ends.
  static auto& kept = *new std::array<Known, kKept>;
  Owned type = TypeOf(object);
  Known& place = kept[(reinterpret_cast<std::uintptr_t>(type.get()) >> 4) % kKept];
  if (place.type.get() == type.get()) return place.producer;
  const Producer producer{TableOf(type.get()), LibraryOfArrays(type.get())};
  Known found{std::move(type), producer};
  std::swap(place, found);
  return producer;
}

std::string PackageOf(PyObject* object) {
  const Owned order = Attribute(TypeOf(object).get(), "__mro__");
  if (!order || !IsA(order.get(), api.PyTuple_Type)) return PackageOfType(TypeOf(object).get());
  for (Size index = 0; index < api.PyTuple_Size(order.get()); ++index) {
    std::string package = PackageOfType(api.PyTuple_GetItem(order.get(), index));
    if (!package.empty() && package != "__main__" && package != "builtins") return package;
  }
  return {};
}

}  // namespace stridelab::python

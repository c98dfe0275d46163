#include "python/producer.h"

#include <array>
#include <cstdint>
#include <utility>

namespace stridelab::python {
namespace {

/** A handful of classes make all arrays of a program; a class that falls out is looked at again. */
constexpr std::size_t kKept = 64;

Owned Attribute(PyObject* object, const char* name) {
  const Owned key(api.PyUnicode_InternFromString(name));
  Owned value(key ? api.PyObject_GetAttr(object, key.get()) : nullptr);
  if (!value) api.PyErr_Clear();
  return value;
}

/** The first part of the name of the module; empty where there is none. */
std::string LibraryOf(PyObject* type) {
  const Owned module = Attribute(type, "__module__");
  const char* name = nullptr;
  if (module && IsA(module.get(), api.PyUnicode_Type))
    name = api.PyUnicode_AsUTF8AndSize(module.get(), nullptr);
  if (name == nullptr) {
    api.PyErr_Clear();
    return "";
  }
  const std::string full = name;
  return full.substr(0, full.find('.'));
}

/** A subclass of torch.Tensor lies in its author's module, and is a tensor all the same. */
std::string LibraryOfArrays(PyObject* type) {
  const Owned order = Attribute(type, "__mro__");
  if (order && IsA(order.get(), api.PyTuple_Type)) {
    for (Size index = 0; index < api.PyTuple_Size(order.get()); ++index) {
      std::string library = LibraryOf(api.PyTuple_GetItem(order.get(), index));
      if (library == "torch") return library;
    }
  }
  return LibraryOf(type);
}

const ExchangeTable* TableOf(PyObject* type) {
  const Owned capsule = Attribute(type, kExchangeAttribute);
  if (!capsule) return nullptr;
  const void* found = api.PyCapsule_GetPointer(capsule.get(), kExchangeCapsule);
  if (found == nullptr) api.PyErr_Clear();  // of another name, or no capsule: not what the protocol means
  const auto* header = static_cast<const ExchangeHeader*>(found);
  while (header != nullptr && header->version.major != DLPACK_MAJOR_VERSION) header = header->previous;
  return reinterpret_cast<const ExchangeTable*>(header);
}

}  // namespace

const Producer& ProducerOf(PyObject* object) {
  // Never destroyed: references to Python objects must not go while the process ends.
  static auto& kept = *new std::array<Producer, kKept>;
  Owned type = TypeOf(object);
  Producer& place = kept[(reinterpret_cast<std::uintptr_t>(type.get()) >> 4) % kKept];
  if (place.type.get() == type.get()) return place;
  PyObject* looked = type.get();
  Producer found{std::move(type), TableOf(looked), LibraryOfArrays(looked)};
  std::swap(place, found);
  return place;
}

}  // namespace stridelab::python

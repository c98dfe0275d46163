#include "python/element_type.h"

#include <mutex>
#include <unordered_map>

#include "python/gil.h"

namespace stridelab::python {
namespace {

// Never destroyed: Python arrays outlive every environment.
struct Remembered {
  std::mutex mutex;
  std::unordered_map<std::uint32_t, std::shared_ptr<const ElementType>> types;
};
Remembered& Types() {
  static Remembered& types = *new Remembered;
  return types;
}

std::uint32_t KeyOf(DLDataType dtype) {
  return std::uint32_t{dtype.code} << 24U | std::uint32_t{dtype.bits} << 16U | dtype.lanes;
}

}  // namespace

ElementType::~ElementType() {
  if (descr != nullptr) DropLater(descr);
}

void RememberElementType(const std::shared_ptr<const ElementType>& element) {
  Remembered& remembered = Types();
  const std::lock_guard lock(remembered.mutex);
  const std::uint32_t key = KeyOf(element->dlpack);
  remembered.types.try_emplace(key, element);
}

std::shared_ptr<const ElementType> ElementTypeOf(DLDataType dtype) {
  Remembered& remembered = Types();
  const std::lock_guard lock(remembered.mutex);
  const auto found = remembered.types.find(KeyOf(dtype));
  return found == remembered.types.end() ? nullptr : found->second;
}

}  // namespace stridelab::python

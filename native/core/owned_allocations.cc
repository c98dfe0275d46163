#include "core/owned_allocations.h"

#include <optional>

#include "core/device.h"

namespace stridelab::core {

OwnedAllocations::~OwnedAllocations() {
  for (const auto& [key, kind] : kinds_) FreeBlock(*key.first, Block{key.second, kind, std::nullopt});
}

void OwnedAllocations::Note(Device& device, std::uint64_t pointer, MemoryKind kind) {
  const std::lock_guard lock(mutex_);
  kinds_.insert_or_assign({&device, pointer}, kind);
}

void OwnedAllocations::Forget(Device& device, std::uint64_t pointer) {
  const std::lock_guard lock(mutex_);
  kinds_.erase({&device, pointer});
}

}  // namespace stridelab::core

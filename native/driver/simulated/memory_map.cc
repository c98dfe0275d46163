#include "driver/simulated/memory_map.h"

#include <cstdlib>

namespace stridelab::driver::simulated {
namespace {

/** What cuMemAlloc guarantees. */
constexpr std::size_t kAlignment = 256;

}  // namespace

const Allocation* MemoryMap::Allocate(std::size_t bytes, Placement placement) {
  const bool counted = placement != Placement::kPinned;
  if (counted && bytes > free()) return nullptr;
  if (bytes > SIZE_MAX - kAlignment) return nullptr;
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = std::aligned_alloc(kAlignment, rounded);
  if (memory == nullptr) return nullptr;
  if (counted) used_ += bytes;
  const CUdeviceptr start = HandleValue(memory);
  const auto [entry, inserted] =
      by_start_.insert_or_assign(start, Allocation{start, bytes, placement, next_id_++});
  return &entry->second;
}

bool MemoryMap::Free(CUdeviceptr start, bool pinned) {
  const auto entry = by_start_.find(start);
  if (entry == by_start_.end() || (entry->second.placement == Placement::kPinned) != pinned) return false;
  if (!pinned) used_ -= entry->second.bytes;
  by_start_.erase(entry);
  std::free(HandleFrom<void*>(start));
  return true;
}

const Allocation* MemoryMap::Find(CUdeviceptr address) const {
  auto after = by_start_.upper_bound(address);
  if (after == by_start_.begin()) return nullptr;
  const Allocation& candidate = std::prev(after)->second;
  return address - candidate.start < candidate.bytes ? &candidate : nullptr;
}

bool MemoryMap::Contains(CUdeviceptr address, std::size_t bytes) const {
  const Allocation* allocation = Find(address);
  return allocation != nullptr && bytes <= allocation->bytes - (address - allocation->start);
}

}  // namespace stridelab::driver::simulated

#include "driver/simulated/memory_map.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

namespace stridelab::driver::simulated {
namespace {

/** What cuMemAlloc guarantees. */
constexpr std::size_t kAlignment = 256;

/** Blocks from two of these on lie on large pages, where the system has them: walks over small pages would
 * take a third of the time of array operations past the cache. */
constexpr std::size_t kLargePage = std::size_t{2} << 20;

/** `bytes` is a multiple of kAlignment. */
void* AllocateMemory(std::size_t bytes) {
  if (bytes < 2 * kLargePage) return std::aligned_alloc(kAlignment, bytes);
  const std::size_t whole = bytes / kLargePage * kLargePage;
  void* memory = std::aligned_alloc(kLargePage, bytes);
#ifdef MADV_HUGEPAGE
  if (memory != nullptr) madvise(memory, whole, MADV_HUGEPAGE);  // only advice: failing changes nothing
#endif
  return memory;
}

}  // namespace

const Allocation* MemoryMap::Allocate(int device, std::size_t bytes, Placement placement) {
  const bool counted = placement != Placement::kPinned;
  if (counted && bytes > free(device)) return nullptr;
  if (bytes > SIZE_MAX - kAlignment) return nullptr;
  const std::size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* memory = AllocateMemory(rounded);
  if (memory == nullptr) return nullptr;
  if (counted) used_[static_cast<std::size_t>(device)] += bytes;
  const CUdeviceptr start = HandleValue(memory);
  const auto [entry, inserted] =
      by_start_.insert_or_assign(start, Allocation{start, bytes, placement, next_id_++, device});
  return &entry->second;
}

std::optional<std::size_t> MemoryMap::Detach(CUdeviceptr start, bool pinned) {
  const auto entry = by_start_.find(start);
  if (entry == by_start_.end() || (entry->second.placement == Placement::kPinned) != pinned)
    return std::nullopt;
  const std::size_t bytes = entry->second.bytes;
  if (!pinned) used_[static_cast<std::size_t>(entry->second.device)] -= bytes;
  by_start_.erase(entry);
  return bytes;
}

void MemoryMap::ReleaseDetached(CUdeviceptr start) { std::free(HandleFrom<void*>(start)); }

bool MemoryMap::Free(CUdeviceptr start, bool pinned) {
  if (!Detach(start, pinned)) return false;
  ReleaseDetached(start);
  return true;
}

const Allocation* MemoryMap::Register(int device, CUdeviceptr start, std::size_t bytes) {
  const Allocation entry{start, bytes, Placement::kRegistered, next_id_++, device};
  return &registered_.emplace(start, entry)->second;
}

bool MemoryMap::Unregister(CUdeviceptr start) {
  const auto [first, last] = registered_.equal_range(start);
  if (first == last) return false;
  // Of several that start here the smallest goes first: those that stay cover the memory of every one.
  registered_.erase(std::min_element(
      first, last, [](const auto& one, const auto& other) { return one.second.bytes < other.second.bytes; }));
  return true;
}

const Allocation* MemoryMap::Find(CUdeviceptr address) const {
  const auto after = by_start_.upper_bound(address);
  if (after != by_start_.begin()) {
    const Allocation& candidate = std::prev(after)->second;
    if (address - candidate.start < candidate.bytes) return &candidate;
  }
  return FindRegistered(address, 1);
}

bool MemoryMap::Contains(CUdeviceptr address, std::size_t bytes) const {
  const Allocation* allocation = Find(address);
  if (allocation == nullptr) return false;
  if (bytes <= allocation->bytes - (address - allocation->start)) return true;
  return allocation->placement == Placement::kRegistered && FindRegistered(address, bytes) != nullptr;
}

const Allocation* MemoryMap::FindRegistered(CUdeviceptr address, std::size_t bytes) const {
  const Allocation* found = nullptr;
  for (auto next = registered_.upper_bound(address); next != registered_.begin();) {
    const Allocation& candidate = (--next)->second;
    const std::uint64_t offset = address - candidate.start;
    if (offset < candidate.bytes && bytes <= candidate.bytes - offset) {
      if (found == nullptr || candidate.bytes < found->bytes) found = &candidate;
      if (offset == 0) break;
    }
  }
  return found;
}

}  // namespace stridelab::driver::simulated

#include "driver/simulated/memory_map.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "ipc/memory_file.h"

namespace stridelab::driver::simulated {
namespace {

/** A page, which is more than cuMemAlloc guarantees: memory that shares no page with other allocations can be
 * shared with another process. */
constexpr std::size_t kAlignment = ipc::kPageBytes;

/** Larger allocations are not cached: they are rare, and new pages cost little compared with their use. */
constexpr std::size_t kLargestKept = std::size_t{1} << 20;
#ifdef __SANITIZE_ADDRESS__
/** Nothing is cached, so that the sanitizer detects each use of freed memory. */
constexpr std::size_t kMostKept = 0;
#else
constexpr std::size_t kMostKept = std::size_t{64} << 20;
#endif

/** Blocks of at least two of these use large pages if the system has them: with small pages, page walks take
 * a third of the time of array operations that exceed the cache. */
constexpr std::size_t kLargePage = std::size_t{2} << 20;

/** Uses posix_memalign, because aligned_alloc requires a size that is a multiple of the alignment. */
void* AllocateMemory(std::size_t bytes) {
  const bool large = bytes >= 2 * kLargePage;
  void* memory = nullptr;
  if (posix_memalign(&memory, large ? kLargePage : kAlignment, bytes) != 0) return nullptr;
#ifdef MADV_HUGEPAGE
  // Only a hint: failure does not matter.
  if (large) madvise(memory, bytes / kLargePage * kLargePage, MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace

void* MemoryMap::TakePages(std::size_t bytes) {
  const auto kept = kept_pages_.find(bytes);
  if (kept == kept_pages_.end() || kept->second.empty()) return AllocateMemory(bytes);
  void* start = kept->second.back();
  kept->second.pop_back();
  kept_bytes_ -= bytes;
  return start;
}

void MemoryMap::GiveBackPages(void* start, std::size_t bytes) {
  if (bytes > kLargestKept || bytes > kMostKept) {
    std::free(start);
    return;
  }
  // Free all cached pages, so that sizes no longer in use do not fill the cache.
  if (kept_bytes_ + bytes > kMostKept) FreeKeptPages();
  kept_pages_[bytes].push_back(start);
  kept_bytes_ += bytes;
}

void MemoryMap::FreeKeptPages() {
  for (const auto& [bytes, starts] : kept_pages_) {
    for (void* start : starts) std::free(start);
  }
  kept_pages_.clear();
  kept_bytes_ = 0;
}

const Allocation* MemoryMap::Allocate(int device, std::size_t bytes, Placement placement, Origin origin) {
  const bool counted = placement != Placement::kPinned;
  if (counted && bytes > free(device)) return nullptr;
  if (bytes > SIZE_MAX - kAlignment) return nullptr;
  void* memory = TakePages(ipc::RoundedToPages(bytes));
  if (memory == nullptr) return nullptr;
  if (counted) used_[static_cast<std::size_t>(device)] += bytes;
  const CUdeviceptr start = HandleValue(memory);
  const auto [entry, inserted] =
      by_start_.insert_or_assign(start, Allocation{start, bytes, placement, next_id_++, device, origin});
  return &entry->second;
}

void MemoryMap::Insert(int device, CUdeviceptr start, std::size_t bytes, Origin origin) {
  by_start_.insert_or_assign(start, Allocation{start, bytes, Placement::kDevice, next_id_++, device, origin});
}

bool MemoryMap::Remove(CUdeviceptr start, Origin origin) {
  const auto entry = by_start_.find(start);
  if (entry == by_start_.end() || entry->second.origin != origin) return false;
  by_start_.erase(entry);
  return true;
}

bool MemoryMap::Count(int device, std::size_t bytes) {
  if (bytes > free(device)) return false;
  used_[static_cast<std::size_t>(device)] += bytes;
  return true;
}

void MemoryMap::Uncount(int device, std::size_t bytes) { used_[static_cast<std::size_t>(device)] -= bytes; }

int MemoryMap::FileOf(CUdeviceptr start) {
  const auto entry = by_start_.find(start);
  if (entry == by_start_.end()) return -1;
  Allocation& allocation = entry->second;
  if (allocation.file < 0)
    allocation.file = ipc::MoveToFile(HandleFrom<void*>(start), ipc::RoundedToPages(allocation.bytes));
  return allocation.file;
}

std::optional<MemoryMap::Detached> MemoryMap::Detach(CUdeviceptr start, bool pinned) {
  const auto entry = by_start_.find(start);
  if (entry == by_start_.end() || (entry->second.placement == Placement::kPinned) != pinned)
    return std::nullopt;
  const Allocation& allocation = entry->second;
  if (allocation.origin != Origin::kAllocated && allocation.origin != Origin::kPool) return std::nullopt;
  if (!pinned) Uncount(allocation.device, allocation.bytes);
  const Detached detached{start, allocation.bytes, allocation.file};
  by_start_.erase(entry);
  return detached;
}

void MemoryMap::Release(const Detached& memory) {
  void* start = HandleFrom<void*>(memory.start);
  const std::size_t rounded = ipc::RoundedToPages(memory.bytes);
  // Do not reuse pages that are still mapped to a file: other processes may write to them.
  if (memory.file < 0 || ipc::MoveOutOfFile(start, rounded, memory.file)) GiveBackPages(start, rounded);
}

bool MemoryMap::Free(CUdeviceptr start, bool pinned) {
  const auto detached = Detach(start, pinned);
  if (!detached) return false;
  Release(*detached);
  return true;
}

const Allocation* MemoryMap::Register(int device, CUdeviceptr start, std::size_t bytes) {
  const Allocation entry{start, bytes, Placement::kRegistered, next_id_++, device};
  return &registered_.emplace(start, entry)->second;
}

bool MemoryMap::Unregister(CUdeviceptr start) {
  const auto [first, last] = registered_.equal_range(start);
  if (first == last) return false;
  // If several registrations start here, remove the smallest: the others still cover its memory.
  registered_.erase(std::min_element(
      first, last, [](const auto& one, const auto& other) { return one.second.bytes < other.second.bytes; }));
  return true;
}

std::size_t MemoryMap::UsedBy(int device, Origin origin) const {
  std::size_t bytes = 0;
  for (const auto& [start, allocation] : by_start_) {
    if (allocation.device == device && allocation.origin == origin) bytes += allocation.bytes;
  }
  return bytes;
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

#include "driver/simulated/memory_map.h"

#include <algorithm>
#include <cstdlib>

#include "ipc/memory_file.h"

namespace stridelab::driver::simulated {
namespace {

/** A page, more than cuMemAlloc guarantees: memory that shares no page with other memory can be handed to
 * another process. */
constexpr std::size_t kAlignment = ipc::kPageBytes;

constexpr std::size_t RoundedToPages(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/** Larger allocations are rare, and zeroed by the system faster than they are used. */
constexpr std::size_t kLargestKept = std::size_t{1} << 20;
#ifdef __SANITIZE_ADDRESS__
/** None, so that the sanitizer sees each use of freed memory. */
constexpr std::size_t kMostKept = 0;
#else
constexpr std::size_t kMostKept = std::size_t{64} << 20;
#endif

}  // namespace

void* MemoryMap::TakePages(std::size_t bytes) {
  const auto kept = kept_pages_.find(bytes);
  if (kept == kept_pages_.end() || kept->second.empty()) return std::aligned_alloc(kAlignment, bytes);
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
  // Sizes that nobody asks for any more must not take the place of those in use.
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

const Allocation* MemoryMap::Allocate(std::size_t bytes, Placement placement, Origin origin) {
  const bool counted = placement != Placement::kPinned;
  if (counted && bytes > free()) return nullptr;
  if (bytes > SIZE_MAX - kAlignment) return nullptr;
  void* memory = TakePages(RoundedToPages(bytes));
  if (memory == nullptr) return nullptr;
  if (counted) used_ += bytes;
  const CUdeviceptr start = HandleValue(memory);
  const auto [entry, inserted] =
      by_start_.insert_or_assign(start, Allocation{start, bytes, placement, next_id_++, origin});
  return &entry->second;
}

void MemoryMap::Insert(CUdeviceptr start, std::size_t bytes, Origin origin) {
  by_start_.insert_or_assign(start, Allocation{start, bytes, Placement::kDevice, next_id_++, origin});
}

bool MemoryMap::Remove(CUdeviceptr start, Origin origin) {
  const auto entry = by_start_.find(start);
  if (entry == by_start_.end() || entry->second.origin != origin) return false;
  by_start_.erase(entry);
  return true;
}

bool MemoryMap::Count(std::size_t bytes) {
  if (bytes > free()) return false;
  used_ += bytes;
  return true;
}

int MemoryMap::FileOf(CUdeviceptr start) {
  const auto entry = by_start_.find(start);
  if (entry == by_start_.end()) return -1;
  Allocation& allocation = entry->second;
  if (allocation.file < 0)
    allocation.file = ipc::MoveToFile(HandleFrom<void*>(start), RoundedToPages(allocation.bytes));
  return allocation.file;
}

bool MemoryMap::Free(CUdeviceptr start, bool pinned) {
  const auto entry = by_start_.find(start);
  if (entry == by_start_.end() || (entry->second.placement == Placement::kPinned) != pinned) return false;
  const Allocation& allocation = entry->second;
  if (allocation.origin != Origin::kAllocated && allocation.origin != Origin::kPool) return false;
  if (!pinned) used_ -= allocation.bytes;
  const std::size_t rounded = RoundedToPages(allocation.bytes);
  const int file = allocation.file;
  by_start_.erase(entry);
  // Pages that stay those of a file, which others may write, must not come to anybody else.
  if (file < 0 || ipc::MoveOutOfFile(HandleFrom<void*>(start), rounded, file))
    GiveBackPages(HandleFrom<void*>(start), rounded);
  return true;
}

const Allocation* MemoryMap::Register(CUdeviceptr start, std::size_t bytes) {
  return &registered_.emplace(start, Allocation{start, bytes, Placement::kRegistered, next_id_++})->second;
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

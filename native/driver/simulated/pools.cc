#include "driver/simulated/pools.h"

namespace stridelab::driver::simulated {
namespace {

constexpr std::uint64_t kHandleStep = 0x10;

std::size_t RoundedToPages(std::size_t bytes) {
  return (bytes + ipc::kPageBytes - 1) / ipc::kPageBytes * ipc::kPageBytes;
}

}  // namespace

std::uint64_t Pools::Create(const MemoryMap& memory) {
  Pool pool;
  pool.bytes = RoundedToPages(memory.total());
  pool.file = ipc::MakeMemoryFile(pool.bytes);
  pool.start = pool.file.open() ? ipc::MapFile(pool.file.descriptor(), 0, pool.bytes) : nullptr;
  if (pool.start == nullptr) return 0;
  const std::uint64_t handle = next_;
  next_ += kHandleStep;
  pools_.emplace(handle, std::move(pool));
  return handle;
}

std::uint64_t Pools::Import(int descriptor) {
  Pool pool;
  pool.bytes = ipc::SizeOf(descriptor);
  pool.file = ipc::Duplicate(descriptor);
  if (!pool.file.open() || pool.bytes == 0) return 0;
  const std::uint64_t handle = next_;
  next_ += kHandleStep;
  pools_.emplace(handle, std::move(pool));
  return handle;
}

bool Pools::Destroy(std::uint64_t handle) {
  const auto entry = pools_.find(handle);
  if (entry == pools_.end() || !entry->second.parts.empty()) return false;
  if (entry->second.start != nullptr) ipc::Unmap(entry->second.start, entry->second.bytes);
  pools_.erase(entry);
  return true;
}

int Pools::Export(std::uint64_t handle) const {
  const auto entry = pools_.find(handle);
  if (entry == pools_.end() || entry->second.start == nullptr) return -1;
  return ipc::Duplicate(entry->second.file.descriptor()).Release();
}

CUdeviceptr Pools::Allocate(MemoryMap& memory, std::uint64_t handle, std::size_t bytes) {
  const auto entry = pools_.find(handle);
  if (entry == pools_.end() || entry->second.start == nullptr || bytes > memory.free()) return 0;
  Pool& pool = entry->second;
  const std::size_t rounded = RoundedToPages(bytes);
  std::uint64_t offset = 0;
  for (const auto& [start, used] : pool.parts) {
    if (start - offset >= rounded) break;
    offset = start + used;
  }
  if (rounded > pool.bytes - offset || !memory.Count(bytes)) return 0;
  pool.parts.emplace(offset, rounded);
  const CUdeviceptr pointer = HandleValue(pool.start) + offset;
  memory.Insert(pointer, bytes, Origin::kSharedPool);
  return pointer;
}

bool Pools::Free(MemoryMap& memory, CUdeviceptr pointer) {
  for (auto& [handle, pool] : pools_) {
    const std::uint64_t base = HandleValue(pool.start);
    const bool imported = pool.start == nullptr;
    const auto part = pool.parts.find(pointer - base);
    if (part == pool.parts.end()) continue;
    if (imported) {
      memory.Remove(pointer, Origin::kImported);
      ipc::Unmap(HandleFrom<void*>(pointer), part->second);
    } else {
      memory.Uncount(memory.Find(pointer)->bytes);
      memory.Remove(pointer, Origin::kSharedPool);
      ipc::Discard(pool.file.descriptor(), part->first, part->second);
    }
    pool.parts.erase(part);
    return true;
  }
  return false;
}

std::optional<Pools::Part> Pools::Find(CUdeviceptr pointer) const {
  for (const auto& [handle, pool] : pools_) {
    if (pool.start == nullptr) continue;
    const auto part = pool.parts.find(pointer - HandleValue(pool.start));
    if (part != pool.parts.end()) return Part{part->first, part->second};
  }
  return std::nullopt;
}

CUdeviceptr Pools::Map(MemoryMap& memory, std::uint64_t handle, const Part& part) {
  const auto entry = pools_.find(handle);
  if (entry == pools_.end() || entry->second.start != nullptr || part.bytes == 0) return 0;
  Pool& pool = entry->second;
  if (part.offset > pool.bytes || part.bytes > pool.bytes - part.offset || part.offset % ipc::kPageBytes != 0)
    return 0;
  void* start = ipc::MapFile(pool.file.descriptor(), part.offset, part.bytes);
  if (start == nullptr) return 0;
  pool.parts.emplace(HandleValue(start), part.bytes);
  memory.Insert(HandleValue(start), part.bytes, Origin::kImported);
  return HandleValue(start);
}

}  // namespace stridelab::driver::simulated

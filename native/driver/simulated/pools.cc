#include "driver/simulated/pools.h"

namespace stridelab::driver::simulated {

std::uint64_t Pools::Create(const MemoryMap& memory, int device) {
  Pool pool;
  pool.device = device;
  pool.bytes = ipc::RoundedToPages(memory.total());
  pool.file = ipc::MakeMemoryFile(pool.bytes);
  pool.start = pool.file.open() ? ipc::MapFile(pool.file.descriptor(), 0, pool.bytes) : nullptr;
  if (pool.start == nullptr) return 0;
  return pools_.Add(std::move(pool));
}

std::uint64_t Pools::Import(int device, int descriptor) {
  Pool pool;
  pool.device = device;
  pool.bytes = ipc::SizeOf(descriptor);
  pool.file = ipc::Duplicate(descriptor);
  if (!pool.file.open() || pool.bytes == 0) return 0;
  return pools_.Add(std::move(pool));
}

bool Pools::Destroy(std::uint64_t handle) {
  const Pool* pool = pools_.Find(handle);
  if (pool == nullptr || !pool->parts.empty()) return false;
  if (pool->start != nullptr) ipc::Unmap(pool->start, pool->bytes);
  return pools_.Erase(handle);
}

int Pools::Export(std::uint64_t handle) {
  const Pool* pool = pools_.Find(handle);
  if (pool == nullptr || pool->start == nullptr) return -1;
  return ipc::Duplicate(pool->file.descriptor()).Release();
}

std::size_t Pools::Used(std::uint64_t handle) {
  std::size_t bytes = 0;
  const Pool* pool = pools_.Find(handle);
  if (pool == nullptr) return bytes;
  for (const auto& [offset, part] : pool->parts) bytes += part;
  return bytes;
}

CUdeviceptr Pools::Allocate(MemoryMap& memory, std::uint64_t handle, std::size_t bytes) {
  Pool* found = pools_.Find(handle);
  if (found == nullptr || found->start == nullptr) return 0;
  Pool& pool = *found;
  if (bytes > memory.free(pool.device)) return 0;
  const std::size_t rounded = ipc::RoundedToPages(bytes);
  std::uint64_t offset = 0;
  for (const auto& [start, used] : pool.parts) {
    if (start - offset >= rounded) break;
    offset = start + used;
  }
  if (rounded > pool.bytes - offset || !memory.Count(pool.device, bytes)) return 0;
  pool.parts.emplace(offset, rounded);
  const CUdeviceptr pointer = HandleValue(pool.start) + offset;
  memory.Insert(pool.device, pointer, bytes, Origin::kSharedPool);
  return pointer;
}

std::optional<Pools::Detached> Pools::Detach(MemoryMap& memory, CUdeviceptr pointer) {
  for (const auto& [handle, pool] : pools_) {
    if (!pool.parts.contains(pointer - HandleValue(pool.start))) continue;
    const bool imported = pool.start == nullptr;
    const Allocation* allocation = memory.Find(pointer);
    const std::size_t bytes = allocation == nullptr ? 0 : allocation->bytes;
    if (!memory.Remove(pointer, imported ? Origin::kImported : Origin::kSharedPool)) return std::nullopt;
    if (!imported) memory.Uncount(pool.device, bytes);
    return Detached{handle, pointer, bytes, imported};
  }
  return std::nullopt;
}

void Pools::Release(const Detached& memory) {
  Pool& pool = *pools_.Find(memory.pool);
  const auto part = pool.parts.find(memory.pointer - HandleValue(pool.start));
  if (memory.imported) {
    ipc::Unmap(HandleFrom<void*>(memory.pointer), part->second);
  } else {
    ipc::Discard(pool.file.descriptor(), part->first, part->second);
  }
  pool.parts.erase(part);
}

bool Pools::Free(MemoryMap& memory, CUdeviceptr pointer) {
  const auto detached = Detach(memory, pointer);
  if (detached) Release(*detached);
  return detached.has_value();
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
  Pool* found = pools_.Find(handle);
  if (found == nullptr || found->start != nullptr || part.bytes == 0) return 0;
  Pool& pool = *found;
  if (part.offset > pool.bytes || part.bytes > pool.bytes - part.offset || part.offset % ipc::kPageBytes != 0)
    return 0;
  void* start = ipc::MapFile(pool.file.descriptor(), part.offset, part.bytes);
  if (start == nullptr) return 0;
  pool.parts.emplace(HandleValue(start), part.bytes);
  memory.Insert(pool.device, HandleValue(start), part.bytes, Origin::kImported);
  return HandleValue(start);
}

}  // namespace stridelab::driver::simulated

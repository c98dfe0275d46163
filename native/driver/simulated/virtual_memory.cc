#include "driver/simulated/virtual_memory.h"

namespace stridelab::driver::simulated {

std::uint64_t VirtualMemory::Create(MemoryMap& memory, int device, std::size_t bytes) {
  auto physical = std::make_shared<Physical>();
  physical->device = device;
  physical->file = ipc::MakeMemoryFile(bytes);
  if (!physical->file.open() || !memory.Count(device, bytes)) return 0;
  physical->bytes = bytes;
  physical->counted = &memory;
  return handles_.Add(std::move(physical));
}

std::uint64_t VirtualMemory::Import(int device, int descriptor) {
  auto physical = std::make_shared<Physical>();
  physical->device = device;
  physical->file = ipc::Duplicate(descriptor);
  physical->bytes = ipc::SizeOf(descriptor);
  return physical->file.open() && physical->bytes > 0 ? handles_.Add(std::move(physical)) : 0;
}

int VirtualMemory::Export(std::uint64_t handle) {
  const auto* physical = handles_.Find(handle);
  return physical == nullptr ? -1 : ipc::Duplicate((*physical)->file.descriptor()).Release();
}

CUdeviceptr VirtualMemory::Reserve(std::size_t bytes) {
  void* start = ipc::ReserveAddresses(bytes);
  if (start != nullptr) reserved_.emplace(HandleValue(start), bytes);
  return HandleValue(start);
}

bool VirtualMemory::FreeAddresses(CUdeviceptr start, std::size_t bytes) {
  const auto entry = reserved_.find(start);
  if (entry == reserved_.end() || entry->second != bytes) return false;
  const auto mapped = mappings_.lower_bound(start);
  if (mapped != mappings_.end() && mapped->first < start + bytes) return false;
  ipc::Unmap(HandleFrom<void*>(start), bytes);
  reserved_.erase(entry);
  return true;
}

bool VirtualMemory::Map(MemoryMap& memory, CUdeviceptr start, std::size_t bytes, std::uint64_t handle) {
  const auto* known = handles_.Find(handle);
  auto space = reserved_.upper_bound(start);
  if (known == nullptr || space == reserved_.begin()) return false;
  --space;
  const std::shared_ptr<Physical>& physical = *known;
  const std::uint64_t offset = start - space->first;
  if (offset > space->second || bytes > space->second - offset || bytes != physical->bytes) return false;
  if (mappings_.contains(start)) return false;
  if (ipc::MapFile(physical->file.descriptor(), 0, bytes, HandleFrom<void*>(start)) == nullptr) return false;
  mappings_.emplace(start, Mapping{bytes, physical});
  memory.Insert(physical->device, start, bytes, Origin::kVirtual);
  return true;
}

bool VirtualMemory::Unmap(MemoryMap& memory, CUdeviceptr start, std::size_t bytes) {
  const auto entry = mappings_.find(start);
  if (entry == mappings_.end() || entry->second.bytes != bytes) return false;
  memory.Remove(start, Origin::kVirtual);
  ipc::ReserveAddresses(bytes, HandleFrom<void*>(start));
  mappings_.erase(entry);
  return true;
}

bool VirtualMemory::IsMapped(CUdeviceptr start, std::size_t bytes) const {
  const auto entry = mappings_.find(start);
  return entry != mappings_.end() && entry->second.bytes == bytes;
}

}  // namespace stridelab::driver::simulated

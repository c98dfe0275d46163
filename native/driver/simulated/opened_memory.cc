#include "driver/simulated/opened_memory.h"

namespace stridelab::driver::simulated {

bool OpenedMemory::Open(MemoryMap& memory, int device, const ipc::FileName& name, CUdeviceptr* pointer) {
  for (auto& [start, entry] : entries_) {
    if (entry.inode != name.inode) continue;
    ++entry.references;
    *pointer = start;
    return true;
  }
  const ipc::File file = ipc::OpenByName(name);
  void* start = file.open() ? ipc::MapFile(file.descriptor(), 0, name.bytes) : nullptr;
  if (start == nullptr) return false;
  *pointer = HandleValue(start);
  entries_.emplace(*pointer, Entry{name.inode, name.bytes, 1});
  memory.Insert(device, *pointer, name.bytes, Origin::kImported);
  return true;
}

bool OpenedMemory::Close(MemoryMap& memory, CUdeviceptr pointer) {
  const auto entry = entries_.find(pointer);
  if (entry == entries_.end()) return false;
  if (--entry->second.references > 0) return true;
  memory.Remove(pointer, Origin::kImported);
  ipc::Unmap(HandleFrom<void*>(pointer), entry->second.bytes);
  entries_.erase(entry);
  return true;
}

}  // namespace stridelab::driver::simulated

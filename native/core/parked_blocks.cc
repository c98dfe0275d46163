#include "core/parked_blocks.h"

#include <algorithm>

#include "core/device.h"
#include "core/wait.h"

namespace stridelab::core {

void FreeBlock(Device& device, std::uint64_t pointer, MemoryKind kind) noexcept {
  try {
    const ContextScope scope = device.Enter();
    if (kind == MemoryKind::kPinned) {
      device.table().cuMemFreeHost(driver::HandleFrom<void*>(pointer));
    } else {
      device.table().cuMemFree(pointer);
    }
  } catch (const std::exception&) {
    return;
  }
}

void ParkedBlocks::Park(std::uint64_t pointer, MemoryKind kind, std::vector<WorkMark> uses) {
  const std::lock_guard lock(mutex_);
  blocks_.push_back(Block{pointer, kind, std::move(uses)});
}

void ParkedBlocks::FreeFinished() {
  const std::lock_guard lock(mutex_);
  while (!blocks_.empty()) {
    Block& oldest = blocks_.front();
    const bool done =
        std::all_of(oldest.uses.begin(), oldest.uses.end(), [](const WorkMark& use) { return use->Query(); });
    if (!done) return;
    FreeBlock(device_, oldest.pointer, oldest.kind);
    blocks_.pop_front();
  }
}

bool ParkedBlocks::WaitAndFreeAll() {
  const std::lock_guard lock(mutex_);
  if (blocks_.empty()) return false;
  for (; !blocks_.empty(); blocks_.pop_front()) {
    for (const WorkMark& use : blocks_.front().uses) use->Synchronize(InterruptFlag());
    FreeBlock(device_, blocks_.front().pointer, blocks_.front().kind);
  }
  return true;
}

}  // namespace stridelab::core

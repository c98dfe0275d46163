#include "core/parked_blocks.h"

#include <algorithm>
#include <utility>

#include "core/device.h"
#include "core/exit.h"
#include "core/reaper.h"
#include "core/wait.h"

namespace stridelab::core {

void FreeBlock(Device& device, Block block) noexcept {
  if (block.release) {
    RunRelease(std::move(*block.release));
    return;
  }
  if (ProcessIsExiting()) return;
  try {
    const ContextScope scope = device.Enter();
    if (block.kind == MemoryKind::kPinned) {
      device.table().cuMemFreeHost(driver::HandleFrom<void*>(block.pointer));
    } else {
      device.table().cuMemFree(block.pointer);
    }
  } catch (const std::exception&) {
    return;
  }
}

void ParkedBlocks::Park(Block block, std::vector<WorkMark> uses) {
  const bool adopted = block.release.has_value();
  {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(Parked{std::move(block), std::move(uses)});
    if (adopted) ++adopted_;
  }
  if (adopted && !device_.table().virtual_time) Reaper::Watch(device_);
}

void ParkedBlocks::FreeFinished(int patience) {
  std::vector<Parked> finished;
  {
    const std::lock_guard lock(mutex_);
    const auto done = [](const WorkMark& use) { return use->Query(); };
    for (auto next = blocks_.begin(); next != blocks_.end() && patience >= 0;) {
      if (!std::all_of(next->uses.begin(), next->uses.end(), done)) {
        --patience;
        ++next;
        continue;
      }
      if (next->block.release) --adopted_;
      finished.push_back(std::move(*next));
      next = blocks_.erase(next);
    }
  }
  for (Parked& parked : finished) FreeBlock(device_, std::move(parked.block));
}

bool ParkedBlocks::WaitAndFreeAll() {
  std::deque<Parked> all;
  {
    const std::lock_guard lock(mutex_);
    all.swap(blocks_);
    adopted_ = 0;
  }
  if (all.empty()) return false;
  for (Parked& parked : all) {
    for (const WorkMark& use : parked.uses) use->Synchronize(InterruptFlag());
    FreeBlock(device_, std::move(parked.block));
  }
  return true;
}

}  // namespace stridelab::core

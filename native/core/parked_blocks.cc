#include "core/parked_blocks.h"

#include <algorithm>
#include <utility>

#include "core/device.h"
#include "core/reaper.h"
#include "core/wait.h"

namespace stridelab::core {

void FreeBlock(Device& device, Block block) noexcept {
  if (block.release) {
    RunRelease(std::move(*block.release));
    return;
  }
  if (block.kind == MemoryKind::kPinned) {
    device.Dispose<&DriverTable::cuMemFreeHost>(driver::HandleFrom<void*>(block.pointer));
  } else {
    device.Dispose<&DriverTable::cuMemFree>(block.pointer);
  }
}

namespace {

/** True if the work is done, or its device lost: nothing runs there, and owners still need their release. */
bool IsDone(const WorkMark& use) noexcept {
  try {
    return use->Query();
  } catch (const std::exception&) {
    return true;
  }
}

void WaitUntilDone(const WorkMark& use) noexcept {
  try {
    use->Synchronize(InterruptFlag());
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace

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
    for (auto next = blocks_.begin(); next != blocks_.end() && patience >= 0;) {
      if (!std::all_of(next->uses.begin(), next->uses.end(), IsDone)) {
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
    for (const WorkMark& use : parked.uses) WaitUntilDone(use);
    FreeBlock(device_, std::move(parked.block));
  }
  return true;
}

}  // namespace stridelab::core

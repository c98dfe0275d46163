#include "kernels/shadow.h"

namespace stridelab::kernels {

void Clock::Start(std::uint64_t first, std::size_t blocks) {
  first_ = first;
  block_.assign(blocks, 0);
  warp_.assign(blocks * warps_, 0);
}

bool Clock::Before(const Mark& mark, std::uint64_t thread) const {
  if (mark.thread == thread || mark.clock <= grid_) return true;
  const std::uint64_t block = BlockOf(thread);
  if (BlockOf(mark.thread) != block) return false;
  if (mark.clock <= block_[block - first_]) return true;
  const std::size_t warp = thread % threads_ / 32;
  return mark.thread % threads_ / 32 == warp && mark.clock <= warp_[(block - first_) * warps_ + warp];
}

Shadow::Shadow(std::uint64_t start, std::size_t bytes, std::size_t granule)
    : start_(start), granule_(granule), pages_(bytes / granule / kPage + 2) {}

Shadow::Cell& Shadow::At(std::size_t number) {
  auto& page = pages_[number / kPage];
  if (page == nullptr) page = std::make_unique<std::array<Cell, kPage>>();
  return (*page)[number % kPage];
}

std::optional<Mark> Shadow::Touch(std::uint64_t address, std::size_t bytes, AccessKind kind, const Mark& mark,
                                  const Clock& clock) {
  std::optional<Mark> found;
  const std::size_t last = (address - start_ + bytes - 1) / granule_;
  for (std::size_t number = (address - start_) / granule_; number <= last; ++number) {
    const std::optional<Mark> race = TouchCell(At(number), kind, mark, clock);
    if (!found) found = race;
  }
  return found;
}

std::optional<Mark> Shadow::TouchCell(Cell& cell, AccessKind kind, const Mark& mark, const Clock& clock) {
  const auto races = [&](const Mark& earlier) {
    return earlier.clock != 0 && !clock.Before(earlier, mark.thread);
  };
  std::optional<Mark> found;
  if (races(cell.write)) found = cell.write;
  if (kind != AccessKind::kRead) cell.written = true;
  if (kind == AccessKind::kWrite) {
    for (const Mark& read : cell.reads) {
      if (!found && races(read)) found = read;
    }
    // What races with an earlier access of this block, ordered before this write, races with this write too.
    cell.write = mark;
    cell.reads = {};
    return found;
  }
  auto& [latest, other, foreign] = cell.reads;
  if (latest.clock != 0 && latest.thread != mark.thread) {
    if (clock.BlockOf(latest.thread) != clock.BlockOf(mark.thread)) foreign = latest;
    other = latest;
  }
  latest = mark;
  return found;
}

bool Shadow::Untouched(std::uint64_t address) { return !At((address - start_) / granule_).written; }

void Shadow::Clear() {
  for (auto& page : pages_) {
    if (page != nullptr) page->fill({});
  }
}

}  // namespace stridelab::kernels

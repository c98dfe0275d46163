#include "compute/tree.h"

#include <algorithm>
#include <cstring>

namespace stridelab::compute {
namespace {

constexpr std::size_t kFolded = 16 * kLanes;

/** Folds a block into fewer elements at `scratch`. Returns their count. */
std::size_t FoldBlock(const Combiner& combiner, const std::byte* block, std::size_t count,
                      std::byte* scratch) {
  const std::size_t size = combiner.size;
  std::size_t left = 0;
  while (count >= kLanes) {
    const std::size_t part = std::min(count / kLanes * kLanes, kFolded);
    combiner.fold(block, nullptr, nullptr, scratch + left * size, part);
    block += part * size;
    count -= part;
    left += kLanes;
  }
  std::memcpy(scratch + left * size, block, count * size);
  return left + count;
}

}  // namespace

void CombineBlock(const Combiner& combiner, const std::byte* block, std::size_t count, std::byte* scratch) {
  const std::size_t size = combiner.size;
  if (combiner.fold != nullptr && count >= 2 * kLanes) {
    count = FoldBlock(combiner, block, count, scratch);
    block = scratch;
  }
  while (count > 1) {
    const std::size_t half = count / 2;
    combiner.kernel(block, block + half * size, nullptr, scratch, half);
    if (count % 2 != 0) std::memmove(scratch + half * size, block + (count - 1) * size, size);
    count = half + count % 2;
    block = scratch;
  }
  if (block != scratch) std::memcpy(scratch, block, size);
}

}  // namespace stridelab::compute

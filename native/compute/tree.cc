#include "compute/tree.h"

#include <cstring>

namespace stridelab::compute {

void CombineBlock(const Combiner& combiner, const std::byte* block, std::size_t count, std::byte* scratch) {
  const std::size_t size = combiner.size;
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

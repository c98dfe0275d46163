// Gathering elements by their number along an axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compute/layout.h"

namespace stridelab::compute {

/**
 * out[..., i, ...] = in[..., index[i], ...], i along `axis`. `shape` is that of `out`, without zeros; `in`
 * has `length` elements along the axis. Negative numbers count from the end. One outside -length to length -
 * 1 is taken modulo `length` where `wrap`, else its elements become zeros and it is counted.
 */
struct Take {
  std::vector<std::int64_t> shape;
  std::size_t axis;
  std::int64_t length;
  bool wrap;
  Operand out;
  /** Its stride along the axis is that of the elements that the index numbers. */
  Operand in;
  const std::byte* index;
  std::int64_t index_stride;
  /** Bytes of one index: 4 or 8. */
  std::size_t index_size;

  void Run() const;
};

/** How many numbers were outside since the last call, in the whole process. */
std::uint64_t TakeInvalidIndices();

}  // namespace stridelab::compute

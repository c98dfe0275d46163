// Gathering elements by their index along an axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compute/layout.h"

namespace stridelab::compute {

/**
 * Computes out[..., i, ...] = in[..., index[i], ...], i along `axis`. `shape` is that of `out`, without
 * zeros; `in` has `length` elements along the axis. Negative indices count from the end. With `wrap` an index
 * is taken modulo `length`; otherwise one outside -length to length - 1 gives zeros and is counted.
 */
struct Take {
  std::vector<std::int64_t> shape;
  std::size_t axis;
  std::int64_t length;
  bool wrap;
  Operand out;
  /** Its stride along the axis is that of the elements that the index selects from. */
  Operand in;
  const std::byte* index;
  std::int64_t index_stride;
  /** Bytes per index: 4 or 8. */
  std::size_t index_size;

  void Run() const;

 private:
  /** The axes beside `axis`, the one with the largest stride of `out` first, and their strides in both. */
  struct Others {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> to;
    std::vector<std::int64_t> from;
  };
  Others FindOthers() const;
  /** Reads positions from number `first` on, as indices of `in`; -1 for those out of range. */
  void FindPlaces(std::size_t first, std::span<std::int64_t> places) const;
  /** Copies the elements of some positions. */
  void Copy(const Others& others, std::size_t first, std::span<const std::int64_t> places) const;
};

/** Returns the number of out-of-range indices in the whole process, and resets it. */
std::uint64_t TakeInvalidIndices();

}  // namespace stridelab::compute

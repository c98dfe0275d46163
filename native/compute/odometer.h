// Iteration over all indices of some axes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stridelab::compute {

/**
 * Calls `visit` with the byte offset of each of `kOperands` operands, for all indices of `shape` (without
 * zeros), the last axis fastest; once if there are no axes. `strides` are those of each operand.
 */
template <std::size_t kOperands, typename Visit>
void Walk(std::span<const std::int64_t> shape,
          const std::array<std::span<const std::int64_t>, kOperands>& strides, Visit visit) {
  std::array<std::int64_t, 64> index{};
  std::array<std::ptrdiff_t, kOperands> at{};
  while (true) {
    visit(at);
    std::size_t axis = shape.size();
    while (axis > 0) {
      --axis;
      for (std::size_t operand = 0; operand < kOperands; ++operand) at[operand] += strides[operand][axis];
      if (++index[axis] < shape[axis]) break;
      for (std::size_t operand = 0; operand < kOperands; ++operand)
        at[operand] -= strides[operand][axis] * shape[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (shape.empty()) return;
  }
}

}  // namespace stridelab::compute

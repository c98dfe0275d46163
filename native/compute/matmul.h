// Matrix products.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "compute/types.h"

namespace stridelab::compute {

/** A stack of matrices: byte strides of the batch axes, the rows and the columns. */
struct Matrices {
  std::byte* first;
  std::vector<std::int64_t> batch;
  std::int64_t row;
  std::int64_t column;
};

/**
 * Computes out (m by n) = a (m by k) times b (k by n) for each index of the batch axes; `out` is neither `a`
 * nor `b`. Small floats accumulate in float32 and are rounded once, integers wrap, bool is the `any` of
 * `all`. If `k` is 0 the result is zeros; no other length may be 0.
 */
struct Matmul {
  Type type;
  std::vector<std::int64_t> batch;
  std::size_t m;
  std::size_t n;
  std::size_t k;
  Matrices out;
  Matrices a;
  Matrices b;

  void Run() const;
};

}  // namespace stridelab::compute

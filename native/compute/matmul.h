// Matrix products.
#pragma once

#include <cstddef>

#include "compute/layout.h"
#include "compute/types.h"

namespace stridelab::compute {

/** `out = a b` for each element of the batch: m by k times k by n. Strides: batch axes, rows, columns. */
struct MatmulRequest {
  Type type;
  Extents batch;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  Strided out;
  Strided a;
  Strided b;
};

/** Small floats are multiplied and added in float32 and rounded at the end; integers wrap; for bool it is
 * any(a and b). */
void Matmul(const MatmulRequest& request, std::byte* out, const std::byte* a, const std::byte* b);

}  // namespace stridelab::compute

// Sums, products, extremes and truth over axes.
#pragma once

#include <cstddef>

#include "compute/layout.h"
#include "compute/types.h"

namespace stridelab::compute {

enum class Reduction { kSum, kProduct, kMinimum, kMaximum, kAny, kAll, kArgMinimum, kArgMaximum };

struct ReduceRequest {
  Reduction operation;
  Type from;
  /** bool for any and all, int64 for the positions, the input's own for the extremes. */
  Type to;
  Extents kept;
  Extents reduced;
  /** Over the kept axes. */
  Strided out;
  /** Over the kept axes, then the reduced ones. */
  Strided in;
};

/** True where the operation has a meaning for the types. */
bool CanReduce(Reduction operation, Type from, Type to);

/**
 * Sums and products of floats accumulate in float64, extremes let NaN win, positions count the reduced axes
 * in row-major order and take the first. With no elements sums are 0, products 1, `all` true; extremes need
 * one.
 */
void Reduce(const ReduceRequest& request, std::byte* out, const std::byte* in);

/** Running sums and the like along the last axis of `request.reduced`, which has one; `to` is also the type
 * of what is carried. */
struct CumulateRequest {
  /** kSum, kProduct, kMinimum or kMaximum. */
  Reduction operation;
  Type from;
  Type to;
  /** The other axes. */
  Extents shape;
  std::int64_t length;
  /** Over the other axes, then the axis. */
  Strided out;
  Strided in;
};

void Cumulate(const CumulateRequest& request, std::byte* out, const std::byte* in);

}  // namespace stridelab::compute

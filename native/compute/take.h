// Gathering elements by position along one axis.
#pragma once

#include <cstddef>

#include "compute/layout.h"

namespace stridelab::compute {

/** out[before, j, after] = in[before, index[j], after]. Positions below zero count from the end. */
struct TakeRequest {
  std::size_t itemsize;
  /** Positions are int64, else int32. */
  bool wide;
  Extents before;
  std::int64_t count;
  Extents after;
  /** Elements of the input along the axis. */
  std::int64_t length;
  /** Each over the axes before, the axis, the axes after. */
  Strided out;
  Strided in;
  /** One axis. */
  Strided index;
};

/** A position outside the axis is taken modulo its length; callers who want an error look at the positions
 * first. */
void Take(const TakeRequest& request, std::byte* out, const std::byte* in, const std::byte* index);

}  // namespace stridelab::compute

// Running combinations along one axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compute/combination.h"
#include "compute/layout.h"
#include "compute/types.h"

namespace stridelab::compute {

/**
 * Writes the combination of all elements up to each one along the axis to `out`, in the register type of the
 * result: small floats carry a float32 and round each written value. `shape` has no zeros. Throws
 * std::invalid_argument if the types have no such combination.
 */
class Cumulate {
 public:
  Cumulate(Combination combination, Type in_type, Type out_type, std::vector<std::int64_t> shape,
           std::size_t axis, Operand out, Operand in);
  void Run() const;

 private:
  /** Computes some lanes, of those along the second axis. */
  void RunLanes(std::size_t first, std::size_t end) const;

  Combination combination_;
  Type in_type_;
  Type out_type_;
  /** The axis, the lane axis, whose elements are processed together, then the others; strides likewise. */
  std::vector<std::int64_t> shape_;
  Operand out_;
  Operand in_;
};

}  // namespace stridelab::compute

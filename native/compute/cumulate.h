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
 * `out` gets what the elements up to each one along the axis combine to, in the register type of the result:
 * small floats carry float32 on and round what they write. `shape` has no zeros. Throws std::invalid_argument
 * where the types have no such combination.
 */
class Cumulate {
 public:
  Cumulate(Combination combination, Type in_type, Type out_type, std::vector<std::int64_t> shape,
           std::size_t axis, Operand out, Operand in);
  void Run() const;

 private:
  Combination combination_;
  Type in_type_;
  Type out_type_;
  /** The axis, then the one of which many elements go on at once, then the others; strides likewise. */
  std::vector<std::int64_t> shape_;
  Operand out_;
  Operand in_;
};

}  // namespace stridelab::compute

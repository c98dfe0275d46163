// Reductions over some axes.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/combination.h"
#include "compute/layout.h"
#include "compute/types.h"

namespace stridelab::compute {

/** An array to be reduced: `out` has the kept axes, `in` the kept axes and then the reduced ones. No zeros in
 * `kept`. */
struct Reduction {
  std::vector<std::int64_t> kept;
  std::vector<std::int64_t> reduced;
  Operand out;
  Operand in;
  Type in_type;
  Type out_type;
};

/**
 * Casts to the register type of the result and combines there, sums of floats in pairs of blocks. Results of
 * small floats are rounded once, at the end. No elements give the identity. Throws std::invalid_argument
 * where the types have no such combination.
 */
class Reduce {
 public:
  Reduce(Combination combination, Reduction reduction);
  void Run() const;

 private:
  Combination combination_;
  Reduction reduction_;
};

/**
 * Number of the first smallest or largest element in row-major order of the reduced axes, as int64; a NaN is
 * smaller and larger than all others. `reduced` has no zero.
 */
class ArgReduce {
 public:
  ArgReduce(bool largest, Reduction reduction);
  void Run() const;

 private:
  bool largest_;
  Reduction reduction_;
};

}  // namespace stridelab::compute

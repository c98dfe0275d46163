// Reductions over some axes.
#pragma once

#include <cstdint>
#include <vector>

#include "compute/combination.h"
#include "compute/layout.h"
#include "compute/types.h"

namespace stridelab::compute {

/** An array to reduce: `out` has the kept axes, `in` the kept axes and then the reduced ones. `kept` has no
 * zeros. */
struct Reduction {
  std::vector<std::int64_t> kept;
  std::vector<std::int64_t> reduced;
  Operand out;
  Operand in;
  Type in_type;
  Type out_type;
};

/**
 * Casts to the register type of the result and combines there, float sums in pairs of blocks. Small-float
 * results are rounded once, at the end. Without elements the result is the identity. Throws
 * std::invalid_argument if the types have no such combination.
 */
class Reduce {
 public:
  Reduce(Combination combination, Reduction reduction);
  void Run() const;

 private:
  /** Combines the elements of operand 0 of a layout into the totals, operand 1. */
  void Combine(const Combiner& combiner, const Layout& layout) const;

  Combination combination_;
  Reduction reduction_;
};

/**
 * Finds the first smallest or largest element, as its int64 index in row-major order of the reduced axes; NaN
 * precedes all others in both cases. `reduced` has no zero.
 */
class ArgReduce {
 public:
  ArgReduce(bool largest, Reduction reduction);
  void Run() const;

 private:
  /** Finds the elements of the part of the results. */
  void RunPart(const Reduction& part) const;
  /** Finds them for the columns along a kept axis, all of which have `rows` elements. */
  void RunColumns(const Reduction& part, std::size_t axis, std::size_t rows, std::int64_t row_stride) const;

  bool largest_;
  Reduction reduction_;
};

}  // namespace stridelab::compute

// The innermost loops of matrix products.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stridelab::compute {

/** A loop that computes one tile of the product of two panels. */
template <typename Value>
struct Micro {
  std::size_t rows;
  std::size_t columns;
  /**
   * Computes tile[i * columns + j] = sum over p < depth of a[p * rows + i] * b[p * columns + j]. Floats may
   * use fused multiply-adds, if the machine has them. `b` is aligned to 64 bytes.
   */
  void (*run)(std::size_t depth, const Value* a, const Value* b, Value* tile);
};

struct MicroKernels {
  Micro<float> of_float;
  Micro<double> of_double;
  Micro<std::uint32_t> of_uint32;
  Micro<std::uint64_t> of_uint64;

  const Micro<float>& Of(float) const { return of_float; }
  const Micro<double>& Of(double) const { return of_double; }
  const Micro<std::uint32_t>& Of(std::uint32_t) const { return of_uint32; }
  const Micro<std::uint64_t>& Of(std::uint64_t) const { return of_uint64; }
};

/** Returns the loops for the best instruction set of this machine. */
const MicroKernels& Micros();

}  // namespace stridelab::compute

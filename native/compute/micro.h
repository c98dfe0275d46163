// The innermost loops of matrix products.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stridelab::compute {

enum class Update : std::uint8_t { kSet, kAdd, kSubtract };

/** A matrix in memory: distances between rows and columns in elements. */
template <typename Value>
struct Grid {
  Value* first;
  std::ptrdiff_t row;
  std::ptrdiff_t column;
};

/** Loops for one type of numbers. Floats may use fused multiply-adds, if the machine has them. */
template <typename Value>
struct Micro {
  /** The tile that `run` computes. */
  std::size_t rows;
  std::size_t columns;
  /**
   * Stores into a tile, whose rows are `stride` elements apart, the sum over p < depth of a[p * rows + i] *
   * b[p * columns + j]. `b` is aligned to 64 bytes.
   */
  void (*run)(std::size_t depth, const Value* a, const Value* b, Value* tile, std::size_t stride,
              Update update);
  /** Computes c (m by n) = a b, of matrices in place. The columns of b and c are adjacent. */
  void (*loose)(std::size_t m, std::size_t n, std::size_t depth, Grid<const Value> a, Grid<const Value> b,
                Grid<Value> c);
  /** Computes the products of the m rows of a, whose columns are adjacent, with a vector. */
  void (*dots)(std::size_t m, std::size_t depth, Grid<const Value> a, const Value* vector, Grid<Value> c);
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

// The loops of MicroKernels; see vector_body.h for how it is compiled, vector_loops.h for its restrictions.
// STRIDELAB_VECTOR_BYTES is the register width, STRIDELAB_TILE_ROWS how many rows of two registers fit.
#include <cstddef>
#include <cstdint>

#include "compute/micro.h"

namespace stridelab::compute {
namespace {

template <typename Value>
struct VectorOf {
  using type __attribute__((vector_size(STRIDELAB_VECTOR_BYTES))) = Value;
};

constexpr std::size_t kRows = STRIDELAB_TILE_ROWS;
template <typename Value>
inline constexpr std::size_t kWidth = STRIDELAB_VECTOR_BYTES / sizeof(Value);

template <typename Value>
void Run(std::size_t depth, const Value* a, const Value* b, Value* tile) {
  using Vector = typename VectorOf<Value>::type;
  Vector sums[kRows][2] = {};
  for (std::size_t p = 0; p < depth; ++p) {
    const Vector* row = reinterpret_cast<const Vector*>(b + p * 2 * kWidth<Value>);
    const Vector left = row[0];
    const Vector right = row[1];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
      const Value factor = a[p * kRows + i];
      sums[i][0] += factor * left;
      sums[i][1] += factor * right;
    }
  }
  __builtin_memcpy(tile, sums, sizeof(sums));
}

template <typename Value>
constexpr Micro<Value> kMicro{kRows, 2 * kWidth<Value>, Run<Value>};

constexpr MicroKernels kMicros{kMicro<float>, kMicro<double>, kMicro<std::uint32_t>, kMicro<std::uint64_t>};

}  // namespace
}  // namespace stridelab::compute

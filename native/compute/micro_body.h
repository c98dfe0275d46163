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

/** Vectors that need not be aligned. */
template <typename Vector, typename Value>
[[gnu::always_inline]] inline Vector Load(const Value* from) {
  Vector vector;
  __builtin_memcpy(&vector, from, sizeof(vector));
  return vector;
}
template <typename Vector, typename Value>
[[gnu::always_inline]] inline void Put(Value* to, Vector vector) {
  __builtin_memcpy(to, &vector, sizeof(vector));
}

template <typename Value>
void Run(std::size_t depth, const Value* a, const Value* b, Value* tile, std::size_t stride, Update update) {
  using Vector = typename VectorOf<Value>::type;
  constexpr std::size_t kLanesOf = kWidth<Value>;
  Vector sums[kRows][2] = {};
  for (std::size_t p = 0; p < depth; ++p) {
    const Vector* row = reinterpret_cast<const Vector*>(b + p * 2 * kLanesOf);
    const Vector left = row[0];
    const Vector right = row[1];
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kRows; ++i) {
      const Value factor = a[p * kRows + i];
      sums[i][0] += factor * left;
      sums[i][1] += factor * right;
    }
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 2
    for (std::size_t half = 0; half < 2; ++half) {
      Value* to = tile + i * stride + half * kLanesOf;
      Vector sum = sums[i][half];
      if (update == Update::kAdd) sum = Load<Vector>(to) + sum;
      if (update == Update::kSubtract) sum = Load<Vector>(to) - sum;
      Put(to, sum);
    }
  }
}

/** Computes kCount rows of kVectors vectors of c. */
template <typename Value, std::size_t kCount, std::size_t kVectors>
[[gnu::always_inline]] inline void LooseTile(std::size_t depth, Grid<const Value> a, Grid<const Value> b,
                                             Grid<Value> c) {
  using Vector = typename VectorOf<Value>::type;
  Vector sums[kCount][kVectors] = {};
  for (std::size_t p = 0; p < depth; ++p) {
    Vector row[kVectors];
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v) row[v] = Load<Vector>(b.first + v * kWidth<Value>);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kCount; ++i) {
      const Value factor = a.first[static_cast<std::ptrdiff_t>(i) * a.row];
#pragma GCC unroll 8
      for (std::size_t v = 0; v < kVectors; ++v) sums[i][v] += factor * row[v];
    }
    a.first += a.column;
    b.first += b.row;
  }
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kCount; ++i) {
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kVectors; ++v)
      Put(c.first + static_cast<std::ptrdiff_t>(i) * c.row + v * kWidth<Value>, sums[i][v]);
  }
}

/** Computes kCount rows of c. */
template <typename Value, std::size_t kCount, std::size_t kVectors>
void LooseRows(std::size_t n, std::size_t depth, Grid<const Value> a, Grid<const Value> b, Grid<Value> c) {
  std::size_t j = 0;
  for (; j + kVectors * kWidth<Value> <= n; j += kVectors * kWidth<Value>)
    LooseTile<Value, kCount, kVectors>(depth, a, {b.first + j, b.row, 1}, {c.first + j, c.row, 1});
  for (; j + kWidth<Value> <= n; j += kWidth<Value>)
    LooseTile<Value, kCount, 1>(depth, a, {b.first + j, b.row, 1}, {c.first + j, c.row, 1});
  for (; j < n; ++j) {
    Value sums[kCount] = {};
    for (std::size_t p = 0; p < depth; ++p) {
      const auto at = static_cast<std::ptrdiff_t>(p);
      const Value factor = b.first[at * b.row + static_cast<std::ptrdiff_t>(j)];
      for (std::size_t i = 0; i < kCount; ++i)
        sums[i] += a.first[static_cast<std::ptrdiff_t>(i) * a.row + at * a.column] * factor;
    }
    for (std::size_t i = 0; i < kCount; ++i)
      c.first[static_cast<std::ptrdiff_t>(i) * c.row + static_cast<std::ptrdiff_t>(j)] = sums[i];
  }
}

/** Computes a row of c, from whole rows of b, a few at a time, so that memory is read in order. */
template <typename Value>
void RowTimes(std::size_t n, std::size_t depth, Grid<const Value> a, Grid<const Value> b, Value* c) {
  constexpr std::size_t kFew = 4;
  for (std::size_t j = 0; j < n; ++j) c[j] = 0;
  std::size_t p = 0;
  for (; p + kFew <= depth; p += kFew) {
    const auto at = static_cast<std::ptrdiff_t>(p);
    const Value* rows[kFew];
    Value factors[kFew];
    for (std::size_t i = 0; i < kFew; ++i) {
      rows[i] = b.first + (at + static_cast<std::ptrdiff_t>(i)) * b.row;
      factors[i] = a.first[(at + static_cast<std::ptrdiff_t>(i)) * a.column];
    }
#pragma GCC ivdep
    for (std::size_t j = 0; j < n; ++j) {
      const Value first = c[j] + factors[0] * rows[0][j];
      const Value second = first + factors[1] * rows[1][j];
      const Value third = second + factors[2] * rows[2][j];
      c[j] = third + factors[3] * rows[3][j];
    }
  }
  for (; p < depth; ++p) {
    const auto at = static_cast<std::ptrdiff_t>(p);
    const Value* row = b.first + at * b.row;
    const Value factor = a.first[at * a.column];
#pragma GCC ivdep
    for (std::size_t j = 0; j < n; ++j) c[j] += factor * row[j];
  }
}

template <typename Value>
void Loose(std::size_t m, std::size_t n, std::size_t depth, Grid<const Value> a, Grid<const Value> b,
           Grid<Value> c) {
  if (m == 1) return RowTimes(n, depth, a, b, c.first);
  constexpr std::size_t kFew = 4;
  std::size_t i = 0;
  const auto next = [&](std::size_t rows) {
    a.first += static_cast<std::ptrdiff_t>(rows) * a.row;
    c.first += static_cast<std::ptrdiff_t>(rows) * c.row;
  };
  for (; i + kRows <= m; i += kRows) {
    LooseRows<Value, kRows, 2>(n, depth, a, b, c);
    next(kRows);
  }
  for (; i + kFew <= m; i += kFew) {
    LooseRows<Value, kFew, 2>(n, depth, a, b, c);
    next(kFew);
  }
  for (; i < m; ++i) {
    LooseRows<Value, 1, 2>(n, depth, a, b, c);
    next(1);
  }
}

/** Computes the products of kCount rows with a vector, with kChains sums for each. */
template <typename Value, std::size_t kCount, std::size_t kChains>
void DotRows(std::size_t depth, Grid<const Value> a, const Value* vector, Grid<Value> c) {
  using Vector = typename VectorOf<Value>::type;
  constexpr std::size_t kStep = kWidth<Value>;
  Vector sums[kCount][kChains] = {};
  std::size_t p = 0;
  for (; p + kChains * kStep <= depth; p += kChains * kStep) {
#pragma GCC unroll 4
    for (std::size_t chain = 0; chain < kChains; ++chain) {
      const std::size_t at = p + chain * kStep;
      const Vector factor = Load<Vector>(vector + at);
#pragma GCC unroll 4
      for (std::size_t i = 0; i < kCount; ++i)
        sums[i][chain] += Load<Vector>(a.first + static_cast<std::ptrdiff_t>(i) * a.row + at) * factor;
    }
  }
  for (std::size_t i = 0; i < kCount; ++i) {
    const Value* row = a.first + static_cast<std::ptrdiff_t>(i) * a.row;
    Vector sum = sums[i][0];
    for (std::size_t chain = 1; chain < kChains; ++chain) sum += sums[i][chain];
    Value total = 0;
    for (std::size_t lane = 0; lane < kStep; ++lane) total += sum[lane];
    for (std::size_t rest = p; rest < depth; ++rest) total += row[rest] * vector[rest];
    c.first[static_cast<std::ptrdiff_t>(i) * c.row] = total;
  }
}

template <typename Value>
void Dots(std::size_t m, std::size_t depth, Grid<const Value> a, const Value* vector, Grid<Value> c) {
  constexpr std::size_t kFew = 4;
  const auto row = [&](std::size_t i, auto dots) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    dots(depth, Grid<const Value>{a.first + at * a.row, a.row, 1}, vector,
         Grid<Value>{c.first + at * c.row, c.row, c.column});
  };
  std::size_t i = 0;
  for (; i + kFew <= m; i += kFew) row(i, DotRows<Value, kFew, 2>);
  for (; i < m; ++i) row(i, DotRows<Value, 1, 2>);
}

template <typename Value>
constexpr Micro<Value> kMicro{kRows, 2 * kWidth<Value>, Run<Value>, Loose<Value>, Dots<Value>};

constexpr MicroKernels kMicros{kMicro<float>, kMicro<double>, kMicro<std::uint32_t>, kMicro<std::uint64_t>};

}  // namespace
}  // namespace stridelab::compute

// The loops of reductions, only for vector_body.h; see vector_loops.h for the restrictions on code here.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "compute/kernel.h"
#include "compute/vector_loops.h"

namespace stridelab::compute {
namespace {

template <std::size_t kSize>
using UnsignedOf =
    std::conditional_t<kSize == 1, std::uint8_t,
                       std::conditional_t<kSize == 2, std::uint16_t,
                                          std::conditional_t<kSize == 4, std::uint32_t, std::uint64_t>>>;

/** Values that are combined side by side: as many as fit in half of the registers. */
template <typename To>
inline constexpr std::size_t kLanes = 256 / sizeof(To);
/** Rows of lanes that are summed in order; the sums of such runs are added in pairs. */
inline constexpr std::size_t kRun = 16;

/** True for sums of floats, whose error depends on the order. */
template <typename Op, typename To>
inline constexpr bool kSumsFloats =
    std::is_same_v<Op, ComplexAdd> || (std::is_same_v<Op, Add> && std::is_floating_point_v<To>);

/** Combines `rows` rows of lanes in order. */
template <typename Op, typename Read, std::size_t kCount, typename From, typename To>
[[gnu::always_inline]] inline void CombineRows(const From* x, std::size_t rows, To* lanes) {
  for (std::size_t lane = 0; lane < kCount; ++lane) lanes[lane] = Read::Do(x[lane]);
  for (std::size_t row = 1; row < rows; ++row) {
    for (std::size_t lane = 0; lane < kCount; ++lane)
      lanes[lane] = Op::Do(lanes[lane], To(Read::Do(x[row * kCount + lane])));
  }
}

/** Sums `rows` rows of lanes in pairs of runs: level k holds the sum of 2^k runs. */
template <typename Op, typename Read, std::size_t kCount, typename From, typename To>
[[gnu::always_inline]] inline void SumRuns(const From* x, std::size_t rows, To* lanes) {
  constexpr std::size_t kLevels = std::bit_width(kMostSummed / (kCount * kRun));
  if (rows <= kRun) return CombineRows<Op, Read, kCount>(x, rows, lanes);
  To levels[kLevels][kCount];
  std::size_t runs = 0;
  const auto add = [&](std::size_t level) {
    for (std::size_t lane = 0; lane < kCount; ++lane) lanes[lane] = Op::Do(levels[level][lane], lanes[lane]);
  };
  for (; rows >= kRun; rows -= kRun, x += kRun * kCount, ++runs) {
    CombineRows<Op, Read, kCount>(x, kRun, lanes);
    std::size_t level = 0;
    for (; (runs >> level & 1) != 0; ++level) add(level);
    __builtin_memcpy(levels[level], lanes, kCount * sizeof(To));
  }
  std::size_t level = static_cast<std::size_t>(__builtin_ctzll(runs));
  if (rows > 0) {
    CombineRows<Op, Read, kCount>(x, rows, lanes);
  } else {
    __builtin_memcpy(lanes, levels[level++], kCount * sizeof(To));
  }
  for (; runs >> level != 0; ++level)
    if ((runs >> level & 1) != 0) add(level);
}

/** Combines the two halves of the lanes until one is left. */
template <typename Op, std::size_t kCount, typename To>
[[gnu::always_inline]] inline To CombineLanes(To* lanes) {
  if constexpr (kCount == 1) {
    return lanes[0];
  } else {
    constexpr std::size_t kHalf = kCount / 2;
    for (std::size_t lane = 0; lane < kHalf; ++lane) lanes[lane] = Op::Do(lanes[lane], lanes[lane + kHalf]);
    return CombineLanes<Op, kHalf>(lanes);
  }
}

/** Combines at least one row of lanes, and the rest of a row. */
template <typename Op, typename Read, std::size_t kCount, typename From, typename To>
[[gnu::always_inline]] inline To CombineElements(const From* x, std::size_t count) {
  alignas(64) To lanes[kCount];
  const std::size_t rows = count / kCount;
  if constexpr (kSumsFloats<Op, To> && kCount == kLanes<To>) {
    SumRuns<Op, Read, kCount>(x, rows, lanes);
  } else {
    CombineRows<Op, Read, kCount>(x, rows, lanes);
  }
  x += rows * kCount;
#pragma GCC ivdep
  for (std::size_t i = 0; i < count - rows * kCount; ++i) lanes[i] = Op::Do(lanes[i], To(Read::Do(x[i])));
  return CombineLanes<Op, kCount>(lanes);
}

/** A combination of all elements, each read as a `To` by `Read`. */
template <typename Op, typename Read, typename From, typename To>
To TotalOf(const From* x, std::size_t count) {
  if (count >= kLanes<To>) return CombineElements<Op, Read, kLanes<To>, From, To>(x, count);
  constexpr std::size_t kFew = kLanes<To> / 8;
  if (count >= kFew) return CombineElements<Op, Read, kFew, From, To>(x, count);
  To total = Read::Do(x[0]);
  for (std::size_t i = 1; i < count; ++i) total = Op::Do(total, To(Read::Do(x[i])));
  return total;
}

/** Combines rows into the totals of the columns, kCount of them at a time. Returns how many columns that were. */
template <typename Op, typename Read, std::size_t kCount, typename From, typename To>
[[gnu::always_inline]] inline std::size_t CombineColumns(const From* x, std::ptrdiff_t step, std::size_t rows,
                                                         std::size_t columns, To* totals) {
  std::size_t column = 0;
  for (; column + kCount <= columns; column += kCount) {
    alignas(64) To lanes[kCount];
    __builtin_memcpy(lanes, totals + column, sizeof(lanes));
    const From* row = x + column;
    for (std::size_t i = 0; i < rows; ++i, row += step) {
      for (std::size_t lane = 0; lane < kCount; ++lane)
        lanes[lane] = Op::Do(lanes[lane], To(Read::Do(row[lane])));
    }
    __builtin_memcpy(totals + column, lanes, sizeof(lanes));
  }
  return column;
}

/** See TotalOfColumns. */
template <typename Op, typename Read, typename From, typename To>
void ColumnTotals(const std::byte* rows, std::ptrdiff_t stride, std::size_t row_count, std::size_t columns,
                  void* totals) {
  // So few rows at a time are read ahead by the processor.
  constexpr std::size_t kTogether = 8;
  const std::ptrdiff_t step = stride / static_cast<std::ptrdiff_t>(sizeof(From));
  const From* x = reinterpret_cast<const From*>(rows);
  To* all = static_cast<To*>(totals);
  for (std::size_t done = 0; done < row_count; done += kTogether) {
    const std::size_t together = row_count - done < kTogether ? row_count - done : kTogether;
    const From* first = x + static_cast<std::ptrdiff_t>(done) * step;
    std::size_t at = CombineColumns<Op, Read, kLanes<To>>(first, step, together, columns, all);
    at += CombineColumns<Op, Read, kLanes<To> / 8>(first + at, step, together, columns - at, all + at);
    for (; at < columns; ++at) {
      const From* element = first + at;
      for (std::size_t row = 0; row < together; ++row, element += step)
        all[at] = Op::Do(all[at], To(Read::Do(*element)));
    }
  }
}

template <typename Op, typename From, typename To>
void TotalAs(const void* elements, std::size_t count, void* total) {
  *static_cast<To*>(total) = TotalOf<Op, Cast<To>, From, To>(static_cast<const From*>(elements), count);
}
template <typename Op, typename From, typename To>
constexpr Totals kTotalsAs{TotalAs<Op, From, To>, ColumnTotals<Op, Cast<To>, From, To>};

/** Totals in the type of the elements. */
template <typename Op>
struct SameTotals {
  template <typename T>
  static constexpr Totals Loop = kTotalsAs<Op, T, T>;
};

/** Sums in a wider type. */
template <typename To>
struct WideSums {
  template <typename From>
  static constexpr Totals Loop = kTotalsAs<Add, From, To>;
};

/** Reads an element as all ones if it is true, as zeros if it is not. */
struct Truth {
  template <typename T>
  [[gnu::always_inline]] static auto Do(T x) {
    if constexpr (kIsComplex<T>) {
      return True(x) ? ~UnsignedOf<sizeof(x.re)>{0} : UnsignedOf<sizeof(x.re)>{0};
    } else {
      using Mask = UnsignedOf<sizeof(T)>;
      return x != T(0) ? static_cast<Mask>(~Mask{0}) : Mask{0};
    }
  }
};

/** Totals of truths, as a bool. */
template <typename Op>
struct TruthTotals {
  template <typename T>
  static void All(const void* elements, std::size_t count, void* total) {
    using Mask = decltype(Truth::Do(T{}));
    *static_cast<Bool*>(total) =
        (TotalOf<Op, Truth, T, Mask>(static_cast<const T*>(elements), count) & 1) != 0 ? 1 : 0;
  }
  template <typename T>
  static constexpr Totals Loop{All<T>, nullptr};
};

/** The index of the first element equal to a value, NaN included; the last if there is none. */
struct FindFirst {
  template <typename T>
  static std::size_t Loop(const void* elements, std::size_t count, const void* value) {
    const T* x = static_cast<const T*>(elements);
    T wanted;
    __builtin_memcpy(&wanted, value, sizeof(wanted));
    if (wanted != wanted) return Search(x, count, [](T y) { return y != y; });
    return Search(x, count, [wanted](T y) { return y == wanted; });
  }

 private:
  // Loops of fewer turns would be unrolled instead of vectorized.
  template <typename T>
  static constexpr std::size_t kChunk = sizeof(T) == 1 ? 128 : 64;

  template <typename T, typename Matches>
  [[gnu::always_inline]] static std::size_t Search(const T* x, std::size_t count, Matches matches) {
    using Mask = UnsignedOf<sizeof(T)>;
    std::size_t start = 0;
    for (; start + kChunk<T> <= count; start += kChunk<T>) {
      Mask any = 0;
      for (std::size_t i = 0; i < kChunk<T>; ++i)
        any |= matches(x[start + i]) ? static_cast<Mask>(~Mask{0}) : Mask{0};
      if (any == 0) continue;
      Mask first = kChunk<T>;
      for (std::size_t i = 0; i < kChunk<T>; ++i) {
        const auto index = matches(x[start + i]) ? static_cast<Mask>(i) : static_cast<Mask>(kChunk<T>);
        first = index < first ? index : first;
      }
      return start + first;
    }
    while (start + 1 < count && !matches(x[start])) ++start;
    return start;
  }
};

/** True where `x` is further in front than `best`, NaN before all others. */
template <bool kLargest, typename T>
[[gnu::always_inline]] inline bool Precedes(T x, T best) {
  if constexpr (std::is_floating_point_v<T>) {
    return (kLargest ? !(x <= best) : !(x >= best)) & (best == best);
  } else {
    return kLargest ? x > best : x < best;
  }
}

/** Searches columns; see BestOfColumns. */
template <bool kLargest>
struct SearchColumns {
  template <typename T>
  static void Loop(const std::byte* rows, std::ptrdiff_t stride, std::size_t row_count, std::size_t columns,
                   std::int64_t first, void* values, std::int64_t* indices) {
    using Index = UnsignedOf<sizeof(T)>;
    T best[kMostColumns];
    Index found[kMostColumns];
    __builtin_memcpy(best, rows, columns * sizeof(T));
    for (std::size_t i = 0; i < columns; ++i) found[i] = 0;
    for (std::size_t row = 1; row < row_count; ++row) {
      const T* x = reinterpret_cast<const T*>(rows + static_cast<std::ptrdiff_t>(row) * stride);
      const auto index = static_cast<Index>(row);
      for (std::size_t i = 0; i < columns; ++i) {
        const T value = x[i];
        const bool precedes = Precedes<kLargest>(value, best[i]);
        best[i] = precedes ? value : best[i];
        found[i] = precedes ? index : found[i];
      }
    }
    T* all = static_cast<T*>(values);
    for (std::size_t i = 0; i < columns; ++i) {
      const bool precedes = first == 0 || Precedes<kLargest>(best[i], all[i]);
      all[i] = precedes ? best[i] : all[i];
      indices[i] = precedes ? first + static_cast<std::int64_t>(found[i]) : indices[i];
    }
  }
};

}  // namespace
}  // namespace stridelab::compute

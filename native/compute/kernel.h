// The loops that instructions run, and how they are found.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/types.h"

namespace stridelab::compute {

/**
 * Runs one instruction over `count` elements of contiguous blocks, aligned to their types. `out` may be one
 * of the operands, if the sizes agree, but must not partially overlap one. Unused operands are null.
 */
using Kernel = void (*)(const void* a, const void* b, const void* c, void* out, std::size_t count);

/** Loops by row, such as an opcode, and type of the operands; null where there is none. */
template <typename Row, int kRows, typename Function = Kernel>
class KernelTable {
 public:
  constexpr void Put(Row row, Type type, Function loop) {
    loops_[static_cast<int>(row)][static_cast<int>(type)] = loop;
    is_put_[static_cast<int>(row)][static_cast<int>(type)] = true;
  }
  /** Puts `Loops::Loop` of each type of the lists. */
  template <typename Loops, typename... Lists>
  constexpr void Put(Row row, Lists... lists) {
    (PutList<Loops>(row, lists), ...);
  }
  /** Uses the loops of unsigned integers for signed ones that have none. */
  constexpr void ShareWithSigned() {
    for (int row = 0; row < kRows; ++row) {
      for (int type = static_cast<int>(Type::kInt8); type <= static_cast<int>(Type::kInt64); ++type) {
        if (!is_put_[row][type])
          loops_[row][type] = loops_[row][static_cast<int>(Unsigned(static_cast<Type>(type)))];
      }
    }
  }
  // Inlined, so that no instruction set's copy of it runs on all machines; see vector_loops.h.
  [[gnu::always_inline]] Function At(Row row, Type type) const {
    return loops_[static_cast<int>(row)][static_cast<int>(type)];
  }

 private:
  template <typename Loops, typename... Values>
  constexpr void PutList(Row row, Types<Values...>) {
    (Put(row, kTypeOf<Values>, Loops::template Loop<Values>), ...);
  }

  Function loops_[kRows][kTypeCount] = {};
  // With UndefinedBehaviorSanitizer, GCC cannot compare the address of a function in a constant expression.
  bool is_put_[kRows][kTypeCount] = {};
};
using OpcodeKernels = KernelTable<Opcode, kOpcodeCount>;

/** The side of a tile, see Layout::Tiles. */
inline constexpr std::size_t kTile = 32;

/**
 * Combines `count` adjacent aligned elements, at least one, into the value at `total`. Sums of floats add runs of 16 rows of elements
 * in order and the runs in pairs, so that the error grows as in NumPy. The order depends on the count and the type of the total alone.
 */
using Total = void (*)(const void* elements, std::size_t count, void* total);
/** Most elements that a Total of floats takes. */
inline constexpr std::size_t kMostSummed = 4096;

/** Combines the aligned elements of rows, `stride` bytes apart, into one total for each column, row by row. */
using TotalOfColumns = void (*)(const std::byte* rows, std::ptrdiff_t stride, std::size_t row_count,
                                std::size_t columns, void* totals);

/** The loops of a combination, each of which may be null. */
struct Totals {
  Total all = nullptr;
  TotalOfColumns columns = nullptr;
};

/** Returns the index of the first of `count` adjacent elements that equals a value, NaN included; the last if there is none. */
using FindElement = std::size_t (*)(const void* elements, std::size_t count, const void* value);

/**
 * Finds the first smallest or largest element of each column of `row_count` rows, `stride` bytes apart, which are those from number
 * `first` on. NaN precedes all others. `values` and `indices` hold the result of the rows before, and become that of all.
 */
using BestOfColumns = void (*)(const std::byte* rows, std::ptrdiff_t stride, std::size_t row_count,
                               std::size_t columns, std::int64_t first, void* values, std::int64_t* indices);
/** Limits of one call: a byte counts the rows, and the columns stay in the first cache. */
inline constexpr std::size_t kMostRows = 256;
inline constexpr std::size_t kMostColumns = 1024;

/** Loops of random numbers; see random.h. */
struct RandomKernels {
  /** Writes four words for each counter from `counter` on. */
  void (*philox)(std::uint64_t counter, std::uint64_t seed, std::uint32_t* words, std::size_t groups);
  /** Makes numbers of words. `first` and `second` are the least number and the width, or mean and deviation. */
  using Draw = void (*)(const void* words, void* out, std::size_t count, double first, double second);
  Draw uniform_float;
  Draw uniform_double;
  /** `count` is even. */
  Draw normal_float;
  Draw normal_double;
};

/** Loops compiled for one instruction set. */
struct VectorKernels {
  /** Types are register types: no small floats. Null if there is no loop. */
  Kernel (*find)(Opcode opcode, Type operand, Type result);
  /** Convert between the codes of a small float and float32. */
  Kernel (*decode)(Type type);
  Kernel (*encode)(Type type);
  /** Rounds float32 to the nearest values of a small float, as float32. */
  Kernel (*round)(Type type);
  /** Loops that combine elements of the first type into a total of the second. */
  Totals (*totals)(Opcode opcode, Type from, Type to);
  /** For real types and bool. */
  FindElement (*find_element)(Type type);
  BestOfColumns (*best_of_columns)(bool largest, Type type);
  /** Casts a real type to float32 rounded to odd, for casts to small floats that must round once. */
  Kernel (*cast_odd)(Type operand);
  /** See CopyRow in layout.h. */
  void (*copy_row)(std::size_t itemsize, std::byte* target, std::int64_t target_stride,
                   const std::byte* source, std::int64_t source_stride, std::size_t count);
  /** See Layout::CopyTile in layout.h: copies kTile rows to columns; items of the source's rows are adjacent. */
  void (*copy_tile)(std::size_t itemsize, std::byte* target, std::int64_t target_stride,
                    const std::byte* source, std::int64_t source_stride);
  /** Writes `first` + i * `step` for `count` numbers i from `from` on, computed in float64. */
  void (*spaced_float)(double first, double step, double from, float* out, std::size_t count);
  void (*spaced_double)(double first, double step, double from, double* out, std::size_t count);
  RandomKernels random;
};

/** Returns the loops for the best instruction set of this machine. */
const VectorKernels& Vector();

/** Returns the loop of an instruction on registers of these element types; null if the types have none. */
Kernel FindKernel(Opcode opcode, Type operand, Type result);
/** Returns a loop that calls the mathematical library, or divides; null if there is none. */
Kernel FindMathKernel(Opcode opcode, Type operand);

}  // namespace stridelab::compute

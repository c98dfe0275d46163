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
template <typename Row, int kRows>
class KernelTable {
 public:
  constexpr void Put(Row row, Type type, Kernel loop) {
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
  [[gnu::always_inline]] Kernel At(Row row, Type type) const {
    return loops_[static_cast<int>(row)][static_cast<int>(type)];
  }

 private:
  template <typename Loops, typename... Values>
  constexpr void PutList(Row row, Types<Values...>) {
    (Put(row, kTypeOf<Values>, Loops::template Loop<Values>), ...);
  }

  Kernel loops_[kRows][kTypeCount] = {};
  // With UndefinedBehaviorSanitizer, GCC cannot compare the address of a function in a constant expression.
  bool is_put_[kRows][kTypeCount] = {};
};
using OpcodeKernels = KernelTable<Opcode, kOpcodeCount>;

/** The number of elements that a fold leaves of a block. */
inline constexpr std::size_t kLanes = 64;

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
  /**
   * Folds a binary instruction over one block `a`, whose count is a positive multiple of kLanes: element i of
   * `out` becomes the combination of elements i, i + kLanes, ..., in that order. Null if there is none.
   */
  Kernel (*fold)(Opcode opcode, Type type);
  /** Casts a real type to float32 rounded to odd, for casts to small floats that must round once. */
  Kernel (*cast_odd)(Type operand);
  /** See CopyRow in layout.h. */
  void (*copy_row)(std::size_t itemsize, std::byte* target, std::int64_t target_stride,
                   const std::byte* source, std::int64_t source_stride, std::size_t count);
  RandomKernels random;
};

/** Returns the loops for the best instruction set of this machine. */
const VectorKernels& Vector();

/** Returns the loop of an instruction on registers of these element types; null if the types have none. */
Kernel FindKernel(Opcode opcode, Type operand, Type result);
/** Returns a loop that calls the mathematical library, or divides; null if there is none. */
Kernel FindMathKernel(Opcode opcode, Type operand);

}  // namespace stridelab::compute

// Conversion between rows of memory and blocks of one register type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/kernel.h"
#include "compute/scratch.h"
#include "compute/types.h"

namespace stridelab::compute {

/** Longest row that a Reader or Writer takes in one call. */
inline constexpr std::size_t kMostAtOnce = 4096;

/** Reads rows of `from` as blocks of the register type `to`. Not for concurrent use. */
class Reader {
 public:
  Reader(Type from, Type to);
  /** Reads `count` elements, `stride` bytes apart: in place, or into a block that the next call overwrites.
   */
  const std::byte* Read(const std::byte* row, std::int64_t stride, std::size_t count);
  /** Converts `count` adjacent aligned elements. Returns a block that the next call overwrites. */
  const std::byte* Convert(const std::byte* elements, std::size_t count);

 private:
  Type from_;
  Kernel decode_ = nullptr;
  Kernel cast_ = nullptr;
  Scratch gathered_;
  Scratch decoded_;
  Scratch cast_block_;
};

/** Writes blocks of the register type of `to` as rows of `to`, rounded if it is a small float. */
class Writer {
 public:
  explicit Writer(Type to);
  void Write(std::byte* row, std::int64_t stride, const std::byte* block, std::size_t count);

 private:
  Type to_;
  Scratch rounded_;
  Scratch encoded_;
};

}  // namespace stridelab::compute

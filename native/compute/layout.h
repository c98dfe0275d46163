// Strided operands of a loop over many axes, and a walk over their elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stridelab::compute {

using Extents = std::vector<std::int64_t>;

/** Where the elements of one operand lie: bytes from the start of its memory, and bytes per axis. */
struct Strided {
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;
};

/** Axes that all operands share. */
struct Space {
  Extents shape;
  std::vector<Strided> operands;

  std::int64_t Size() const;
  /**
   * The same elements in fewer axes: those of length 1 go, the others are ordered by the strides of operand
   * 0, largest first, and turned so that these are positive, and neighbours merge where every operand allows
   * it. The order of elements is not kept.
   */
  Space Simplified() const;
};

/** Walks over the elements of an operand in row-major order, some at a time. */
class Cursor {
 public:
  Cursor(const Extents& shape, const Strided& operand);

  /** The next `count` elements of `itemsize` bytes, side by side into `target`. */
  void Gather(const std::byte* base, std::size_t itemsize, void* target, std::size_t count);
  /** Moves every element by as many bytes. */
  void Shift(std::int64_t bytes) { offset_ += bytes; }
  void Skip(std::size_t count);
  /** The other way. */
  void Scatter(std::byte* base, std::size_t itemsize, const void* source, std::size_t count);

 private:
  template <typename Move>
  void Walk(std::size_t count, Move move);

  Extents shape_;
  std::vector<std::int64_t> strides_;
  std::vector<std::int64_t> index_;
  std::int64_t offset_;
};

}  // namespace stridelab::compute

// Where the elements of operands lie, and blocks of them without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace stridelab::compute {

/** One operand of an operation, by byte strides in the order of the operation's axes. */
struct Operand {
  std::byte* first;
  std::vector<std::int64_t> strides;
  std::size_t itemsize;
};

/** Copies elements of 1, 2, 4, 8 or 16 bytes between two rows by byte strides; they may lie at any address.
 */
void CopyRow(std::size_t itemsize, std::byte* target, std::int64_t target_stride, const std::byte* source,
             std::int64_t source_stride, std::size_t count);

/**
 * Axes that several operands share, each with its own strides. Elements have a running number, the last axis
 * fastest. Immutable after Order, so that one may serve several runs.
 */
class Layout {
 public:
  /** `shape` without zeros. */
  Layout(std::vector<std::int64_t> shape, std::vector<Operand> operands);

  /**
   * For operations whose elements do not depend on one another: turns negative strides of operand 0, puts the
   * axes in falling order of its strides, and joins axes that all operands see as one.
   */
  void Order();
  /** Joins axes that all operands see as one, and leaves their order alone. */
  void Join();

  std::size_t size() const { return size_; }
  std::size_t operand_count() const { return operands_.size(); }
  const Operand& operand(std::size_t index) const { return operands_[index]; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  /** Length of the last axis. */
  std::size_t row() const { return static_cast<std::size_t>(shape_.back()); }

  /** True where the operand's elements follow one another without gaps in order of their numbers, aligned to
   * `alignment`. */
  bool IsPlain(std::size_t index, std::size_t alignment) const;
  /** True where it is the same element everywhere. */
  bool IsScalar(std::size_t index) const;

  /** Copies the `count` elements from number `start` on, `shift` bytes further, into a block, and back. */
  void Gather(std::size_t index, std::size_t start, std::size_t count, void* block,
              std::ptrdiff_t shift = 0) const;
  void Scatter(std::size_t index, std::size_t start, std::size_t count, const void* block) const;

 private:
  template <typename Copy>
  void ForRows(const Operand& operand, std::size_t start, std::size_t count, Copy copy) const;

  std::vector<std::int64_t> shape_;
  std::vector<Operand> operands_;
  std::size_t size_;
};

}  // namespace stridelab::compute

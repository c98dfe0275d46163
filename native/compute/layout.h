// Layouts of operands, and contiguous blocks of their elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compute/kernel.h"

namespace stridelab::compute {

/** One operand of an operation: byte strides in the order of the operation's axes. */
struct Operand {
  std::byte* first;
  std::vector<std::int64_t> strides;
  std::size_t itemsize;
};

/** Copies elements of 1, 2, 4, 8 or 16 bytes between two rows with byte strides; they may be unaligned. */
void CopyRow(std::size_t itemsize, std::byte* target, std::int64_t target_stride, const std::byte* source,
             std::int64_t source_stride, std::size_t count);

/** Returns one value for each axis of `order`, in that order. */
std::vector<std::int64_t> Arranged(const std::vector<std::int64_t>& values,
                                   const std::vector<std::size_t>& order);

/**
 * Axes that several operands share, with the strides of each. Elements are numbered in row-major order.
 * Immutable after Order, so that several runs may share one.
 */
class Layout {
 public:
  /** `shape` must not contain zeros. */
  Layout(std::vector<std::int64_t> shape, std::vector<Operand> operands);

  /**
   * Reorders for operations whose elements are independent: reverses negative strides of operand 0, sorts the
   * axes by its strides, largest first, and merges axes that are contiguous for all operands.
   */
  void Order();
  /** Merges axes that are contiguous for all operands, without reordering. */
  void Join();

  /** Returns the part of `count` indices of an axis from `first` on. */
  Layout Part(std::size_t axis, std::int64_t first, std::int64_t count) const;
  /**
   * Divides an ordered layout so that operands in which another axis than the last is contiguous are read in
   * whole cache lines: the result covers all elements once. The last two axes of a tiled part are kTile by
   * kTile elements.
   */
  std::vector<Layout> Tiles() const;
  /** True if Tiles returns more than this layout. */
  bool HasTiles() const { return AcrossOfTiles() < shape_.size() - 1; }
  bool tiled() const { return tiled_; }

  std::size_t size() const { return size_; }
  std::size_t operand_count() const { return operands_.size(); }
  const Operand& operand(std::size_t index) const { return operands_[index]; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  /** Length of the last axis. */
  std::size_t row() const { return static_cast<std::size_t>(shape_.back()); }

  /** True if the operand's elements are contiguous in the order of their numbers, and aligned to `alignment`.
   */
  bool IsPlain(std::size_t index, std::size_t alignment) const;
  /** True if the elements of each row are contiguous, and all are aligned to `alignment`. */
  bool HasPlainRows(std::size_t index, std::size_t alignment) const;
  /** Returns the address of an element by its number. */
  std::byte* At(std::size_t index, std::size_t number) const;
  /** True if all indices refer to the same element. */
  bool IsScalar(std::size_t index) const;

  /** Copies the `count` elements from number `start` on, `shift` bytes further, into a block, or back. */
  void Gather(std::size_t index, std::size_t start, std::size_t count, void* block,
              std::ptrdiff_t shift = 0) const;
  void Scatter(std::size_t index, std::size_t start, std::size_t count, const void* block) const;
  /** True if the layout is tiled, and CopyTile can copy between these operands. */
  bool CopiesTiles(std::size_t to, std::size_t from) const;
  /** Copies the tile from number `start` on between two operands. */
  void CopyTile(std::size_t to, std::size_t from, std::size_t start) const;

 private:
  /** True if an axis has the larger strides, as far as the operands before do not differ. */
  bool Precedes(std::size_t left, std::size_t right) const;

  template <typename Copy>
  void ForRows(const Operand& operand, std::size_t start, std::size_t count, Copy copy) const;

  /** Returns the axis that tiles have beside the last one; the last one if there are no tiles. */
  std::size_t AcrossOfTiles() const;
  /** Returns the layout with both axes, whose lengths are multiples of kTile, divided into tiles. */
  Layout Tiled(std::size_t across) const;
  /** Gathers the tile at an address of an operand, column by column. */
  static void GatherTile(const Operand& operand, const std::byte* at, std::byte* block);

  std::vector<std::int64_t> shape_;
  std::vector<Operand> operands_;
  std::size_t size_;
  bool tiled_ = false;
};

}  // namespace stridelab::compute

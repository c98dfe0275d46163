#include "compute/reduce.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>

#include "compute/conversion.h"
#include "compute/crew.h"
#include "compute/odometer.h"

namespace stridelab::compute {
namespace {

std::size_t Product(const std::vector<std::int64_t>& shape) {
  return static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

/** Returns the byte strides of a contiguous row-major array of `shape`. */
std::vector<std::int64_t> PlainStrides(const std::vector<std::int64_t>& shape, std::size_t itemsize) {
  std::vector<std::int64_t> strides(shape.size());
  auto stride = static_cast<std::int64_t>(itemsize);
  for (std::size_t axis = shape.size(); axis-- > 0; stride *= shape[axis]) strides[axis] = stride;
  return strides;
}

/** A binary counter of values: level k holds the value of 2^k blocks. */
class Counter {
 public:
  explicit Counter(const Combiner& combiner) : combiner_(combiner), levels_((kLevels + 1) * 16) {}

  void Clear() { blocks_ = 0; }
  /** Adds the value of the next 2^level blocks; the number of blocks before them is a multiple of that. */
  void Add(const std::byte* value, std::size_t level) {
    const std::size_t blocks = std::size_t{1} << level;
    std::byte* sum = At(kLevels);
    std::memcpy(sum, value, combiner_.size);
    for (; (blocks_ >> level & 1) != 0; ++level) {
      Combine(At(level), sum);
      std::memcpy(sum, At(level), combiner_.size);
    }
    std::memcpy(At(level), sum, combiner_.size);
    blocks_ += blocks;
  }
  /** Combines all values into `total`. */
  void AddTo(std::byte* total) {
    for (std::size_t level = 0; blocks_ >> level != 0; ++level) {
      if ((blocks_ >> level & 1) != 0) Combine(total, At(level));
    }
  }
  void Combine(std::byte* into, const std::byte* value) const {
    combiner_.kernel(into, value, nullptr, into, 1);
  }

 private:
  static constexpr std::size_t kLevels = 64;

  std::byte* At(std::size_t level) { return levels_.data() + 16 * level; }

  const Combiner& combiner_;
  std::size_t blocks_ = 0;
  Scratch levels_;
};

/** Combines a row of any length into one value: each block by its total, and the values of blocks in a tree. */
class RowReducer {
 public:
  RowReducer(Combination combination, const Combiner& combiner, Type from, Type to)
      : combination_(combination),
        combiner_(combiner),
        from_(from),
        to_(to),
        direct_(Vector().totals(OpcodeOf(combination), from, to)),
        reader_(from, to),
        counter_(combiner) {}

  /** Combines the row into the value at `total`. Several threads take the subtrees of a long row. */
  void Reduce(const std::byte* row, std::int64_t stride, std::size_t count, std::byte* total) {
    if (count <= kMostAtOnce) {
      CombineBlock(row, stride, count);
      return counter_.Combine(total, value_.data());
    }
    counter_.Clear();
    const std::size_t subtrees = count / kSubtree;
    if (subtrees > 1 && PartsFor(count * SizeOf(from_)) > 1) {
      const Scratch values(subtrees * 16);
      RunParts(subtrees, [&](std::size_t subtree) {
        RowReducer reducer(combination_, combiner_, from_, to_);
        reducer.AddBlocks(row + static_cast<std::int64_t>(subtree * kSubtree) * stride, stride, kSubtree);
        std::byte* value = values.data() + 16 * subtree;
        std::memcpy(value, combiner_.identity.data(), combiner_.size);
        reducer.counter_.AddTo(value);
      });
      for (std::size_t subtree = 0; subtree < subtrees; ++subtree)
        counter_.Add(values.data() + 16 * subtree, kSubtreeLevel);
      row += static_cast<std::int64_t>(subtrees * kSubtree) * stride;
      count -= subtrees * kSubtree;
    }
    AddBlocks(row, stride, count);
    counter_.AddTo(total);
  }
  Reader& reader() { return reader_; }
  /** Loops that read the elements where they are. */
  const Totals& direct() const { return direct_; }

 private:
  static constexpr std::size_t kSubtreeLevel = 5;
  static constexpr std::size_t kSubtree = kMostAtOnce << kSubtreeLevel;
  static_assert(kMostAtOnce <= kMostSummed);

  void AddBlocks(const std::byte* row, std::int64_t stride, std::size_t count) {
    // The first value other than the identity decides.
    const bool truths = combination_ == Combination::kAny || combination_ == Combination::kAll;
    while (count > 0) {
      const std::size_t part = std::min(count, kMostAtOnce);
      CombineBlock(row, stride, part);
      counter_.Add(value_.data(), 0);
      if (truths && value_[0] != combiner_.identity[0]) return;
      row += static_cast<std::int64_t>(part) * stride;
      count -= part;
    }
  }
  /** Combines the elements of a block into the value. */
  void CombineBlock(const std::byte* block, std::int64_t stride, std::size_t count) {
    if (direct_.all != nullptr && stride == static_cast<std::int64_t>(SizeOf(from_)) && IsAligned(block)) {
      direct_.all(block, count, value_.data());
    } else {
      combiner_.total(reader_.Read(block, stride, count), count, value_.data());
    }
  }

  bool IsAligned(const std::byte* element) const {
    return (reinterpret_cast<std::uintptr_t>(element) & (SizeOf(from_) - 1)) == 0;
  }

  Combination combination_;
  const Combiner& combiner_;
  Type from_;
  Type to_;
  Totals direct_;
  Reader reader_;
  alignas(16) std::array<std::byte, 16> value_{};
  Counter counter_;
};

/** Combines each element of a block into its own total; totals are `step` bytes apart. */
void CombineRow(const Combiner& combiner, const std::byte* block, std::byte* totals, std::int64_t step,
                std::size_t count, std::byte* scratch) {
  const auto plain = static_cast<std::int64_t>(combiner.size);
  if (step == plain) {
    combiner.kernel(totals, block, nullptr, totals, count);
    return;
  }
  CopyRow(combiner.size, scratch, plain, totals, step, count);
  combiner.kernel(scratch, block, nullptr, scratch, count);
  CopyRow(combiner.size, totals, step, scratch, plain, count);
}

/** Writes `count` contiguous values, in row-major order of the kept axes, to the result. */
void WriteTotals(const Reduction& reduction, const std::byte* totals, std::size_t count, std::size_t size) {
  if (!IsSmallFloat(reduction.out_type) && reduction.out.strides == PlainStrides(reduction.kept, size)) {
    std::memcpy(reduction.out.first, totals, count * size);
    return;
  }
  Writer writer(reduction.out_type);
  Layout layout(reduction.kept, {reduction.out});
  layout.Join();
  const std::vector<std::int64_t> shape(layout.shape().begin(), layout.shape().end() - 1);
  const std::vector<std::int64_t>& strides = layout.operand(0).strides;
  Walk<1>(shape, {strides}, [&](const std::array<std::ptrdiff_t, 1>& at) {
    std::byte* row = layout.operand(0).first + at[0];
    for (std::size_t done = 0; done < layout.row(); done += kMostAtOnce) {
      const std::size_t part = std::min(kMostAtOnce, layout.row() - done);
      writer.Write(row + static_cast<std::int64_t>(done) * strides.back(), strides.back(), totals, part);
      totals += part * size;
    }
  });
}

/** Divides a layout into about `parts` so that each total, operand 1, belongs to one of them; undivided if there are too few. */
std::vector<Layout> DividedByTotals(const Layout& layout, std::size_t parts) {
  const std::vector<std::int64_t>& shape = layout.shape();
  std::size_t axis = shape.size();
  for (std::size_t other = 0; other < shape.size(); ++other) {
    const bool kept = layout.operand(1).strides[other] != 0;
    if (kept && (axis == shape.size() || shape[other] > shape[axis])) axis = other;
  }
  if (axis == shape.size() || shape[axis] < static_cast<std::int64_t>(CrewSize())) return {layout};
  // Pieces of rows are as long as possible.
  const bool last = axis + 1 == shape.size();
  const auto wanted = static_cast<std::int64_t>(last ? CrewSize() : parts);
  const std::int64_t share = (shape[axis] + wanted - 1) / wanted;
  std::vector<Layout> divided;
  for (std::int64_t first = 0; first < shape[axis]; first += share)
    divided.push_back(layout.Part(axis, first, std::min(share, shape[axis] - first)));
  return divided;
}

}  // namespace

Reduce::Reduce(Combination combination, Reduction reduction)
    : combination_(combination), reduction_(std::move(reduction)) {
  const bool truth = combination == Combination::kAny || combination == Combination::kAll;
  if (truth && reduction_.out_type != Type::kBool)
    throw std::invalid_argument("any and all need a bool output");
  const Type type = RegisterType(reduction_.out_type);
  const Combiner combiner(combination, type);
  const Reader reader(reduction_.in_type, type);
}

void Reduce::Combine(const Combiner& combiner, const Layout& layout) const {
  const Operand& in = layout.operand(0);
  const Operand& into = layout.operand(1);
  const std::size_t last = layout.shape().size() - 1;
  const std::int64_t step = in.strides.back();
  const std::int64_t total_step = into.strides.back();
  RowReducer rows(combination_, combiner, reduction_.in_type, RegisterType(reduction_.out_type));
  // Rows that have the same totals are combined together.
  const bool plain_totals = total_step == static_cast<std::int64_t>(combiner.size);
  const bool together = plain_totals && last > 0 && into.strides[last - 1] == 0 &&
                        layout.HasPlainRows(0, SizeOf(reduction_.in_type));
  const TotalOfColumns columns = together ? rows.direct().columns : nullptr;
  const Scratch scratch(total_step == 0 ? 0 : kMostAtOnce * combiner.size);
  const auto outer = std::span(layout.shape()).first(columns != nullptr ? last - 1 : last);
  Walk<2>(outer, {in.strides, into.strides}, [&](const std::array<std::ptrdiff_t, 2>& at) {
    const std::byte* row = in.first + at[0];
    std::byte* total = into.first + at[1];
    if (columns != nullptr) {
      return columns(row, static_cast<std::ptrdiff_t>(in.strides[last - 1]),
                     static_cast<std::size_t>(layout.shape()[last - 1]), layout.row(), total);
    }
    if (total_step == 0) return rows.Reduce(row, step, layout.row(), total);
    for (std::size_t done = 0; done < layout.row(); done += kMostAtOnce) {
      const std::size_t part = std::min(kMostAtOnce, layout.row() - done);
      const std::byte* block = rows.reader().Read(row + static_cast<std::int64_t>(done) * step, step, part);
      CombineRow(combiner, block, total + static_cast<std::int64_t>(done) * total_step, total_step, part,
                 scratch.data());
    }
  });
}

void Reduce::Run() const {
  const Type type = RegisterType(reduction_.out_type);
  const Combiner combiner(combination_, type);
  const std::size_t size = combiner.size;
  const std::size_t kept = Product(reduction_.kept);
  const Scratch totals(kept * size);
  for (std::size_t i = 0; i < kept; ++i)
    std::memcpy(totals.data() + i * size, combiner.identity.data(), size);
  if (Product(reduction_.reduced) > 0) {
    std::vector<std::int64_t> shape = reduction_.kept;
    shape.insert(shape.end(), reduction_.reduced.begin(), reduction_.reduced.end());
    std::vector<std::int64_t> strides = PlainStrides(reduction_.kept, size);
    strides.resize(shape.size(), 0);
    Layout layout(shape, {reduction_.in, {totals.data(), strides, size}});
    layout.Order();
    const std::size_t count = PartsFor(layout.size() * SizeOf(reduction_.in_type));
    if (count == 1) {
      Combine(combiner, layout);
    } else {
      const std::vector<Layout> parts = DividedByTotals(layout, count);
      RunParts(parts.size(), [&](std::size_t part) { Combine(combiner, parts[part]); });
    }
  }
  WriteTotals(reduction_, totals.data(), kept, size);
}

}  // namespace stridelab::compute

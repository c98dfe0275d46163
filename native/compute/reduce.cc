#include "compute/reduce.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include "compute/conversion.h"
#include "compute/odometer.h"
#include "compute/tree.h"

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

/** Combines a row of any length into one value: each block in a tree, and their values in a tree too. */
class RowReducer {
 public:
  RowReducer(const Combiner& combiner, Reader& reader)
      : combiner_(combiner), reader_(reader), scratch_(kMostAtOnce * combiner.size), levels_(kLevels * 16) {}

  /** Combines the row into the value at `total`. */
  void Reduce(const std::byte* row, std::int64_t stride, std::size_t count, std::byte* total) {
    std::size_t blocks = 0;
    while (count > 0) {
      const std::size_t part = std::min(count, kMostAtOnce);
      CombineBlock(combiner_, reader_.Read(row, stride, part), part, scratch_.data());
      row += static_cast<std::int64_t>(part) * stride;
      count -= part;
      if (blocks == 0 && count == 0) {
        Combine(total, scratch_.data());
        return;
      }
      // A binary counter: level k holds the value of 2^k blocks.
      std::size_t level = 0;
      for (; (blocks >> level & 1) != 0; ++level) {
        Combine(Level(level), scratch_.data());
        std::memcpy(scratch_.data(), Level(level), combiner_.size);
      }
      std::memcpy(Level(level), scratch_.data(), combiner_.size);
      ++blocks;
    }
    for (std::size_t level = 0; blocks >> level != 0; ++level) {
      if ((blocks >> level & 1) != 0) Combine(total, Level(level));
    }
  }

 private:
  static constexpr std::size_t kLevels = 64;

  std::byte* Level(std::size_t level) { return levels_.data() + 16 * level; }
  void Combine(std::byte* into, const std::byte* value) const {
    combiner_.kernel(into, value, nullptr, into, 1);
  }

  const Combiner& combiner_;
  Reader& reader_;
  Scratch scratch_;
  Scratch levels_;
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

/** Writes contiguous values, in row-major order of the kept axes, to the result. */
void WriteTotals(const Reduction& reduction, const std::byte* totals, std::size_t size) {
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
    const Operand& in = layout.operand(0);
    const Operand& into = layout.operand(1);
    const std::vector<std::int64_t> outer(layout.shape().begin(), layout.shape().end() - 1);
    const std::int64_t step = in.strides.back();
    const std::int64_t total_step = into.strides.back();
    Reader reader(reduction_.in_type, type);
    RowReducer rows(combiner, reader);
    const Scratch scratch(kMostAtOnce * size);
    Walk<2>(outer, {in.strides, into.strides}, [&](const std::array<std::ptrdiff_t, 2>& at) {
      const std::byte* row = in.first + at[0];
      std::byte* total = into.first + at[1];
      if (total_step == 0) {
        rows.Reduce(row, step, layout.row(), total);
        return;
      }
      for (std::size_t done = 0; done < layout.row(); done += kMostAtOnce) {
        const std::size_t part = std::min(kMostAtOnce, layout.row() - done);
        const std::byte* block = reader.Read(row + static_cast<std::int64_t>(done) * step, step, part);
        CombineRow(combiner, block, total + static_cast<std::int64_t>(done) * total_step, total_step, part,
                   scratch.data());
      }
    });
  }
  WriteTotals(reduction_, totals.data(), size);
}

}  // namespace stridelab::compute

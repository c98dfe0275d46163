#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <span>
#include <stdexcept>

#include "compute/conversion.h"
#include "compute/crew.h"
#include "compute/odometer.h"
#include "compute/reduce.h"

namespace stridelab::compute {
namespace {

/** Returns true if `left` precedes `right`. Reads both from memory; NaN comes first. */
template <typename Value>
bool Before(const std::byte* left, const std::byte* right, bool largest) {
  Value a;
  Value b;
  std::memcpy(&a, left, sizeof(a));
  std::memcpy(&b, right, sizeof(b));
  if (b != b) return false;
  return a != a || (largest ? a > b : a < b);
}

using Order = bool (*)(const std::byte* left, const std::byte* right, bool largest);

Order OrderOf(Type type) {
  Order order = Before<std::uint8_t>;
  VisitType(type, Reals{}, [&]<typename Value>(Value) { order = Before<Value>; });
  return order;
}

Combiner CombinerOf(bool largest, Type from) {
  return {largest ? Combination::kMax : Combination::kMin, RegisterType(from)};
}

/** Elements that one thread searches. */
constexpr std::size_t kRun = 32 * kMostAtOnce;

struct Best {
  alignas(16) std::array<std::byte, 16> value{};
  std::int64_t index = -1;
};

/** Searches the elements of layouts. Not for concurrent use. */
class RowSearcher {
 public:
  RowSearcher(bool largest, Type from)
      : largest_(largest),
        total_(CombinerOf(largest, from).total),
        find_(Vector().find_element(RegisterType(from))),
        order_(OrderOf(RegisterType(from))),
        gathered_(kMostAtOnce * SizeOf(from)),
        reader_(from, RegisterType(from)) {}

  /** Returns the best element from number `start` to `end`, all of which are `at` bytes further. */
  Best Search(const Layout& layout, std::ptrdiff_t at, std::size_t start, std::size_t end) {
    Best best;
    for (; start < end; start += kMostAtOnce) {
      const std::size_t count = std::min(kMostAtOnce, end - start);
      const std::byte* block = Read(layout, at, start, count);
      Best found;
      total_(block, count, found.value.data());
      if (best.index >= 0 && !Precedes(found, best)) continue;
      best.value = found.value;
      best.index = static_cast<std::int64_t>(start + find_(block, count, found.value.data()));
    }
    return best;
  }
  bool Precedes(const Best& left, const Best& right) const {
    return order_(left.value.data(), right.value.data(), largest_);
  }

 private:
  const std::byte* Read(const Layout& layout, std::ptrdiff_t at, std::size_t start, std::size_t count) {
    const Operand& in = layout.operand(0);
    if (layout.shape().size() > 1) {
      layout.Gather(0, start, count, gathered_.data(), at);
      return reader_.Convert(gathered_.data(), count);
    }
    return reader_.Read(in.first + at + static_cast<std::int64_t>(start) * in.strides[0], in.strides[0],
                        count);
  }

  bool largest_;
  Total total_;
  FindElement find_;
  Order order_;
  Scratch gathered_;
  Reader reader_;
};

/** Columns side by side, all of `rows` elements, and their byte strides. */
struct Columns {
  std::size_t rows;
  std::int64_t row_stride;
  std::int64_t column_stride;
};

/** Searches columns. Not for concurrent use. */
class ColumnSearcher {
 public:
  ColumnSearcher(bool largest, Type from, const Columns& columns)
      : search_(Vector().best_of_columns(largest, RegisterType(from))),
        columns_(columns),
        size_(SizeOf(from)),
        register_size_(RegisterSize(from)),
        converted_(RegisterType(from) != from),
        rows_(kRowsAtOnce * kMostColumns * register_size_),
        values_(kMostColumns * register_size_),
        indices_(kMostColumns * sizeof(std::int64_t)),
        reader_(from, RegisterType(from)) {}

  /** Returns the int64 indices of the best of each of up to kMostColumns columns. The next call overwrites them. */
  const std::byte* Search(const std::byte* first, std::size_t count) {
    const bool direct = IsDirect(first);
    const std::size_t most = direct ? kMostRows : kRowsAtOnce;
    for (std::size_t done = 0; done < columns_.rows; done += most) {
      const std::size_t rows = std::min(most, columns_.rows - done);
      const std::byte* block = first + static_cast<std::int64_t>(done) * columns_.row_stride;
      auto stride = static_cast<std::ptrdiff_t>(columns_.row_stride);
      if (!direct) {
        stride = static_cast<std::ptrdiff_t>(count * register_size_);
        block = ReadRows(block, rows, count);
      }
      search_(block, stride, rows, count, static_cast<std::int64_t>(done), values_.data(),
              reinterpret_cast<std::int64_t*>(indices_.data()));
    }
    return indices_.data();
  }

 private:
  /** Rows that are copied or converted before they are searched. */
  static constexpr std::size_t kRowsAtOnce = 32;

  /** True if the rows need neither a copy nor a conversion. */
  bool IsDirect(const std::byte* first) const {
    const auto size = static_cast<std::int64_t>(size_);
    return !converted_ && columns_.column_stride == size && columns_.row_stride % size == 0 &&
           reinterpret_cast<std::uintptr_t>(first) % size_ == 0;
  }
  const std::byte* ReadRows(const std::byte* first, std::size_t rows, std::size_t count) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(rows_.data() + row * count * register_size_,
                  reader_.Read(first, columns_.column_stride, count), count * register_size_);
      first += columns_.row_stride;
    }
    return rows_.data();
  }

  BestOfColumns search_;
  Columns columns_;
  std::size_t size_;
  std::size_t register_size_;
  bool converted_;
  Scratch rows_;
  Scratch values_;
  Scratch indices_;
  Reader reader_;
};

/** Fewest columns that are searched side by side. */
constexpr std::int64_t kLeastColumns = 8;

/** Returns the kept axis whose elements are nearest to each other, if they are nearer than those of rows; otherwise the rank. */
std::size_t ColumnAxis(const Reduction& part, std::int64_t row_stride) {
  std::size_t found = part.kept.size();
  std::int64_t nearest = std::abs(row_stride);
  for (std::size_t axis = 0; axis < part.kept.size(); ++axis) {
    const std::int64_t stride = std::abs(part.in.strides[axis]);
    if (part.kept[axis] < kLeastColumns || stride >= nearest) continue;
    nearest = stride;
    found = axis;
  }
  return found;
}

}  // namespace

ArgReduce::ArgReduce(bool largest, Reduction reduction)
    : largest_(largest), reduction_(std::move(reduction)) {
  if (reduction_.out_type != Type::kInt64)
    throw std::invalid_argument("argmin and argmax need an int64 output");
  if (std::ranges::find(reduction_.reduced, 0) != reduction_.reduced.end())
    throw std::invalid_argument("argmin and argmax need at least one element");
  const RowSearcher searcher(largest, reduction_.in_type);
}

void ArgReduce::Run() const {
  std::size_t size = reduction_.in.itemsize;
  for (const auto* lengths : {&reduction_.kept, &reduction_.reduced})
    for (const std::int64_t length : *lengths) size *= static_cast<std::size_t>(length);
  const auto parts = static_cast<std::int64_t>(PartsFor(size));
  const auto longest = std::ranges::max_element(reduction_.kept);
  if (parts == 1 || longest == reduction_.kept.end() || *longest < parts) return RunPart(reduction_);
  const auto axis = static_cast<std::size_t>(longest - reduction_.kept.begin());
  RunParts(static_cast<std::size_t>(parts), [&](std::size_t index) {
    const auto number = static_cast<std::int64_t>(index);
    const std::int64_t first = *longest * number / parts;
    Reduction part = reduction_;
    part.kept[axis] = *longest * (number + 1) / parts - first;
    part.out.first += first * part.out.strides[axis];
    part.in.first += first * part.in.strides[axis];
    RunPart(part);
  });
}

void ArgReduce::RunPart(const Reduction& part) const {
  const std::size_t rank = part.kept.size();
  const std::span<const std::int64_t> strides(part.in.strides);
  Layout layout(part.reduced, {{part.in.first,
                                {strides.begin() + static_cast<std::ptrdiff_t>(rank), strides.end()},
                                part.in.itemsize}});
  layout.Join();
  if (layout.shape().size() == 1) {
    const std::int64_t row_stride = layout.operand(0).strides[0];
    const std::size_t axis = ColumnAxis(part, row_stride);
    if (axis < rank) return RunColumns(part, axis, layout.row(), row_stride);
  }
  RowSearcher searcher(largest_, part.in_type);
  const std::size_t runs = (layout.size() + kRun - 1) / kRun;
  const std::span<const std::int64_t> out_strides(part.out.strides);
  Walk<2>(part.kept, {strides.first(rank), out_strides}, [&](const std::array<std::ptrdiff_t, 2>& at) {
    Best best;
    if (runs == 1) {
      best = searcher.Search(layout, at[0], 0, layout.size());
    } else {
      std::vector<Best> found(runs);
      RunParts(runs, [&](std::size_t run) {
        RowSearcher own(largest_, part.in_type);
        found[run] = own.Search(layout, at[0], run * kRun, std::min(layout.size(), (run + 1) * kRun));
      });
      best = found[0];
      for (const Best& other : found)
        if (searcher.Precedes(other, best)) best = other;
    }
    std::memcpy(part.out.first + at[1], &best.index, sizeof(best.index));
  });
}

void ArgReduce::RunColumns(const Reduction& part, std::size_t axis, std::size_t rows,
                           std::int64_t row_stride) const {
  const std::int64_t stride = part.in.strides[axis];
  const std::int64_t out_stride = part.out.strides[axis];
  ColumnSearcher searcher(largest_, part.in_type, {rows, row_stride, stride});
  std::vector<std::int64_t> others = part.kept;
  others[axis] = 1;
  const auto length = static_cast<std::size_t>(part.kept[axis]);
  const std::span<const std::int64_t> strides(part.in.strides);
  const std::span<const std::int64_t> out_strides(part.out.strides);
  Walk<2>(others, {strides.first(others.size()), out_strides}, [&](const std::array<std::ptrdiff_t, 2>& at) {
    for (std::size_t done = 0; done < length; done += kMostColumns) {
      const auto number = static_cast<std::int64_t>(done);
      const std::size_t count = std::min(kMostColumns, length - done);
      CopyRow(sizeof(std::int64_t), part.out.first + at[1] + number * out_stride, out_stride,
              searcher.Search(part.in.first + at[0] + number * stride, count), sizeof(std::int64_t), count);
    }
  });
}

}  // namespace stridelab::compute

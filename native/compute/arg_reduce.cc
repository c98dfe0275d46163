#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "compute/conversion.h"
#include "compute/crew.h"
#include "compute/odometer.h"
#include "compute/reduce.h"
#include "compute/tree.h"

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

/** Returns the index of the first element that `matches`, in chunks whose loops are vectorized; the last if there is none. */
template <typename Value, typename Matches>
std::size_t FindFirst(const Value* values, std::size_t count, Matches matches) {
  constexpr std::size_t kChunk = 64;
  std::size_t start = 0;
  for (; start + kChunk <= count; start += kChunk) {
    Value any = 0;
    for (std::size_t i = 0; i < kChunk; ++i) any = matches(values[start + i]) ? Value(1) : any;
    if (any != 0) break;
  }
  while (start + 1 < count && !matches(values[start])) ++start;
  return start;
}

/** Returns the index of the first element equal to `wanted`, NaN included; the last if a byte is not a valid
 * bool. */
template <typename Value>
std::size_t Find(const std::byte* block, std::size_t count, const std::byte* wanted) {
  Value value;
  std::memcpy(&value, wanted, sizeof(value));
  const auto* values = reinterpret_cast<const Value*>(block);
  if (value != value) return FindFirst(values, count, [](Value x) { return x != x; });
  return FindFirst(values, count, [value](Value x) { return x == value; });
}

struct Order {
  bool (*before)(const std::byte* left, const std::byte* right, bool largest);
  std::size_t (*find)(const std::byte* block, std::size_t count, const std::byte* wanted);
};

template <typename Value>
constexpr Order kOrder{Before<Value>, Find<Value>};

/** Elements that one thread searches. */
constexpr std::size_t kRun = 32 * kMostAtOnce;

struct Best {
  alignas(16) std::array<std::byte, 16> value{};
  std::int64_t index = -1;
};

Order OrderOf(Type type) {
  Order order = kOrder<std::uint8_t>;
  VisitType(type, Reals{}, [&]<typename Value>(Value) { order = kOrder<Value>; });
  return order;
}

}  // namespace

ArgReduce::ArgReduce(bool largest, Reduction reduction)
    : largest_(largest), reduction_(std::move(reduction)) {
  if (reduction_.out_type != Type::kInt64)
    throw std::invalid_argument("argmin and argmax need an int64 output");
  if (std::ranges::find(reduction_.reduced, 0) != reduction_.reduced.end())
    throw std::invalid_argument("argmin and argmax need at least one element");
  const Combiner combiner(largest ? Combination::kMax : Combination::kMin, RegisterType(reduction_.in_type));
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
  const Type type = RegisterType(part.in_type);
  const Combiner combiner(largest_ ? Combination::kMax : Combination::kMin, type);
  const Order order = OrderOf(type);
  const std::size_t rank = part.kept.size();
  const std::span<const std::int64_t> strides(part.in.strides);
  Layout layout(part.reduced, {{part.in.first,
                                {strides.begin() + static_cast<std::ptrdiff_t>(rank), strides.end()},
                                part.in.itemsize}});
  layout.Join();
  // The best of a run of elements, and the first element that is as good.
  const auto find = [&](std::ptrdiff_t at, std::size_t start, std::size_t end) {
    Best best;
    Reader reader(part.in_type, type);
    const Scratch gathered(kMostAtOnce * part.in.itemsize);
    const Scratch scratch(kMostAtOnce * combiner.size);
    for (; start < end; start += kMostAtOnce) {
      const std::size_t count = std::min(kMostAtOnce, end - start);
      const std::byte* block = nullptr;
      if (layout.shape().size() == 1) {
        const std::int64_t stride = layout.operand(0).strides[0];
        const std::byte* first = layout.operand(0).first + at;
        block = reader.Read(first + static_cast<std::int64_t>(start) * stride, stride, count);
      } else {
        layout.Gather(0, start, count, gathered.data(), at);
        block = reader.Convert(gathered.data(), count);
      }
      CombineBlock(combiner, block, count, scratch.data());
      if (best.index >= 0 && !order.before(scratch.data(), best.value.data(), largest_)) continue;
      std::memcpy(best.value.data(), scratch.data(), combiner.size);
      best.index = static_cast<std::int64_t>(start + order.find(block, count, best.value.data()));
    }
    return best;
  };
  const std::span<const std::int64_t> out_strides(part.out.strides);
  Walk<2>(part.kept, {strides.first(rank), out_strides}, [&](const std::array<std::ptrdiff_t, 2>& at) {
    const std::size_t runs = (layout.size() + kRun - 1) / kRun;
    std::vector<Best> found(runs);
    RunParts(runs, [&](std::size_t run) {
      found[run] = find(at[0], run * kRun, std::min(layout.size(), (run + 1) * kRun));
    });
    Best best = found[0];
    for (const Best& other : found)
      if (order.before(other.value.data(), best.value.data(), largest_)) best = other;
    std::memcpy(part.out.first + at[1], &best.index, sizeof(best.index));
  });
}

}  // namespace stridelab::compute

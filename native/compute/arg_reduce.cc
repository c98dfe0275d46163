#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>

#include "compute/conversion.h"
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

/** Returns the index of the first element equal to `wanted`, NaN included; the last if a byte is not a valid
 * bool. */
template <typename Value>
std::size_t Find(const std::byte* block, std::size_t count, const std::byte* wanted) {
  Value value;
  std::memcpy(&value, wanted, sizeof(value));
  const auto* values = reinterpret_cast<const Value*>(block);
  std::size_t index = 0;
  while (index + 1 < count && values[index] != value && (value == value || values[index] == values[index]))
    ++index;
  return index;
}

struct Order {
  bool (*before)(const std::byte* left, const std::byte* right, bool largest);
  std::size_t (*find)(const std::byte* block, std::size_t count, const std::byte* wanted);
};

template <typename Value>
constexpr Order kOrder{Before<Value>, Find<Value>};

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
  const Type type = RegisterType(reduction_.in_type);
  const Combiner combiner(largest_ ? Combination::kMax : Combination::kMin, type);
  const Order order = OrderOf(type);
  const std::size_t rank = reduction_.kept.size();
  const std::span<const std::int64_t> strides(reduction_.in.strides);
  Layout layout(reduction_.reduced, {{reduction_.in.first,
                                      {strides.begin() + static_cast<std::ptrdiff_t>(rank), strides.end()},
                                      reduction_.in.itemsize}});
  layout.Join();
  Reader reader(reduction_.in_type, type);
  const Scratch gathered(kMostAtOnce * reduction_.in.itemsize);
  const Scratch scratch(kMostAtOnce * combiner.size);
  const std::span<const std::int64_t> out_strides(reduction_.out.strides);
  Walk<2>(reduction_.kept, {strides.first(rank), out_strides}, [&](const std::array<std::ptrdiff_t, 2>& at) {
    alignas(16) std::array<std::byte, 16> best{};
    std::int64_t found = -1;
    for (std::size_t start = 0; start < layout.size(); start += kMostAtOnce) {
      const std::size_t count = std::min(kMostAtOnce, layout.size() - start);
      const std::byte* block = nullptr;
      if (layout.shape().size() == 1) {
        const std::int64_t stride = layout.operand(0).strides[0];
        const std::byte* first = layout.operand(0).first + at[0];
        block = reader.Read(first + static_cast<std::int64_t>(start) * stride, stride, count);
      } else {
        layout.Gather(0, start, count, gathered.data(), at[0]);
        block = reader.Convert(gathered.data(), count);
      }
      CombineBlock(combiner, block, count, scratch.data());
      if (found >= 0 && !order.before(scratch.data(), best.data(), largest_)) continue;
      std::memcpy(best.data(), scratch.data(), combiner.size);
      found = static_cast<std::int64_t>(start + order.find(block, count, best.data()));
    }
    std::memcpy(reduction_.out.first + at[1], &found, sizeof(found));
  });
}

}  // namespace stridelab::compute

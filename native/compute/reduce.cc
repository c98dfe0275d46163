#include "compute/reduce.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "compute/kernels.h"
#include "compute/small_floats.h"

namespace stridelab::compute {
namespace {

constexpr std::size_t kBlock = 2048;
/** Elements that are added in lanes before the lanes are: rounding errors stay those of a short sum. */
constexpr std::size_t kChunk = 512;
constexpr std::size_t kLanes = 32;

/** What sums and products are carried in. */
template <typename Value>
using Wide = std::conditional_t<
    kIsComplex<Value>, std::complex<double>,
    std::conditional_t<std::is_floating_point_v<Value>, double,
                       std::conditional_t<std::is_unsigned_v<Value> && !std::is_same_v<Value, bool>,
                                          std::uint64_t, std::int64_t>>>;

template <typename Value>
constexpr Type TypeFor() {
  if constexpr (std::is_same_v<Value, double>) return Type::kFloat64;
  if constexpr (std::is_same_v<Value, std::complex<double>>) return Type::kComplex128;
  if constexpr (std::is_same_v<Value, std::uint64_t>) return Type::kUint64;
  return Type::kInt64;
}

/** A carried value that overflows wraps. */
template <typename Value>
Value Plus(Value a, Value b) {
  if constexpr (std::is_integral_v<Value>)
    return static_cast<Value>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  else
    return a + b;
}

template <typename Value>
Value Times(Value a, Value b) {
  if constexpr (std::is_integral_v<Value>)
    return static_cast<Value>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  else
    return a * b;
}

template <typename Element>
struct Sum {
  using Carried = Wide<Element>;
  static constexpr Carried Start() { return Carried{0}; }
  static Carried One(Element value) { return static_cast<Carried>(value); }
  static Carried Join(Carried carried, Carried value) { return Plus(carried, value); }
  static Carried Block(const Element* values, std::size_t count) {
    Carried total{0};
    if constexpr (std::is_floating_point_v<Element>) {
      for (std::size_t start = 0; start < count; start += kChunk) {
        const std::size_t end = std::min(count, start + kChunk);
        std::array<Element, kLanes> lanes{};
        std::size_t index = start;
        for (; index + kLanes <= end; index += kLanes) {
          for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += values[index + lane];
        }
        double chunk = 0;
        for (const Element lane : lanes) chunk += static_cast<double>(lane);
        for (; index < end; ++index) chunk += static_cast<double>(values[index]);
        total += chunk;
      }
    } else {
      for (std::size_t index = 0; index < count; ++index)
        total = Plus(total, static_cast<Carried>(values[index]));
    }
    return total;
  }
};

template <typename Element>
struct Product {
  using Carried = Wide<Element>;
  static constexpr Carried Start() { return Carried{1}; }
  static Carried One(Element value) { return static_cast<Carried>(value); }
  static Carried Join(Carried carried, Carried value) { return Times(carried, value); }
  static Carried Block(const Element* values, std::size_t count) {
    Carried total{1};
    for (std::size_t index = 0; index < count; ++index)
      total = Times(total, static_cast<Carried>(values[index]));
    return total;
  }
};

template <typename Element, bool kLeast>
struct Extreme {
  using Carried = Element;
  static Carried Start() {
    using Limits = std::numeric_limits<Element>;
    if constexpr (std::is_floating_point_v<Element>) return kLeast ? Limits::infinity() : -Limits::infinity();
    return kLeast ? Limits::max() : Limits::lowest();
  }
  static Carried One(Element value) { return value; }
  static Carried Join(Carried carried, Carried value) {
    if constexpr (std::is_floating_point_v<Element>) {
      if (carried != carried) return carried;
      if (value != value) return value;
    }
    return (kLeast ? value < carried : value > carried) ? value : carried;
  }
  static Carried Block(const Element* values, std::size_t count) {
    Carried best = Start();
    bool nan = false;
    for (std::size_t index = 0; index < count; ++index) {
      if constexpr (std::is_floating_point_v<Element>) nan |= values[index] != values[index];
      best = (kLeast ? values[index] < best : values[index] > best) ? values[index] : best;
    }
    if constexpr (std::is_floating_point_v<Element>) {
      if (nan) return std::numeric_limits<Element>::quiet_NaN();
    }
    return best;
  }
};

template <typename Element, bool kEvery>
struct Truth {
  using Carried = bool;
  static constexpr Carried Start() { return kEvery; }
  static Carried One(Element value) { return value != Element{0}; }
  static Carried Join(Carried carried, Carried value) { return kEvery ? carried && value : carried || value; }
  static Carried Block(const Element* values, std::size_t count) {
    bool found = kEvery;
    for (std::size_t index = 0; index < count; ++index) found = Join(found, values[index] != Element{0});
    return found;
  }
};

/** Elements of one operand as registers, some at a time. */
template <typename Element>
class Source {
 public:
  Source(Type type, const std::byte* base) : type_(type), base_(base), values_(kBlock), codes_(kBlock * 2) {}

  const Element* Read(Cursor& cursor, std::size_t count) {
    auto* values = reinterpret_cast<Element*>(values_.data());
    if (IsSmallFloat(type_)) {
      cursor.Gather(base_, ItemSize(type_), codes_.data(), count);
      if constexpr (std::is_same_v<Element, float>) Decode(type_, codes_.data(), values, count);
    } else {
      cursor.Gather(base_, ItemSize(type_), values, count);
    }
    return values;
  }
  /** Where `count` elements lie side by side already; null where they do not. */
  const Element* InPlace(std::int64_t offset, std::int64_t stride) const {
    const std::byte* at = base_ + offset;
    const bool aligned = reinterpret_cast<std::uintptr_t>(at) % alignof(Element) == 0;
    const bool dense = !IsSmallFloat(type_) && stride == static_cast<std::int64_t>(sizeof(Element));
    return aligned && dense ? reinterpret_cast<const Element*>(at) : nullptr;
  }

 private:
  struct alignas(Element) Cell {
    std::byte bytes[sizeof(Element)];
  };
  Type type_;
  const std::byte* base_;
  std::vector<Cell> values_;
  std::vector<std::byte> codes_;
};

/** Carried values to elements of the result. */
class Sink {
 public:
  Sink(Type carried, Type to, std::byte* base, const Extents& shape, const Strided& out)
      : cast_(carried == to ? nullptr : FindCast(carried, to)),
        to_(to),
        base_(base),
        cursor_(shape, out),
        converted_(kBlock * 16),
        codes_(kBlock * 2) {}

  void Write(const void* carried, std::size_t count) {
    const void* values = carried;
    if (cast_ != nullptr) {
      cast_(converted_.data(), carried, nullptr, nullptr, count);
      values = converted_.data();
    }
    if (IsSmallFloat(to_)) {
      Encode(to_, static_cast<const float*>(values), codes_.data(), count);
      values = codes_.data();
    }
    cursor_.Scatter(base_, ItemSize(to_), values, count);
  }

 private:
  Kernel cast_;
  Type to_;
  std::byte* base_;
  Cursor cursor_;
  std::vector<std::byte> converted_;
  std::vector<std::byte> codes_;
};

std::int64_t SizeOf(const Extents& shape) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) size *= length;
  return size;
}

/** The axes of one group, simplified for an operand: the order of elements does not matter to what is
 * computed. */
Space Simple(const Extents& shape, const Strided& operand) { return Space{shape, {operand}}.Simplified(); }

std::int64_t LeastStride(const Extents& shape, const std::vector<std::int64_t>& strides, std::size_t first) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] > 1) least = std::min(least, std::abs(strides[first + axis]));
  }
  return least;
}

/** Each element of the result from its own run of elements. */
template <typename Element, typename Operation>
void ReduceRows(const ReduceRequest& request, Source<Element>& source, Sink& sink) {
  using Carried = typename Operation::Carried;
  const std::size_t rank = request.kept.size();
  const std::int64_t rows = SizeOf(request.kept);
  const Strided reduced{
      0, {request.in.strides.begin() + static_cast<std::ptrdiff_t>(rank), request.in.strides.end()}};
  const Space run = Simple(request.reduced, reduced);
  const auto length = static_cast<std::size_t>(run.Size());
  const bool single = run.shape.size() <= 1;
  const std::int64_t stride =
      run.shape.empty() ? static_cast<std::int64_t>(sizeof(Element)) : run.operands[0].strides[0];
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t offset = request.in.offset;
  for (std::int64_t row = 0; row < rows; ++row) {
    Carried carried = Operation::Start();
    const std::int64_t start = offset + run.operands[0].offset;
    const Element* dense = single ? source.InPlace(start, stride) : nullptr;
    Cursor cursor(run.shape, Strided{start, run.operands[0].strides});
    for (std::size_t done = 0; done < length; done += kBlock) {
      const std::size_t count = std::min(kBlock, length - done);
      const Element* values = dense != nullptr ? dense + done : source.Read(cursor, count);
      carried = Operation::Join(carried, Operation::Block(values, count));
    }
    sink.Write(&carried, 1);
    for (std::size_t axis = rank; axis-- > 0;) {
      offset += request.in.strides[axis];
      if (++index[axis] < request.kept[axis]) break;
      offset -= request.kept[axis] * request.in.strides[axis];
      index[axis] = 0;
    }
  }
}

/** Many elements of the result at once, where they lie closer together than what each is made of. */
template <typename Element, typename Operation>
void ReduceColumns(const ReduceRequest& request, Source<Element>& source, Sink& sink) {
  using Carried = typename Operation::Carried;
  const std::size_t rank = request.kept.size();
  const auto split = request.in.strides.begin() + static_cast<std::ptrdiff_t>(rank);
  const Strided kept{request.in.offset, {request.in.strides.begin(), split}};
  const std::vector<std::int64_t> steps(split, request.in.strides.end());
  const auto columns = static_cast<std::size_t>(SizeOf(request.kept));
  const std::int64_t runs = SizeOf(request.reduced);
  // The result is written in the order of the kept axes, so they merge but keep their order.
  const bool single = rank == 1;
  Cursor start(request.kept, kept);
  const auto carried = std::make_unique<Carried[]>(kBlock);
  Carried* totals = carried.get();
  for (std::size_t done = 0; done < columns; done += kBlock) {
    const std::size_t count = std::min(kBlock, columns - done);
    std::fill_n(totals, count, Operation::Start());
    std::vector<std::int64_t> index(request.reduced.size(), 0);
    std::int64_t shift = 0;
    Cursor next = start;
    for (std::int64_t run = 0; run < runs; ++run) {
      const Element* values = nullptr;
      if (single)
        values = source.InPlace(request.in.offset + shift + static_cast<std::int64_t>(done) * kept.strides[0],
                                kept.strides[0]);
      if (values == nullptr) {
        next = start;
        next.Shift(shift);
        values = source.Read(next, count);
      }
      for (std::size_t column = 0; column < count; ++column)
        totals[column] = Operation::Join(totals[column], Operation::One(values[column]));
      for (std::size_t axis = index.size(); axis-- > 0;) {
        shift += steps[axis];
        if (++index[axis] < request.reduced[axis]) break;
        shift -= request.reduced[axis] * steps[axis];
        index[axis] = 0;
      }
    }
    start.Skip(count);
    sink.Write(totals, count);
  }
}

template <typename Element, typename Operation>
void Run(const ReduceRequest& request, Type carried, std::byte* out, const std::byte* in) {
  Source<Element> source(request.from, in);
  Sink sink(carried, request.to, out, request.kept, request.out);
  const std::size_t rank = request.kept.size();
  const bool across = LeastStride(request.kept, request.in.strides, 0) <
                      LeastStride(request.reduced, request.in.strides, rank);
  if (across) return ReduceColumns<Element, Operation>(request, source, sink);
  ReduceRows<Element, Operation>(request, source, sink);
}

/** The first position of the least or largest; NaN counts as either. */
template <typename Element, bool kLeast>
void FindPositions(const ReduceRequest& request, std::byte* out, const std::byte* in) {
  Source<Element> source(request.from, in);
  Sink sink(Type::kInt64, request.to, out, request.kept, request.out);
  const std::size_t rank = request.kept.size();
  const std::vector<std::int64_t> steps(request.in.strides.begin() + static_cast<std::ptrdiff_t>(rank),
                                        request.in.strides.end());
  const auto length = static_cast<std::size_t>(SizeOf(request.reduced));
  const std::int64_t rows = SizeOf(request.kept);
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t offset = request.in.offset;
  for (std::int64_t row = 0; row < rows; ++row) {
    const Strided operand{offset, steps};
    Cursor cursor(request.reduced, operand);
    std::int64_t position = 0;
    Element best{};
    bool settled = false;
    for (std::size_t done = 0; done < length && !settled; done += kBlock) {
      const std::size_t count = std::min(kBlock, length - done);
      const Element* values = source.Read(cursor, count);
      for (std::size_t at = 0; at < count; ++at) {
        const Element value = values[at];
        const bool nan = value != value;
        if ((done + at == 0) || nan || (kLeast ? value < best : value > best)) {
          best = value;
          position = static_cast<std::int64_t>(done + at);
          settled = nan;
          if (settled) break;
        }
      }
    }
    sink.Write(&position, 1);
    for (std::size_t axis = rank; axis-- > 0;) {
      offset += request.in.strides[axis];
      if (++index[axis] < request.kept[axis]) break;
      offset -= request.kept[axis] * request.in.strides[axis];
      index[axis] = 0;
    }
  }
}

template <typename Element, typename Operation>
void CumulateWith(const CumulateRequest& request, Type carried_type, std::byte* out, const std::byte* in) {
  using Carried = typename Operation::Carried;
  Source<Element> source(request.from, in);
  const std::size_t rank = request.shape.size();
  const std::int64_t rows = SizeOf(request.shape);
  const Extents line = {request.length};
  const auto length = static_cast<std::size_t>(request.length);
  std::vector<std::int64_t> index(rank, 0);
  std::int64_t in_offset = request.in.offset;
  std::int64_t out_offset = request.out.offset;
  const auto results = std::make_unique<Carried[]>(kBlock);
  Carried* carried = results.get();
  for (std::int64_t row = 0; row < rows; ++row) {
    const Strided from{in_offset, {request.in.strides[rank]}};
    const Strided to{out_offset, {request.out.strides[rank]}};
    Cursor cursor(line, from);
    Sink sink(carried_type, request.to, out, line, to);
    Carried total = Operation::Start();
    for (std::size_t done = 0; done < length; done += kBlock) {
      const std::size_t count = std::min(kBlock, length - done);
      const Element* values = source.Read(cursor, count);
      for (std::size_t at = 0; at < count; ++at) {
        total = Operation::Join(total, Operation::One(values[at]));
        carried[at] = total;
      }
      sink.Write(carried, count);
    }
    for (std::size_t axis = rank; axis-- > 0;) {
      in_offset += request.in.strides[axis];
      out_offset += request.out.strides[axis];
      if (++index[axis] < request.shape[axis]) break;
      in_offset -= request.shape[axis] * request.in.strides[axis];
      out_offset -= request.shape[axis] * request.out.strides[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

bool CanReduce(Reduction operation, Type from, Type to) {
  switch (operation) {
    case Reduction::kSum:
    case Reduction::kProduct:
      return true;
    case Reduction::kMinimum:
    case Reduction::kMaximum:
      return !IsComplex(from) && to == from;
    case Reduction::kAny:
    case Reduction::kAll:
      return to == Type::kBool;
    case Reduction::kArgMinimum:
    case Reduction::kArgMaximum:
      return !IsComplex(from) && to == Type::kInt64;
  }
  return false;
}

void Reduce(const ReduceRequest& request, std::byte* out, const std::byte* in) {
  if (SizeOf(request.kept) == 0) return;
  WithType(request.from, [&](auto value) {
    using Element = decltype(value);
    const Type own = Arithmetic(request.from);
    if (request.operation == Reduction::kSum)
      return Run<Element, Sum<Element>>(request, TypeFor<Wide<Element>>(), out, in);
    if (request.operation == Reduction::kProduct)
      return Run<Element, Product<Element>>(request, TypeFor<Wide<Element>>(), out, in);
    if (request.operation == Reduction::kAny)
      return Run<Element, Truth<Element, false>>(request, Type::kBool, out, in);
    if (request.operation == Reduction::kAll)
      return Run<Element, Truth<Element, true>>(request, Type::kBool, out, in);
    if constexpr (!kIsComplex<Element>) {
      ReduceRequest plain = request;
      if (request.operation == Reduction::kMinimum)
        return Run<Element, Extreme<Element, true>>(plain, own, out, in);
      if (request.operation == Reduction::kMaximum)
        return Run<Element, Extreme<Element, false>>(plain, own, out, in);
      if (request.operation == Reduction::kArgMinimum) return FindPositions<Element, true>(plain, out, in);
      return FindPositions<Element, false>(plain, out, in);
    }
  });
}

void Cumulate(const CumulateRequest& request, std::byte* out, const std::byte* in) {
  if (SizeOf(request.shape) == 0 || request.length == 0) return;
  WithType(request.from, [&](auto value) {
    using Element = decltype(value);
    if (request.operation == Reduction::kSum)
      return CumulateWith<Element, Sum<Element>>(request, TypeFor<Wide<Element>>(), out, in);
    if (request.operation == Reduction::kProduct)
      return CumulateWith<Element, Product<Element>>(request, TypeFor<Wide<Element>>(), out, in);
    if constexpr (!kIsComplex<Element>) {
      const Type own = Arithmetic(request.from);
      if (request.operation == Reduction::kMinimum)
        return CumulateWith<Element, Extreme<Element, true>>(request, own, out, in);
      return CumulateWith<Element, Extreme<Element, false>>(request, own, out, in);
    }
  });
}

}  // namespace stridelab::compute

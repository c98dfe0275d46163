#include "compute/combination.h"

#include <complex>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <type_traits>

namespace stridelab::compute {

Opcode OpcodeOf(Combination combination) {
  switch (combination) {
    case Combination::kSum:
      return Opcode::kAdd;
    case Combination::kProd:
      return Opcode::kMultiply;
    case Combination::kMin:
      return Opcode::kMinimum;
    case Combination::kMax:
      return Opcode::kMaximum;
    case Combination::kAny:
      return Opcode::kLogicalOr;
    case Combination::kAll:
      return Opcode::kLogicalAnd;
  }
  return Opcode::kAdd;
}

namespace {

template <typename Value>
Value IdentityOf(Combination combination) {
  using Limits = std::numeric_limits<Value>;
  switch (combination) {
    case Combination::kProd:
    case Combination::kAll:
      return Value(1);
    case Combination::kMin:
      return Limits::has_infinity ? Limits::infinity() : Limits::max();
    case Combination::kMax:
      return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    default:
      return Value(0);
  }
}

template <typename Value, auto kCombine>
void Scan(const void* in, void* out, void* carry, std::size_t count) {
  const auto* from = static_cast<const Value*>(in);
  auto* to = static_cast<Value*>(out);
  Value running = *static_cast<Value*>(carry);
  for (std::size_t i = 0; i < count; ++i) to[i] = running = kCombine(running, from[i]);
  *static_cast<Value*>(carry) = running;
}

template <typename Value>
void Store(Combiner& combiner, Combination combination) {
  const Value value = IdentityOf<Value>(combination);
  std::memcpy(combiner.identity.data(), &value, sizeof(value));
  // Integers wrap: computed in 64 unsigned bits, whose low bits are the result.
  using Wide = std::conditional_t<std::is_integral_v<Value>, std::uint64_t, Value>;
  switch (combination) {
    case Combination::kProd:
      combiner.scan = Scan<Value, [](Value x, Value y) { return static_cast<Value>(Wide(x) * Wide(y)); }>;
      return;
    case Combination::kMin:
      combiner.scan = Scan<Value, [](Value x, Value y) { return x <= y || x != x ? x : y; }>;
      return;
    case Combination::kMax:
      combiner.scan = Scan<Value, [](Value x, Value y) { return x >= y || x != x ? x : y; }>;
      return;
    default:
      combiner.scan = Scan<Value, [](Value x, Value y) { return static_cast<Value>(Wide(x) + Wide(y)); }>;
  }
}

/** Supports sums and products only. */
template <typename Part>
void StoreComplex(Combiner& combiner, Combination combination) {
  using Value = std::complex<Part>;
  const Value value = IdentityOf<Part>(combination);
  std::memcpy(combiner.identity.data(), &value, sizeof(value));
  if (combination == Combination::kProd) {
    combiner.scan = Scan<Value, [](Value x, Value y) {
      return Value(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
    }>;
  } else {
    combiner.scan = Scan<Value, [](Value x, Value y) { return x + y; }>;
  }
}

void StoreBool(Combiner& combiner, Combination combination) {
  const bool both = combination == Combination::kProd || combination == Combination::kMin ||
                    combination == Combination::kAll;
  combiner.identity[0] = static_cast<std::byte>(both);
  combiner.scan =
      both ? Scan<std::uint8_t, [](std::uint8_t x, std::uint8_t y) -> std::uint8_t { return x & y; }>
           : Scan<std::uint8_t, [](std::uint8_t x, std::uint8_t y) -> std::uint8_t { return x | y; }>;
}

}  // namespace

Combiner::Combiner(Combination combination, Type type)
    : kernel(FindKernel(OpcodeOf(combination), type, type)),
      total(Vector().totals(OpcodeOf(combination), type, type).all),
      scan(nullptr),
      size(SizeOf(type)) {
  if (kernel == nullptr || total == nullptr)
    throw std::invalid_argument("the operation does not support its type");
  if (type == Type::kBool) StoreBool(*this, combination);
  VisitType(type, Reals{}, [&]<typename Value>(Value) { Store<Value>(*this, combination); });
  VisitType(type, Complexes{}, [&]<typename Part>(Complex<Part>) { StoreComplex<Part>(*this, combination); });
}

}  // namespace stridelab::compute

#include "compute/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <stdexcept>

#include "compute/conversion.h"

namespace stridelab::compute {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words Philox(std::uint64_t counter, std::uint64_t seed) {
  Words x{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0};
  auto low = static_cast<std::uint32_t>(seed);
  auto high = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xd2511f53} * x[0];
    const std::uint64_t second = std::uint64_t{0xcd9e8d57} * x[2];
    x = {static_cast<std::uint32_t>(second >> 32) ^ x[1] ^ low, static_cast<std::uint32_t>(second),
         static_cast<std::uint32_t>(first >> 32) ^ x[3] ^ high, static_cast<std::uint32_t>(first)};
    low += 0x9e3779b9;
    high += 0xbb67ae85;
  }
  return x;
}

std::uint64_t Pair(const Words& x, std::size_t index) {
  return x[2 * index] | static_cast<std::uint64_t>(x[2 * index + 1]) << 32;
}

template <typename Value>
inline constexpr std::size_t kGroup = sizeof(Value) == 8 ? 2 : 4;

/** Returns a number from 0 to below 1. */
template <typename Value>
Value Unit(const Words& x, std::size_t index) {
  if constexpr (kGroup<Value> == 2) return static_cast<Value>(Pair(x, index) >> 11) * 0x1p-53;
  return static_cast<Value>(x[index] >> 8) * static_cast<Value>(0x1p-24);
}

template <typename Value>
void Uniform(const Random& random, const Words& x, Value* group) {
  const auto low = static_cast<Value>(random.first);
  const auto width = static_cast<Value>(random.second - random.first);
  for (std::size_t i = 0; i < kGroup<Value>; ++i) {
    const Value scaled = Unit<Value>(x, i) * width;
    group[i] = low + scaled;
  }
}

template <typename Value>
void Normal(const Random& random, const Words& x, Value* group) {
  const auto mean = static_cast<Value>(random.first);
  const auto deviation = static_cast<Value>(random.second);
  for (std::size_t i = 0; i < kGroup<Value>; i += 2) {
    const Value radius = std::sqrt(Value(-2) * std::log(Value(1) - Unit<Value>(x, i)));
    const Value angle = 2 * std::numbers::pi_v<Value> * Unit<Value>(x, i + 1);
    const Value across = radius * std::cos(angle) * deviation;
    const Value along = radius * std::sin(angle) * deviation;
    group[i] = mean + across;
    group[i + 1] = mean + along;
  }
}

/** Returns the high 64 bits of a product. */
std::uint64_t High(std::uint64_t x, std::uint64_t y) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(x) * y) >> 64);
}

template <typename Value>
void Integers(const Random& random, const Words& x, Value* group) {
  for (std::size_t i = 0; i < kGroup<Value>; ++i) {
    const std::uint64_t word = kGroup<Value> == 2 ? Pair(x, i % 2) : static_cast<std::uint64_t>(x[i]) << 32;
    group[i] = static_cast<Value>(random.low + High(word, random.range));
  }
}

template <typename Value>
void Bits(const Random&, const Words& x, Value* group) {
  for (std::size_t i = 0; i < kGroup<Value>; ++i)
    group[i] = static_cast<Value>(kGroup<Value> == 2 ? Pair(x, i % 2) : x[i]);
}

/** Generates numbers in blocks of whole groups; `writer` rounds those of small floats. */
template <typename Value>
void Generate(const Random& random, void (*make)(const Random&, const Words&, Value*)) {
  Writer writer(random.type);
  const Scratch block(kMostAtOnce * sizeof(Value));
  auto* values = reinterpret_cast<Value*>(block.data());
  const std::size_t itemsize = SizeOf(random.type);
  std::uint64_t counter = random.offset;
  for (std::size_t done = 0; done < random.count; done += kMostAtOnce) {
    const std::size_t part = std::min(kMostAtOnce, random.count - done);
    for (std::size_t i = 0; i < part; i += kGroup<Value>)
      make(random, Philox(counter++, random.seed), values + i);
    writer.Write(random.out + done * itemsize, static_cast<std::int64_t>(itemsize), block.data(), part);
  }
}

template <typename Value>
void GenerateIntegers(const Random& random) {
  Generate<Value>(random, random.distribution == Distribution::kBits ? Bits<Value> : Integers<Value>);
}

template <typename Value>
void GenerateFloats(const Random& random) {
  Generate<Value>(random, random.distribution == Distribution::kNormal ? Normal<Value> : Uniform<Value>);
}

}  // namespace

std::size_t GroupSize(Type type) { return SizeOf(type) == 8 ? 2 : 4; }

void Random::Check() const {
  const bool whole = distribution == Distribution::kBits || distribution == Distribution::kIntegers;
  const bool real =
      type == Type::kFloat16 || type == Type::kBfloat16 || type == Type::kFloat32 || type == Type::kFloat64;
  if (whole ? !IsInteger(type) : !real)
    throw std::invalid_argument("the distribution does not support this type");
  if (distribution != Distribution::kIntegers) return;
  if (range == 0) throw std::invalid_argument("low must be below high");
  if (GroupSize(type) == 4 && range > std::uint64_t{1} << 32)
    throw std::invalid_argument("integers of 32 bits have a range of at most 2^32");
}

void Random::Run() const {
  switch (Unsigned(type)) {
    case Type::kUint8:
      return GenerateIntegers<std::uint8_t>(*this);
    case Type::kUint16:
      return GenerateIntegers<std::uint16_t>(*this);
    case Type::kUint32:
      return GenerateIntegers<std::uint32_t>(*this);
    case Type::kUint64:
      return GenerateIntegers<std::uint64_t>(*this);
    case Type::kFloat64:
      return GenerateFloats<double>(*this);
    default:
      return GenerateFloats<float>(*this);
  }
}

}  // namespace stridelab::compute

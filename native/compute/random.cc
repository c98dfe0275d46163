#include "compute/random.h"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include "compute/conversion.h"
#include "compute/crew.h"

namespace stridelab::compute {
namespace {

/** The time that an element takes, as bytes that could be moved in it. */
constexpr std::size_t kDrawCost = 16;

/** Returns the high 64 bits of a product. */
std::uint64_t High(std::uint64_t x, std::uint64_t y) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(x) * y) >> 64);
}

/** The words of an element: two for types of 64 bits. */
template <typename Value>
using WordOf = std::conditional_t<sizeof(Value) == 8, std::uint64_t, std::uint32_t>;

template <typename Value>
void Integers(const Random& random, const void* words, void* out, std::size_t count) {
  const auto* word = static_cast<const WordOf<Value>*>(words);
  auto* values = static_cast<Value*>(out);
  for (std::size_t i = 0; i < count; ++i) {
    // The range of narrow types is at most 2^32, so that the product has 64 bits.
    std::uint64_t above = 0;
    if constexpr (sizeof(Value) == 8) {
      above = High(word[i], random.range);
    } else {
      above = (word[i] * random.range) >> 32;
    }
    values[i] = static_cast<Value>(random.low + above);
  }
}

template <typename Value>
void Bits(const void* words, void* out, std::size_t count) {
  const auto* word = static_cast<const WordOf<Value>*>(words);
  auto* values = static_cast<Value*>(out);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<Value>(word[i]);
}

template <typename Value>
void MakeIntegers(const Random& random, const void* words, void* out, std::size_t count) {
  if (random.distribution == Distribution::kBits) return Bits<Value>(words, out, count);
  Integers<Value>(random, words, out, count);
}

template <typename Value>
void MakeFloats(const Random& random, const void* words, void* out, std::size_t count) {
  const RandomKernels& loops = Vector().random;
  if (random.distribution == Distribution::kNormal) {
    const auto draw = sizeof(Value) == 8 ? loops.normal_double : loops.normal_float;
    draw(words, out, count, random.first, random.second);
  } else {
    const auto draw = sizeof(Value) == 8 ? loops.uniform_double : loops.uniform_float;
    draw(words, out, count, random.first, random.second - random.first);
  }
}

/** Generates numbers in blocks of whole groups; `writer` rounds those of small floats. */
template <typename Value>
void Generate(const Random& random, void (*make)(const Random&, const void*, void*, std::size_t)) {
  constexpr std::size_t kGroup = sizeof(Value) == 8 ? 2 : 4;
  const std::size_t blocks = (random.count + kMostAtOnce - 1) / kMostAtOnce;
  const std::size_t itemsize = SizeOf(random.type);
  const std::size_t parts = std::min(blocks, PartsFor(random.count * kDrawCost));
  RunParts(parts, [&](std::size_t part) {
    Writer writer(random.type);
    const Scratch words(kMostAtOnce / kGroup * 16);
    const Scratch values(kMostAtOnce * sizeof(Value));
    for (std::size_t block = blocks * part / parts; block < blocks * (part + 1) / parts; ++block) {
      const std::size_t done = block * kMostAtOnce;
      const std::size_t count = std::min(kMostAtOnce, random.count - done);
      const std::size_t groups = (count + kGroup - 1) / kGroup;
      Vector().random.philox(random.offset + done / kGroup, random.seed,
                             reinterpret_cast<std::uint32_t*>(words.data()), groups);
      make(random, words.data(), values.data(), groups * kGroup);
      writer.Write(random.out + done * itemsize, static_cast<std::int64_t>(itemsize), values.data(), count);
    }
  });
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
      return Generate<std::uint8_t>(*this, MakeIntegers<std::uint8_t>);
    case Type::kUint16:
      return Generate<std::uint16_t>(*this, MakeIntegers<std::uint16_t>);
    case Type::kUint32:
      return Generate<std::uint32_t>(*this, MakeIntegers<std::uint32_t>);
    case Type::kUint64:
      return Generate<std::uint64_t>(*this, MakeIntegers<std::uint64_t>);
    case Type::kFloat64:
      return Generate<double>(*this, MakeFloats<double>);
    default:
      return Generate<float>(*this, MakeFloats<float>);
  }
}

}  // namespace stridelab::compute

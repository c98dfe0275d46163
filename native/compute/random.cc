#include "compute/random.h"

#include <array>
#include <cmath>
#include <cstring>
#include <numbers>
#include <type_traits>

namespace stridelab::compute {
namespace {

using Block = std::array<std::uint32_t, 4>;

Block Philox(std::uint64_t counter, std::uint64_t seed) {
  Block block = {static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0};
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t left = std::uint64_t{0xD2511F53} * block[0];
    const std::uint64_t right = std::uint64_t{0xCD9E8D57} * block[2];
    block = {static_cast<std::uint32_t>(right >> 32) ^ block[1] ^ key0, static_cast<std::uint32_t>(right),
             static_cast<std::uint32_t>(left >> 32) ^ block[3] ^ key1, static_cast<std::uint32_t>(left)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return block;
}

std::uint64_t Wide(const Block& block, std::size_t element) {
  return block[2 * element] | std::uint64_t{block[2 * element + 1]} << 32;
}

float Uniform(std::uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24F; }
double Uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

std::uint64_t UpperProduct(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(a) * b) >> 64);
}

/** The elements of one block. */
template <typename Value>
std::array<Value, 16 / sizeof(Value)> Elements(const RandomRequest& request, std::uint64_t counter) {
  constexpr std::size_t kCount = 16 / sizeof(Value);
  using Bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
  const Block block = Philox(counter, request.seed);
  std::array<Bits, kCount> bits{};
  for (std::size_t index = 0; index < kCount; ++index) {
    if constexpr (sizeof(Value) == 4)
      bits[index] = block[index];
    else
      bits[index] = Wide(block, index);
  }
  std::array<Value, kCount> values{};
  if constexpr (std::is_floating_point_v<Value>) {
    for (std::size_t index = 0; index < kCount; ++index) values[index] = Uniform(bits[index]);
    if (request.distribution == Distribution::kNormal) {
      for (std::size_t pair = 0; pair < kCount; pair += 2) {
        const Value radius = std::sqrt(Value{-2} * std::log(Value{1} - values[pair]));
        const Value angle = Value{2} * std::numbers::pi_v<Value> * values[pair + 1];
        values[pair] = radius * std::cos(angle);
        values[pair + 1] = radius * std::sin(angle);
      }
    }
  } else {
    for (std::size_t index = 0; index < kCount; ++index) {
      if (request.distribution == Distribution::kBits || request.span == 0) {
        values[index] = static_cast<Value>(bits[index]);
      } else if constexpr (sizeof(Value) == 4) {
        values[index] = static_cast<Value>(static_cast<std::uint64_t>(request.low) +
                                           ((bits[index] * request.span) >> 32));
      } else {
        values[index] = static_cast<Value>(static_cast<std::uint64_t>(request.low) +
                                           UpperProduct(bits[index], request.span));
      }
    }
  }
  return values;
}

template <typename Value>
void Fill(const RandomRequest& request, std::byte* out) {
  constexpr std::size_t kCount = 16 / sizeof(Value);
  for (std::size_t index = 0; index < request.count; index += kCount) {
    const auto values = Elements<Value>(request, request.offset + index / kCount);
    const std::size_t count = std::min(kCount, request.count - index);
    std::memcpy(out + index * sizeof(Value), values.data(), count * sizeof(Value));
  }
}

}  // namespace

bool CanDraw(Distribution distribution, Type type) {
  switch (distribution) {
    case Distribution::kBits:
      return type == Type::kUint32 || type == Type::kUint64;
    case Distribution::kUniform:
    case Distribution::kNormal:
      return type == Type::kFloat32 || type == Type::kFloat64;
    case Distribution::kIntegers:
      return type == Type::kInt32 || type == Type::kInt64 || type == Type::kUint32 || type == Type::kUint64;
  }
  return false;
}

void Draw(const RandomRequest& request, std::byte* out) {
  switch (request.type) {
    case Type::kFloat32:
      return Fill<float>(request, out);
    case Type::kFloat64:
      return Fill<double>(request, out);
    case Type::kInt32:
      return Fill<std::int32_t>(request, out);
    case Type::kInt64:
      return Fill<std::int64_t>(request, out);
    case Type::kUint32:
      return Fill<std::uint32_t>(request, out);
    default:
      return Fill<std::uint64_t>(request, out);
  }
}

}  // namespace stridelab::compute

// Counter-based random numbers as vectorized loops, only for vector_body.h; see vector_loops.h for its restrictions, random.h for the
// algorithms.
#pragma once

#include <cstddef>
#include <cstdint>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "compute/vector_math.h"

namespace stridelab::compute {
namespace {

#ifdef __AVX2__
inline constexpr std::size_t kQuadBytes = 32;
#else
inline constexpr std::size_t kQuadBytes = 16;
#endif
/** Words in 64-bit lanes, whose high halves mean nothing. */
using Quad __attribute__((vector_size(kQuadBytes))) = unsigned long long;
inline constexpr std::size_t kCounters = kQuadBytes / 8;
/** Independent chains of rounds, so that the processor need not wait for a product. */
inline constexpr std::size_t kChains = kQuadBytes / 8;

/** Multiplies the words in the low halves. */
[[gnu::always_inline]] inline Quad Product(Quad x, unsigned long long factor) {
#if defined(__AVX2__)
  return reinterpret_cast<Quad>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(x), _mm256_set1_epi64x(static_cast<long long>(factor))));
#elif defined(__SSE2__)
  return reinterpret_cast<Quad>(
      _mm_mul_epu32(reinterpret_cast<__m128i>(x), _mm_set1_epi64x(static_cast<long long>(factor))));
#else
  return (x & 0xffffffff) * factor;
#endif
}

/** Writes the four words of each counter from `counter` on. */
void Philox(std::uint64_t counter, std::uint64_t seed, std::uint32_t* words, std::size_t groups) {
  constexpr std::size_t kTogether = kCounters * kChains;
  for (std::size_t done = 0; done < groups; done += kTogether) {
    Quad x[kChains][4] = {};
    for (std::size_t i = 0; i < kTogether; ++i) {
      x[i / kCounters][0][i % kCounters] = counter + done + i;
      x[i / kCounters][1][i % kCounters] = (counter + done + i) >> 32;
    }
    auto low = static_cast<std::uint32_t>(seed);
    auto high = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round, low += 0x9e3779b9, high += 0xbb67ae85) {
#pragma GCC unroll 4
      for (Quad(&word)[4] : x) {
        const Quad first = Product(word[0], 0xd2511f53);
        const Quad second = Product(word[2], 0xcd9e8d57);
        word[0] = (second >> 32) ^ word[1] ^ low;
        word[1] = second;
        word[2] = (first >> 32) ^ word[3] ^ high;
        word[3] = first;
      }
    }
    const std::size_t part = groups - done < kTogether ? groups - done : kTogether;
    Quad pairs[kChains][2];
    for (std::size_t chain = 0; chain < kChains; ++chain) {
      for (std::size_t pair = 0; pair < 2; ++pair)
        pairs[chain][pair] = (x[chain][2 * pair] & 0xffffffff) | (x[chain][2 * pair + 1] << 32);
    }
    for (std::size_t i = 0; i < part; ++i) {
      const unsigned long long group[2]{pairs[i / kCounters][0][i % kCounters],
                                        pairs[i / kCounters][1][i % kCounters]};
      __builtin_memcpy(words + 4 * (done + i), group, sizeof(group));
    }
  }
}

/** Returns a number from 0 to below 1. */
[[gnu::always_inline]] inline float Unit(std::uint32_t word) {
  return static_cast<float>(static_cast<std::int32_t>(word >> 8)) * 0x1p-24F;
}
[[gnu::always_inline]] inline double Unit(std::uint64_t word) {
  // The two halves of 53 bits, without the conversion of 64-bit integers, which AVX2 lacks.
  const std::uint64_t bits = word >> 11;
  const double high = FromBits<double>((bits >> 32) | 0x4530000000000000) - 0x1p84;
  const double low = FromBits<double>((bits & 0xffffffff) | 0x4330000000000000) - 0x1p52;
  return (high + low) * 0x1p-53;
}

template <typename T>
void Uniform(const void* words, void* out, std::size_t count, double low, double width) {
  const auto* word = static_cast<const BitsOf<T>*>(words);
  T* target = static_cast<T*>(out);
  for (std::size_t i = 0; i < count; ++i)
    target[i] = static_cast<T>(low) + Unit(word[i]) * static_cast<T>(width);
}

template <typename T>
void Normal(const void* words, void* out, std::size_t count, double mean, double deviation) {
  const auto* word = static_cast<const BitsOf<T>*>(words);
  T* target = static_cast<T*>(out);
  for (std::size_t i = 0; i < count; i += 2) {
    const T radius = Sqrt::Do(T(-2) * Log::Do(T(1) - Unit(word[i])));
    const T angle = T(0x1.921fb54442d18p+2) * Unit(word[i + 1]);
    const T across = radius * Cos::Do(angle) * static_cast<T>(deviation);
    const T along = radius * Sin::Do(angle) * static_cast<T>(deviation);
    target[i] = static_cast<T>(mean) + across;
    target[i + 1] = static_cast<T>(mean) + along;
  }
}

constexpr RandomKernels kRandom{Philox, Uniform<float>, Uniform<double>, Normal<float>, Normal<double>};

}  // namespace
}  // namespace stridelab::compute

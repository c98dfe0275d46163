// Quotients and powers of integers as vectorized loops, only for vector_body.h; see vector_loops.h for its restrictions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "compute/vector_loops.h"
#include "compute/vector_math.h"

namespace stridelab::compute {
namespace {

/**
 * Quotients of integers, rounded down, through those of floats: the nearest float to a quotient is an integer only if the quotient is,
 * because it has enough bits for the dividend, and some more.
 */
template <typename T>
using QuotientFloat = std::conditional_t<(sizeof(T) <= 2), float, double>;

template <typename T>
[[gnu::always_inline]] inline QuotientFloat<T> ToFloat(T x) {
  if constexpr (sizeof(T) < 8) {
    return static_cast<QuotientFloat<T>>(x);
  } else {
    // Without the conversion of 64-bit integers, which AVX2 lacks.
    return FromBits<double>(ToBits(kRounder<double>) + static_cast<std::uint64_t>(x)) - kRounder<double>;
  }
}

template <typename T>
[[gnu::always_inline]] inline T FlooredQuotient(T x, T y) {
  using Float = QuotientFloat<T>;
  const Float quotient = ToFloat(x) / ToFloat(y == 0 ? T(1) : y);
  const Float sum = quotient + kRounder<Float>;
  const Float rounded = sum - kRounder<Float>;
  const BitsOf<Float> bits = ToBits(sum) - ToBits(kRounder<Float>) - (rounded > quotient ? 1 : 0);
  return y == 0 ? T(0) : static_cast<T>(bits);
}

/** 64-bit integers have more bits than double. */
template <typename T>
[[gnu::always_inline]] inline bool Divides(T x, T y) {
  if constexpr (sizeof(T) < 8) return true;
  constexpr auto kMost = std::uint64_t{1} << 51;
  constexpr std::uint64_t kShift = std::is_signed_v<T> ? kMost / 2 : 0;
  return (static_cast<std::uint64_t>(x) + kShift < kMost) & (static_cast<std::uint64_t>(y) + kShift < kMost);
}

struct FloorDivide {
  template <typename T>
  [[gnu::always_inline]] static bool Covers(T x, T y) {
    return Divides(x, y);
  }
  template <typename T>
  [[gnu::always_inline]] static T Do(T x, T y) {
    return FlooredQuotient(x, y);
  }
  template <typename T>
  static T Elsewhere(T x, T y) {
    if (y == 0) return 0;
    if constexpr (std::is_signed_v<T>) {
      if (y == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(x));
      return static_cast<T>(x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0));
    } else {
      return static_cast<T>(x / y);
    }
  }
};

struct Remainder {
  template <typename T>
  [[gnu::always_inline]] static bool Covers(T x, T y) {
    return Divides(x, y);
  }
  template <typename T>
  [[gnu::always_inline]] static T Do(T x, T y) {
    return y == 0 ? T(0) : Rest(x, y, FlooredQuotient(x, y));
  }
  template <typename T>
  static T Elsewhere(T x, T y) {
    return y == 0 ? T(0) : Rest(x, y, FloorDivide::Elsewhere(x, y));
  }

 private:
  template <typename T>
  [[gnu::always_inline]] static T Rest(T x, T y, T quotient) {
    using Bits = Wide<std::make_unsigned_t<T>>;
    return static_cast<T>(static_cast<Bits>(x) - static_cast<Bits>(quotient) * static_cast<Bits>(y));
  }
};

/** Computes powers by squaring, wrapping; a negative exponent truncates the result to 1, -1 or 0. */
struct IntegerPower {
  template <typename T>
  static void Loop(const void* a, const void* b, const void*, void* out, std::size_t count) {
    using Bits = Wide<std::make_unsigned_t<T>>;
    const T* x = static_cast<const T*>(a);
    const T* y = static_cast<const T*>(b);
    T* target = static_cast<T*>(out);
    constexpr std::size_t kPowers = 64;
    for (std::size_t done = 0; done < count; done += kPowers) {
      const std::size_t part = count - done < kPowers ? count - done : kPowers;
      Bits factor[kPowers];
      Bits left[kPowers];
      Bits product[kPowers];
      T exponent[kPowers];
      T base[kPowers];
      for (std::size_t i = 0; i < part; ++i) {
        base[i] = x[done + i];
        exponent[i] = y[done + i];
        factor[i] = static_cast<std::make_unsigned_t<T>>(base[i]);
        left[i] = exponent[i] < 0 ? Bits(0) : static_cast<Bits>(exponent[i]);
        product[i] = 1;
      }
      for (;;) {
        Bits any = 0;
        for (std::size_t i = 0; i < part; ++i) any |= left[i];
        if (any == 0) break;
        for (std::size_t i = 0; i < part; ++i) {
          product[i] *= (left[i] & 1) != 0 ? factor[i] : Bits(1);
          factor[i] *= factor[i];
          left[i] >>= 1;
        }
      }
      for (std::size_t i = 0; i < part; ++i) {
        const T one = (exponent[i] & 1) != 0 ? base[i] : T(1);
        const T inverse = (base[i] == T(1)) | (base[i] == T(-1)) ? one : T(0);
        target[done + i] = exponent[i] < 0 ? inverse : static_cast<T>(product[i]);
      }
    }
  }
};

}  // namespace
}  // namespace stridelab::compute

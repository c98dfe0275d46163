// Floating formats without arithmetic of their own: float16, bfloat16 and fp8, as float32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "compute/types.h"

namespace stridelab::compute {

/** Values of `count` codes of a small float type. */
void Decode(Type type, const void* codes, float* values, std::size_t count);
/** Nearest codes, ties to even; what is too large becomes infinity, NaN or the largest, as the format has
 * them. */
void Encode(Type type, const float* values, void* codes, std::size_t count);
/** The same from float64, rounded once. */
void Encode(Type type, const double* values, void* codes, std::size_t count);
/**
 * float32 with its last bit set where it is not exact: rounding that to fewer bits is right, because the bit
 * keeps a value off the middle between two codes.
 */
float RoundToOdd(double value);
/** Rounds each value to the nearest of the type. */
void Round(Type type, float* values, std::size_t count);

}  // namespace stridelab::compute

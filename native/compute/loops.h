// Loops over registers, made from a function of one element.
#pragma once

#include <cstddef>

#include "compute/kernels.h"

namespace stridelab::compute {

/** `Function` has a static call operator's worth: a default-constructible function object. */
template <typename Result, typename Value, typename Function>
void UnaryLoop(void* result, const void* a, const void*, const void*, std::size_t count) {
  auto* out = static_cast<Result*>(result);
  const auto* in = static_cast<const Value*>(a);
  const Function function{};
  for (std::size_t index = 0; index < count; ++index) out[index] = function(in[index]);
}

template <typename Result, typename Value, typename Function>
void BinaryLoop(void* result, const void* a, const void* b, const void*, std::size_t count) {
  auto* out = static_cast<Result*>(result);
  const auto* left = static_cast<const Value*>(a);
  const auto* right = static_cast<const Value*>(b);
  const Function function{};
  for (std::size_t index = 0; index < count; ++index) out[index] = function(left[index], right[index]);
}

}  // namespace stridelab::compute

// Reading a tensor that a stranger filled in: nothing is believed before it is checked (rule 124).
#pragma once

#include <array>
#include <cstdint>

#include "dlpack/layout.h"
#include "dlpack/owned_tensor.h"

namespace stridelab::dlpack {

/** What is wrong with a capsule that was taken. */
inline constexpr const char* kConsumed =
    "this DLPack capsule was consumed before: it gives its tensor away once, call __dlpack__() again for "
    "another (rule 165)";

/** Bytes that a tensor touches, relative to its first logical element; both 0 where it has no elements. */
struct Extent {
  std::int64_t start;
  std::int64_t end;
};

struct Inspected {
  /** `data` + `byte_offset` (rule 113), 0 where there are no elements (rule 111). */
  std::uint64_t address;
  Extent extent;
  /** Elements, never NULL (rules 115, 117). */
  std::array<std::int64_t, kMostAxes> strides;
  std::array<std::int64_t, kMostAxes> shape;
};

/** Throws kind `buffer` for another major version than ours; reads nothing but the version (rules 108, 109).
 */
void CheckVersion(const OwnedTensor& owned);

/**
 * Throws kind `buffer` with the reason for a number of axes outside 0 to 64, a missing shape, negative
 * dimensions, an element without bits, extents past 2^53 bytes or past the end of the address space, and
 * elements at address 0. `padded` says that elements smaller than a byte take one each.
 */
Inspected Inspect(const DLTensor& tensor, bool padded);

/** Fills `strides` with those of a compact row-major tensor. */
void CompactStrides(const std::int64_t* shape, std::int32_t ndim, std::int64_t* strides);

}  // namespace stridelab::dlpack

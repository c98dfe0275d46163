// Validation of a tensor from an untrusted producer: nothing is used before it is checked (rule 124).
#pragma once

#include <array>
#include <cstdint>

#include "dlpack/layout.h"
#include "dlpack/owned_tensor.h"

namespace stridelab::dlpack {

/** The error for a capsule that was already taken. */
inline constexpr const char* kConsumed =
    "this DLPack capsule was already consumed: call __dlpack__() again for a new one (rule 165)";

/** Bytes that a tensor touches, relative to its first logical element; both 0 if it has no elements. */
struct Extent {
  std::int64_t start;
  std::int64_t end;
};

struct Inspected {
  /** `data` + `byte_offset` (rule 113), 0 if there are no elements (rule 111). */
  std::uint64_t address;
  Extent extent;
  /** Strides in elements, never NULL (rules 115, 117). */
  std::array<std::int64_t, kMostAxes> strides;
  std::array<std::int64_t, kMostAxes> shape;
};

/** Throws kind `buffer` for an unsupported major version; reads only the version (rules 108, 109). */
void CheckVersion(const OwnedTensor& owned);

/**
 * Checks a tensor. Throws kind `buffer` with the reason for a number of axes outside 0 to 64, a missing
 * shape, negative dimensions, an element without bits, extents past 2^53 bytes or past the end of the address
 * space, and elements at address 0. `padded` means that elements smaller than a byte occupy one each.
 */
Inspected Inspect(const DLTensor& tensor, bool padded);

/** Fills `strides` with those of a compact row-major tensor. */
void CompactStrides(const std::int64_t* shape, std::int32_t ndim, std::int64_t* strides);

}  // namespace stridelab::dlpack

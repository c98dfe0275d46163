#include "dlpack/inspect.h"

#include <string>

#include "core/error.h"

namespace stridelab::dlpack {
namespace {

/** JavaScript counts bytes in doubles; no memory is larger. */
constexpr std::int64_t kMostBytes = std::int64_t{1} << 53;

[[noreturn]] void Refuse(const std::string& reason) {
  throw core::Error(core::ErrorKind::kBuffer, "DLPack tensor refused: " + reason);
}

std::int64_t Times(std::int64_t left, std::int64_t right) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(left, right, &product)) Refuse("its extent overflows 64 bits (rule 122)");
  return product;
}

std::int64_t Plus(std::int64_t left, std::int64_t right) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(left, right, &sum)) Refuse("its extent overflows 64 bits (rule 122)");
  return sum;
}

/** Returns the bits from one element to the next; a padded element occupies whole bytes. */
std::int64_t ElementBits(DLDataType dtype, bool padded) {
  const std::int64_t bits = std::int64_t{dtype.bits} * dtype.lanes;
  if (bits == 0) Refuse("its dtype has 0 bits or 0 lanes");
  return padded ? (bits + 7) / 8 * 8 : bits;
}

/** Converts bit positions to bytes: rounded down for the first, up for the last. */
std::int64_t FloorBytes(std::int64_t bits) { return bits >= 0 ? bits / 8 : -((-bits + 7) / 8); }

bool CopyShape(const DLTensor& tensor, Inspected& result) {
  bool empty = false;
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis) {
    const std::int64_t dimension = tensor.shape[axis];
    if (dimension < 0) {
      Refuse("dimension " + std::to_string(axis) + " is " + std::to_string(dimension) +
             ", expected 0 or more");
    }
    if (dimension > kMostBytes)
      Refuse("dimension " + std::to_string(axis) + " is " + std::to_string(dimension) + ", more than 2^53");
    result.shape[axis] = dimension;
    empty = empty || dimension == 0;
  }
  return empty;
}

void CopyStrides(const DLTensor& tensor, bool empty, Inspected& result) {
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis) {
    const std::int64_t dimension = result.shape[axis];
    // The stride of an axis without a second element is ignored (rules 119, 27).
    const bool counts = tensor.strides != nullptr && !empty && dimension > 1;
    if (!counts) continue;
    const std::int64_t stride = tensor.strides[axis];
    if (stride > kMostBytes || stride < -kMostBytes) {
      Refuse("stride " + std::to_string(axis) + " is " + std::to_string(stride) + ", more than 2^53");
    }
    result.strides[axis] = stride;
  }
}

/** Overlapping elements can outnumber the bytes that they occupy. */
void CheckCount(const DLTensor& tensor, const Inspected& result) {
  std::int64_t count = 1;
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis) count = Times(count, result.shape[axis]);
  if (count >= kMostBytes) Refuse("it has 2^53 elements or more (rule 124)");
}

Extent ExtentOf(const DLTensor& tensor, const Inspected& tensor_shape, std::int64_t element_bits) {
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis) {
    const std::int64_t reach = Times(tensor_shape.shape[axis] - 1, tensor_shape.strides[axis]);
    if (reach < 0) {
      lowest = Plus(lowest, reach);
    } else {
      highest = Plus(highest, reach);
    }
  }
  const std::int64_t end_bits = Times(Plus(highest, 1), element_bits);
  const Extent extent{FloorBytes(Times(lowest, element_bits)), Plus(end_bits, 7) / 8};
  if (extent.end - extent.start > kMostBytes) Refuse("it spans more than 2^53 bytes");
  return extent;
}

}  // namespace

void CheckVersion(const OwnedTensor& owned) {
  const DLPackVersion version = owned.version();
  if (!owned.versioned() || version.major == DLPACK_MAJOR_VERSION) return;
  const std::string stated = std::to_string(version.major) + "." + std::to_string(version.minor);
  if (version.major < DLPACK_MAJOR_VERSION) {
    Refuse("its versioned struct has version " + stated +
           ", but versioned structs start at 1.0: a producer of 0.x must make the unversioned struct, in a "
           "capsule named 'dltensor' (rule 108)");
  }
  Refuse("it has DLPack version " + stated +
         ", expected 1.x or the unversioned struct of 0.x: pass maxVersion to its producer (rule 108)");
}

void CompactStrides(const std::int64_t* shape, std::int32_t ndim, std::int64_t* strides) {
  std::int64_t step = 1;
  for (std::int32_t axis = ndim - 1; axis >= 0; --axis) {
    strides[axis] = step;
    const std::int64_t dimension = shape[axis] == 0 ? 1 : shape[axis];
    if (__builtin_mul_overflow(step, dimension, &step)) Refuse("its size overflows 64 bits (rule 122)");
  }
}

Inspected Inspect(const DLTensor& tensor, bool padded) {
  if (tensor.ndim < 0 || tensor.ndim > kMostAxes) {
    Refuse("it has " + std::to_string(tensor.ndim) + " axes, expected 0 to 64 (rule 124)");
  }
  if (tensor.ndim > 0 && tensor.shape == nullptr) Refuse("its shape is NULL (rule 115)");
  Inspected result{};
  const bool empty = CopyShape(tensor, result);
  const std::int64_t element_bits = ElementBits(tensor.dtype, padded);
  CompactStrides(result.shape.data(), tensor.ndim, result.strides.data());
  CopyStrides(tensor, empty, result);
  if (empty) return result;
  CheckCount(tensor, result);
  result.extent = ExtentOf(tensor, result, element_bits);
  const auto data = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(tensor.data));
  if (data == 0) Refuse("it has elements, but its data pointer is NULL");
  if (__builtin_add_overflow(data, tensor.byte_offset, &result.address)) {
    Refuse("its byte_offset leaves the address space (rule 113)");
  }
  const auto below = static_cast<std::uint64_t>(-result.extent.start);
  const auto above = static_cast<std::uint64_t>(result.extent.end);
  if (result.address <= below || result.address + above < result.address) {
    Refuse("its strides leave the address space (rule 124)");
  }
  return result;
}

}  // namespace stridelab::dlpack

// The DLPack structs of stridelab.h, checked: their layout is fixed for all versions from 1.0 on (rules 107,
// 110).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "include/stridelab.h"

namespace stridelab::dlpack {

static_assert(sizeof(void*) == 8, "offsets below are those of 64-bit platforms");
static_assert(sizeof(DLDevice) == 8 && offsetof(DLDevice, device_id) == 4);
static_assert(sizeof(DLDataType) == 4 && offsetof(DLDataType, bits) == 1 && offsetof(DLDataType, lanes) == 2);

static_assert(offsetof(DLTensor, data) == 0);
static_assert(offsetof(DLTensor, device) == 8);
static_assert(offsetof(DLTensor, ndim) == 16);
static_assert(offsetof(DLTensor, dtype) == 20);
static_assert(offsetof(DLTensor, shape) == 24);
static_assert(offsetof(DLTensor, strides) == 32);
static_assert(offsetof(DLTensor, byte_offset) == 40);
static_assert(sizeof(DLTensor) == 48);

static_assert(offsetof(DLManagedTensor, dl_tensor) == 0);
static_assert(offsetof(DLManagedTensor, manager_ctx) == 48);
static_assert(offsetof(DLManagedTensor, deleter) == 56);
static_assert(sizeof(DLManagedTensor) == 64);

static_assert(offsetof(DLManagedTensorVersioned, version) == 0);
static_assert(offsetof(DLManagedTensorVersioned, manager_ctx) == 8);
static_assert(offsetof(DLManagedTensorVersioned, deleter) == 16);
static_assert(offsetof(DLManagedTensorVersioned, flags) == 24);
static_assert(offsetof(DLManagedTensorVersioned, dl_tensor) == 32);
static_assert(sizeof(DLManagedTensorVersioned) == 80);

/** The maximum number of axes accepted, like NumPy's (rules 31, 124). */
inline constexpr std::int32_t kMostAxes = 64;
/** Shape and strides for that many axes, one after the other. */
using AxesBuffer = std::array<std::int64_t, std::size_t{2} * kMostAxes>;

}  // namespace stridelab::dlpack

// The table with which native code exchanges tensors with a Python library: `__dlpack_c_exchange_api__` of an
// array class, a capsule "dlpack_exchange_api" (rules 173 to 176). Source: dlpack.h 1.3, DLPackExchangeAPI.
#pragma once

#include <cstddef>
#include <cstdint>

#include "dlpack/layout.h"

namespace stridelab::python {

inline constexpr const char* kExchangeCapsule = "dlpack_exchange_api";
inline constexpr const char* kExchangeAttribute = "__dlpack_c_exchange_api__";

struct ExchangeHeader {
  DLPackVersion version;
  /** A table of an older major version, which a consumer may use instead. */
  ExchangeHeader* previous;
};

/** Names of capsules with a tensor; a consumer renames one to that which begins with `used_` (rule 164). */
inline constexpr const char* kUnversionedName = "dltensor";
inline constexpr const char* kVersionedName = "dltensor_versioned";
inline constexpr const char* kUsedUnversionedName = "used_dltensor";
inline constexpr const char* kUsedVersionedName = "used_dltensor_versioned";

inline constexpr DLPackVersion kOurVersion = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};

inline bool IsCuda(DLDeviceType type) { return type == kDLCUDA || type == kDLCUDAManaged; }

using SetError = void (*)(void* context, const char* kind, const char* message);

/** The functions. None synchronizes. Those that return int return 0, or -1 with an exception set. */
struct ExchangeTable {
  ExchangeHeader header;
  int (*allocate)(DLTensor* prototype, DLManagedTensorVersioned** out, void* context, SetError set_error);
  int (*from_object)(void* object, DLManagedTensorVersioned** out);
  int (*to_object)(DLManagedTensorVersioned* tensor, void** out);
  /** Null if the library has none. */
  int (*borrow)(void* object, DLTensor* out);
  int (*current_work_stream)(DLDeviceType type, std::int32_t id, void** out);
};

static_assert(offsetof(ExchangeTable, allocate) == 16 && sizeof(ExchangeTable) == 56);

}  // namespace stridelab::python

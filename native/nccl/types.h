// The part of NCCL's interface that Stridelab calls, declared by hand. Names and numbers are those of NCCL's
// own documentation; what they need is NCCL 2.14.
#pragma once

#include <cstddef>

#include "driver/types.h"

namespace stridelab::nccl {

using ncclComm_t = struct ncclComm*;

struct ncclUniqueId {
  char internal[128];
};

enum ncclResult : int {
  kSuccess = 0,
  kUnhandledCudaError = 1,
  kSystemError = 2,
  kInternalError = 3,
  kInvalidArgument = 4,
  kInvalidUsage = 5,
  kRemoteError = 6,
  kInProgress = 7,
};

/** The fields of NCCL 2.14. A newer library reads as many bytes as `size` says and chooses the rest itself.
 */
struct ncclConfig {
  std::size_t size;
  unsigned magic;
  unsigned version;
  /** 0: calls return before their work is submitted, and ncclCommGetAsyncError tells when it is. */
  int blocking;
};

inline constexpr unsigned kConfigMagic = 0xcafebeef;
/** As NCCL counts: 21400 is 2.14.0. */
inline constexpr int kLeastVersion = 21400;
/** From here on there are the two types of 8-bit floats. */
inline constexpr int kFloat8Version = 22400;

}  // namespace stridelab::nccl

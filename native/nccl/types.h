// The part of NCCL's interface that Stridelab calls, declared by hand. Names and numbers are those of NCCL's
// documentation, for NCCL 2.14 and newer.
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

/** The configuration of NCCL 2.14. A newer library reads `size` bytes and uses defaults for newer fields. */
struct ncclConfig {
  std::size_t size;
  unsigned magic;
  unsigned version;
  /** 0: calls return before their work is submitted, and ncclCommGetAsyncError reports the progress. */
  int blocking;
};

inline constexpr unsigned kConfigMagic = 0xcafebeef;
/** Minimum version, in NCCL's numbering: 21400 is 2.14.0. */
inline constexpr int kLeastVersion = 21400;
/** The first version with the two 8-bit float types. */
inline constexpr int kFloat8Version = 22400;

}  // namespace stridelab::nccl

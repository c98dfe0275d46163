// libnccl, opened at run time: the part of its interface that Stridelab calls, declared by hand. Names and
// numbers are those of NCCL's documentation, for NCCL 2.14 and newer.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/optional_library.h"
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
/** The flag of ncclCommShrink that ends operations in progress, which wait for an excluded rank. */
inline constexpr int kShrinkAbort = 1;
/** The first version with ncclCommShrink. */
inline constexpr int kShrinkVersion = 22700;
/** The first version with the two 8-bit float types. */
inline constexpr int kFloat8Version = 22400;

/** The functions of NCCL that are called, under the same names; results are ncclResult. */
struct NcclLibrary : driver::OpenedLibrary {
  using OpenedLibrary::OpenedLibrary;

  int version = 0;

  int (*ncclGetVersion)(int* version) = Find("ncclGetVersion");
  const char* (*ncclGetErrorString)(int result) = Find("ncclGetErrorString");
  const char* (*ncclGetLastError)(ncclComm_t communicator) = Find("ncclGetLastError");
  int (*ncclGetUniqueId)(ncclUniqueId* id) = Find("ncclGetUniqueId");
  int (*ncclCommInitAll)(ncclComm_t* communicators, int count, const int* devices) = Find("ncclCommInitAll");
  int (*ncclCommInitRankConfig)(ncclComm_t* communicator, int size, ncclUniqueId id, int rank,
                                ncclConfig* config) = Find("ncclCommInitRankConfig");
  int (*ncclCommFinalize)(ncclComm_t communicator) = Find("ncclCommFinalize");
  int (*ncclCommDestroy)(ncclComm_t communicator) = Find("ncclCommDestroy");
  int (*ncclCommAbort)(ncclComm_t communicator) = Find("ncclCommAbort");
  int (*ncclCommGetAsyncError)(ncclComm_t communicator, int* error) = Find("ncclCommGetAsyncError");
  int (*ncclGroupStart)() = Find("ncclGroupStart");
  int (*ncclGroupEnd)() = Find("ncclGroupEnd");
  int (*ncclAllReduce)(const void* source, void* target, std::size_t count, int type, int op,
                       ncclComm_t communicator, driver::CUstream stream) = Find("ncclAllReduce");
  int (*ncclBroadcast)(const void* source, void* target, std::size_t count, int type, int root,
                       ncclComm_t communicator, driver::CUstream stream) = Find("ncclBroadcast");
  int (*ncclReduce)(const void* source, void* target, std::size_t count, int type, int op, int root,
                    ncclComm_t communicator, driver::CUstream stream) = Find("ncclReduce");
  int (*ncclReduceScatter)(const void* source, void* target, std::size_t target_count, int type, int op,
                           ncclComm_t communicator, driver::CUstream stream) = Find("ncclReduceScatter");
  int (*ncclAllGather)(const void* source, void* target, std::size_t source_count, int type,
                       ncclComm_t communicator, driver::CUstream stream) = Find("ncclAllGather");
  int (*ncclSend)(const void* source, std::size_t count, int type, int peer, ncclComm_t communicator,
                  driver::CUstream stream) = Find("ncclSend");
  int (*ncclRecv)(void* target, std::size_t count, int type, int peer, ncclComm_t communicator,
                  driver::CUstream stream) = Find("ncclRecv");

  /** Not part of `complete`: NCCL 2.27 and newer. */
  int (*ncclCommShrink)(ncclComm_t communicator, int* excluded, int count, ncclComm_t* shrunk,
                        ncclConfig* config, int flags) = FindOptional("ncclCommShrink");

  bool Usable() { return complete() && ncclGetVersion(&version) == kSuccess && version >= kLeastVersion; }
};

/** Opens the first NCCL of the list that is kLeastVersion or newer; it is never closed, and later calls
 * return the same one. Throws driver::LibraryUnavailable. */
const NcclLibrary& OpenNccl(const std::vector<std::string>& files);
/** Returns the opened library; throws kind `argument` before OpenNccl. */
const NcclLibrary& OpenedNccl();

/** Returns the name of a result: `ncclRemoteError` for 6. */
std::string ResultName(int result);
/** Formats an NCCL version number: `2.14.3` for 21403. */
std::string VersionText(int version);

}  // namespace stridelab::nccl

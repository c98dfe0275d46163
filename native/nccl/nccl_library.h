// libnccl, opened at run time.
#pragma once

#include <string>
#include <vector>

#include "nccl/types.h"

namespace stridelab::nccl {

/** The functions of NCCL that are called, under the same names; results are ncclResult. */
struct NcclLibrary {
  std::string path;
  int version = 0;

  int (*ncclGetVersion)(int* version) = nullptr;
  const char* (*ncclGetErrorString)(int result) = nullptr;
  const char* (*ncclGetLastError)(ncclComm_t communicator) = nullptr;
  int (*ncclGetUniqueId)(ncclUniqueId* id) = nullptr;
  int (*ncclCommInitAll)(ncclComm_t* communicators, int count, const int* devices) = nullptr;
  int (*ncclCommInitRankConfig)(ncclComm_t* communicator, int size, ncclUniqueId id, int rank,
                                ncclConfig* config) = nullptr;
  int (*ncclCommFinalize)(ncclComm_t communicator) = nullptr;
  int (*ncclCommDestroy)(ncclComm_t communicator) = nullptr;
  int (*ncclCommAbort)(ncclComm_t communicator) = nullptr;
  int (*ncclCommGetAsyncError)(ncclComm_t communicator, int* error) = nullptr;
  int (*ncclGroupStart)() = nullptr;
  int (*ncclGroupEnd)() = nullptr;
  int (*ncclAllReduce)(const void* source, void* target, std::size_t count, int type, int op,
                       ncclComm_t communicator, driver::CUstream stream) = nullptr;
  int (*ncclBroadcast)(const void* source, void* target, std::size_t count, int type, int root,
                       ncclComm_t communicator, driver::CUstream stream) = nullptr;
  int (*ncclReduce)(const void* source, void* target, std::size_t count, int type, int op, int root,
                    ncclComm_t communicator, driver::CUstream stream) = nullptr;
  int (*ncclReduceScatter)(const void* source, void* target, std::size_t target_count, int type, int op,
                           ncclComm_t communicator, driver::CUstream stream) = nullptr;
  int (*ncclAllGather)(const void* source, void* target, std::size_t source_count, int type,
                       ncclComm_t communicator, driver::CUstream stream) = nullptr;
  int (*ncclSend)(const void* source, std::size_t count, int type, int peer, ncclComm_t communicator,
                  driver::CUstream stream) = nullptr;
  int (*ncclRecv)(void* target, std::size_t count, int type, int peer, ncclComm_t communicator,
                  driver::CUstream stream) = nullptr;
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

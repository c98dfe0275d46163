#include "nccl/nccl_library.h"

#include <array>

#include "core/error.h"
#include "driver/optional_library.h"

namespace stridelab::nccl {
namespace {

bool Fill(driver::SymbolLoader& load, NcclLibrary& library) {
  load("ncclGetVersion", library.ncclGetVersion);
  load("ncclGetErrorString", library.ncclGetErrorString);
  load("ncclGetLastError", library.ncclGetLastError);
  load("ncclGetUniqueId", library.ncclGetUniqueId);
  load("ncclCommInitAll", library.ncclCommInitAll);
  load("ncclCommInitRankConfig", library.ncclCommInitRankConfig);
  load("ncclCommFinalize", library.ncclCommFinalize);
  load("ncclCommDestroy", library.ncclCommDestroy);
  load("ncclCommAbort", library.ncclCommAbort);
  load("ncclCommGetAsyncError", library.ncclCommGetAsyncError);
  load("ncclGroupStart", library.ncclGroupStart);
  load("ncclGroupEnd", library.ncclGroupEnd);
  load("ncclAllReduce", library.ncclAllReduce);
  load("ncclBroadcast", library.ncclBroadcast);
  load("ncclReduce", library.ncclReduce);
  load("ncclReduceScatter", library.ncclReduceScatter);
  load("ncclAllGather", library.ncclAllGather);
  load("ncclSend", library.ncclSend);
  load("ncclRecv", library.ncclRecv);
  return load.complete() && library.ncclGetVersion(&library.version) == kSuccess &&
         library.version >= kLeastVersion;
}

driver::OptionalLibrary<NcclLibrary, Fill>& Nccl() {
  static auto& library = *new driver::OptionalLibrary<NcclLibrary, Fill>(
      "NCCL, which collectives between GPUs need,", "NCCL " + VersionText(kLeastVersion));
  return library;
}

}  // namespace

const NcclLibrary& OpenNccl(const std::vector<std::string>& files) { return Nccl().Open(files); }

const NcclLibrary& OpenedNccl() {
  const NcclLibrary* library = Nccl().opened();
  if (library == nullptr) throw core::Error(core::ErrorKind::kArgument, "NCCL was not opened");
  return *library;
}

std::string ResultName(int result) {
  constexpr std::array kNames = {"ncclSuccess",       "ncclUnhandledCudaError", "ncclSystemError",
                                 "ncclInternalError", "ncclInvalidArgument",    "ncclInvalidUsage",
                                 "ncclRemoteError",   "ncclInProgress"};
  const bool known = result >= 0 && result < static_cast<int>(kNames.size());
  return known ? kNames[static_cast<std::size_t>(result)] : "ncclResult " + std::to_string(result);
}

std::string VersionText(int version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

}  // namespace stridelab::nccl

#include "nccl/nccl_library.h"

#include <dlfcn.h>

#include <array>
#include <memory>
#include <mutex>

#include "core/error.h"
#include "driver/cuda_library.h"

namespace stridelab::nccl {
namespace {

bool Fill(void* handle, NcclLibrary& library) {
  bool complete = true;
  const auto load = [&](const char* symbol, auto& slot) {
    slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(dlsym(handle, symbol));
    complete = complete && slot != nullptr;
  };
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
  return complete && library.ncclGetVersion(&library.version) == kSuccess && library.version >= kLeastVersion;
}

std::mutex opening;
std::unique_ptr<const NcclLibrary> opened;

}  // namespace

const NcclLibrary& OpenNccl(const std::vector<std::string>& files) {
  const std::lock_guard lock(opening);
  if (opened != nullptr) return *opened;
  std::string reasons;
  for (const std::string& file : files) {
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* reason = dlerror();
      reasons += "\n  " + (reason != nullptr ? std::string(reason) : file);
      continue;
    }
    auto library = std::make_unique<NcclLibrary>();
    library->path = file;
    if (Fill(handle, *library)) {
      opened = std::move(library);
      return *opened;
    }
    reasons += "\n  " + file + " lacks functions of NCCL " + VersionText(kLeastVersion);
    dlclose(handle);
  }
  throw driver::LibraryUnavailable(
      "NCCL, which collectives between GPUs need, could not be opened; looked for:" + reasons, files);
}

const NcclLibrary& OpenedNccl() {
  const std::lock_guard lock(opening);
  if (opened == nullptr) throw core::Error(core::ErrorKind::kArgument, "NCCL was not opened");
  return *opened;
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

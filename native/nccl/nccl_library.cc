#include "nccl/nccl_library.h"

#include <array>

#include "core/error.h"

namespace stridelab::nccl {
namespace {

driver::OptionalLibrary<NcclLibrary>& Nccl() {
  static auto& library = *new driver::OptionalLibrary<NcclLibrary>(
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

#include "driver/cuda_library.h"

#include <dlfcn.h>

#include <cstdlib>

namespace stridelab::driver {
namespace {

template <typename Function>
void Load(void* library, const std::string& file, const char* symbol, Function& slot) {
  slot = reinterpret_cast<Function>(dlsym(library, symbol));
  if (slot == nullptr)
    throw LibraryUnavailable(file + " is no CUDA driver: it has no function " + symbol, {file});
}

/** Leaves the slot null where the driver is older than the function. */
template <typename Function>
void LoadOptional(void* library, const char* symbol, Function& slot) {
  slot = reinterpret_cast<Function>(dlsym(library, symbol));
}

void LoadSharing(void* library, DriverTable& table) {
  const auto load = [&](const char* symbol, auto& slot) { LoadOptional(library, symbol, slot); };
  load("cuIpcGetEventHandle", table.cuIpcGetEventHandle);
  load("cuIpcOpenEventHandle", table.cuIpcOpenEventHandle);
  load("cuMemPoolCreate", table.cuMemPoolCreate);
  load("cuMemPoolDestroy", table.cuMemPoolDestroy);
  load("cuMemPoolSetAccess", table.cuMemPoolSetAccess);
  load("cuMemPoolExportToShareableHandle", table.cuMemPoolExportToShareableHandle);
  load("cuMemPoolImportFromShareableHandle", table.cuMemPoolImportFromShareableHandle);
  load("cuMemPoolExportPointer", table.cuMemPoolExportPointer);
  load("cuMemPoolImportPointer", table.cuMemPoolImportPointer);
  load("cuMemAllocFromPoolAsync", table.cuMemAllocFromPoolAsync);
  load("cuMemGetAllocationGranularity", table.cuMemGetAllocationGranularity);
  load("cuMemCreate", table.cuMemCreate);
  load("cuMemRelease", table.cuMemRelease);
  load("cuMemAddressReserve", table.cuMemAddressReserve);
  load("cuMemAddressFree", table.cuMemAddressFree);
  load("cuMemMap", table.cuMemMap);
  load("cuMemUnmap", table.cuMemUnmap);
  load("cuMemSetAccess", table.cuMemSetAccess);
  load("cuMemExportToShareableHandle", table.cuMemExportToShareableHandle);
  load("cuMemImportFromShareableHandle", table.cuMemImportFromShareableHandle);
}

void RequireVersion(void* library, const std::string& file) {
  CUresult (*get_version)(int*) = nullptr;
  Load(library, file, "cuDriverGetVersion", get_version);
  int version = 0;
  if (get_version(&version) != kSuccess || version >= kLeastDriverVersion) return;
  throw LibraryUnavailable("the CUDA driver in " + file + " is version " + VersionText(version) +
                               ", and stridelab needs " + VersionText(kLeastDriverVersion) +
                               " or newer: update the NVIDIA driver",
                           {file});
}

DriverTable Fill(void* library, const std::string& file) {
  RequireVersion(library, file);
  DriverTable table;
  const auto load = [&](const char* symbol, auto& slot) { Load(library, file, symbol, slot); };
  load("cuInit", table.cuInit);
  load("cuDriverGetVersion", table.cuDriverGetVersion);
  load("cuGetErrorName", table.cuGetErrorName);
  load("cuGetErrorString", table.cuGetErrorString);
  load("cuDeviceGetCount", table.cuDeviceGetCount);
  load("cuDeviceGet", table.cuDeviceGet);
  load("cuDeviceGetName", table.cuDeviceGetName);
  load("cuDeviceGetUuid_v2", table.cuDeviceGetUuid);
  load("cuDeviceGetPCIBusId", table.cuDeviceGetPCIBusId);
  load("cuDeviceGetAttribute", table.cuDeviceGetAttribute);
  load("cuDeviceTotalMem_v2", table.cuDeviceTotalMem);
  load("cuDevicePrimaryCtxRetain", table.cuDevicePrimaryCtxRetain);
  load("cuCtxGetCurrent", table.cuCtxGetCurrent);
  load("cuCtxPushCurrent_v2", table.cuCtxPushCurrent);
  load("cuCtxPopCurrent_v2", table.cuCtxPopCurrent);
  load("cuCtxSynchronize", table.cuCtxSynchronize);
  LoadOptional(library, "cuCtxRecordEvent", table.cuCtxRecordEvent);
  load("cuCtxGetStreamPriorityRange", table.cuCtxGetStreamPriorityRange);
  load("cuMemGetInfo_v2", table.cuMemGetInfo);
  load("cuMemAlloc_v2", table.cuMemAlloc);
  load("cuMemFree_v2", table.cuMemFree);
  load("cuMemHostAlloc", table.cuMemHostAlloc);
  load("cuMemFreeHost", table.cuMemFreeHost);
  load("cuMemHostGetDevicePointer_v2", table.cuMemHostGetDevicePointer);
  load("cuMemHostRegister_v2", table.cuMemHostRegister);
  load("cuMemHostUnregister", table.cuMemHostUnregister);
  load("cuMemAllocManaged", table.cuMemAllocManaged);
  load("cuMemAllocAsync", table.cuMemAllocAsync);
  load("cuMemFreeAsync", table.cuMemFreeAsync);
  load("cuDeviceGetDefaultMemPool", table.cuDeviceGetDefaultMemPool);
  load("cuMemPoolSetAttribute", table.cuMemPoolSetAttribute);
  load("cuMemPoolGetAttribute", table.cuMemPoolGetAttribute);
  load("cuMemPoolTrimTo", table.cuMemPoolTrimTo);
  load("cuIpcGetMemHandle", table.cuIpcGetMemHandle);
  load("cuIpcOpenMemHandle_v2", table.cuIpcOpenMemHandle);
  load("cuIpcCloseMemHandle", table.cuIpcCloseMemHandle);
  load("cuMemcpyHtoDAsync_v2", table.cuMemcpyHtoDAsync);
  load("cuMemcpyDtoHAsync_v2", table.cuMemcpyDtoHAsync);
  load("cuMemcpyDtoDAsync_v2", table.cuMemcpyDtoDAsync);
  load("cuMemsetD8Async", table.cuMemsetD8Async);
  load("cuMemsetD16Async", table.cuMemsetD16Async);
  load("cuMemsetD32Async", table.cuMemsetD32Async);
  load("cuMemcpyPeerAsync", table.cuMemcpyPeerAsync);
  load("cuDeviceCanAccessPeer", table.cuDeviceCanAccessPeer);
  load("cuCtxEnablePeerAccess", table.cuCtxEnablePeerAccess);
  load("cuCtxDisablePeerAccess", table.cuCtxDisablePeerAccess);
  load("cuPointerGetAttributes", table.cuPointerGetAttributes);
  load("cuStreamCreateWithPriority", table.cuStreamCreateWithPriority);
  load("cuStreamDestroy_v2", table.cuStreamDestroy);
  load("cuStreamQuery", table.cuStreamQuery);
  load("cuStreamSynchronize", table.cuStreamSynchronize);
  load("cuStreamWaitEvent", table.cuStreamWaitEvent);
  load("cuStreamGetFlags", table.cuStreamGetFlags);
  load("cuStreamGetPriority", table.cuStreamGetPriority);
  load("cuStreamBeginCapture_v2", table.cuStreamBeginCapture);
  load("cuStreamEndCapture", table.cuStreamEndCapture);
  load("cuStreamIsCapturing", table.cuStreamIsCapturing);
  load("cuGraphInstantiateWithFlags", table.cuGraphInstantiateWithFlags);
  load("cuGraphLaunch", table.cuGraphLaunch);
  load("cuGraphExecDestroy", table.cuGraphExecDestroy);
  load("cuGraphDestroy", table.cuGraphDestroy);
  load("cuModuleLoadDataEx", table.cuModuleLoadDataEx);
  load("cuModuleUnload", table.cuModuleUnload);
  load("cuModuleGetFunction", table.cuModuleGetFunction);
  load("cuModuleGetGlobal_v2", table.cuModuleGetGlobal);
  load("cuFuncGetAttribute", table.cuFuncGetAttribute);
  load("cuFuncSetAttribute", table.cuFuncSetAttribute);
  LoadOptional(library, "cuFuncGetParamInfo", table.cuFuncGetParamInfo);
  load("cuLaunchKernel", table.cuLaunchKernel);
  load("cuLaunchCooperativeKernel", table.cuLaunchCooperativeKernel);
  load("cuOccupancyMaxActiveBlocksPerMultiprocessor", table.cuOccupancyMaxActiveBlocksPerMultiprocessor);
  load("cuOccupancyMaxPotentialBlockSize", table.cuOccupancyMaxPotentialBlockSize);
  load("cuEventCreate", table.cuEventCreate);
  load("cuEventDestroy_v2", table.cuEventDestroy);
  load("cuEventRecord", table.cuEventRecord);
  load("cuEventQuery", table.cuEventQuery);
  load("cuEventSynchronize", table.cuEventSynchronize);
  load("cuEventElapsedTime", table.cuEventElapsedTime);
  LoadSharing(library, table);
  return table;
}

}  // namespace

std::string VersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::vector<std::string> CudaLibraryNames() {
  if (const char* named = std::getenv("STRIDELAB_LIBCUDA"); named != nullptr && *named != '\0')
    return {named};
  // The loader's own search first; then where containers, WSL and NixOS keep the driver off the loader's
  // path.
  return {
      "libcuda.so.1",
      "/usr/local/nvidia/lib64/libcuda.so.1",
      "/usr/lib/wsl/lib/libcuda.so.1",
      "/run/opengl-driver/lib/libcuda.so.1",
  };
}

DriverTable OpenCudaLibrary() {
  std::string reasons;
  for (const std::string& name : CudaLibraryNames()) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return Fill(library, name);
    const char* reason = dlerror();
    reasons += "\n  " + (reason != nullptr ? std::string(reason) : name);
  }
  throw LibraryUnavailable("the CUDA driver library could not be opened; looked for:" + reasons,
                           CudaLibraryNames());
}

}  // namespace stridelab::driver

// Everything that talks to a device goes through this table. It has several fillings: libcuda, the simulated
// driver, and whatever a test puts in.
#pragma once

#include <string>

#include "driver/types.h"

namespace stridelab::driver {

/** Function pointers named as in the driver's reference; the versioned symbol behind each is the loader's
 * business. */
struct DriverTable {
  /** True where blocking calls return at once because time is virtual: waits need no polling and no sleep. */
  bool virtual_time = false;

  CUresult (*cuInit)(unsigned flags) = nullptr;
  CUresult (*cuDriverGetVersion)(int* version) = nullptr;
  CUresult (*cuGetErrorName)(CUresult status, const char** name) = nullptr;
  CUresult (*cuGetErrorString)(CUresult status, const char** text) = nullptr;

  CUresult (*cuDeviceGetCount)(int* count) = nullptr;
  CUresult (*cuDeviceGet)(CUdevice* device, int ordinal) = nullptr;
  CUresult (*cuDeviceGetName)(char* name, int length, CUdevice device) = nullptr;
  CUresult (*cuDeviceGetUuid)(CUuuid* uuid, CUdevice device) = nullptr;
  CUresult (*cuDeviceGetPCIBusId)(char* id, int length, CUdevice device) = nullptr;
  CUresult (*cuDeviceGetAttribute)(int* value, int attribute, CUdevice device) = nullptr;
  CUresult (*cuDeviceTotalMem)(std::size_t* bytes, CUdevice device) = nullptr;

  CUresult (*cuDevicePrimaryCtxRetain)(CUcontext* context, CUdevice device) = nullptr;
  CUresult (*cuCtxGetCurrent)(CUcontext* context) = nullptr;
  CUresult (*cuCtxPushCurrent)(CUcontext context) = nullptr;
  CUresult (*cuCtxPopCurrent)(CUcontext* context) = nullptr;
  CUresult (*cuCtxSynchronize)() = nullptr;
  /** Null where the driver is older than 12.5. */
  CUresult (*cuCtxRecordEvent)(CUcontext context, CUevent event) = nullptr;
  CUresult (*cuCtxGetStreamPriorityRange)(int* least, int* greatest) = nullptr;

  CUresult (*cuMemGetInfo)(std::size_t* free, std::size_t* total) = nullptr;
  CUresult (*cuMemAlloc)(CUdeviceptr* pointer, std::size_t bytes) = nullptr;
  CUresult (*cuMemFree)(CUdeviceptr pointer) = nullptr;
  CUresult (*cuMemHostAlloc)(void** pointer, std::size_t bytes, unsigned flags) = nullptr;
  CUresult (*cuMemFreeHost)(void* pointer) = nullptr;
  CUresult (*cuMemHostGetDevicePointer)(CUdeviceptr* pointer, void* host, unsigned flags) = nullptr;
  CUresult (*cuMemHostRegister)(void* pointer, std::size_t bytes, unsigned flags) = nullptr;
  CUresult (*cuMemHostUnregister)(void* pointer) = nullptr;
  CUresult (*cuMemAllocManaged)(CUdeviceptr* pointer, std::size_t bytes, unsigned flags) = nullptr;
  CUresult (*cuMemAllocAsync)(CUdeviceptr* pointer, std::size_t bytes, CUstream stream) = nullptr;
  CUresult (*cuMemFreeAsync)(CUdeviceptr pointer, CUstream stream) = nullptr;
  CUresult (*cuDeviceGetDefaultMemPool)(CUmemoryPool* pool, CUdevice device) = nullptr;
  CUresult (*cuMemPoolSetAttribute)(CUmemoryPool pool, int attribute, void* value) = nullptr;
  CUresult (*cuMemPoolGetAttribute)(CUmemoryPool pool, int attribute, void* value) = nullptr;
  CUresult (*cuMemPoolTrimTo)(CUmemoryPool pool, std::size_t keep) = nullptr;
  CUresult (*cuIpcGetMemHandle)(CUipcMemHandle* handle, CUdeviceptr pointer) = nullptr;
  CUresult (*cuIpcOpenMemHandle)(CUdeviceptr* pointer, CUipcMemHandle handle, unsigned flags) = nullptr;
  CUresult (*cuIpcCloseMemHandle)(CUdeviceptr pointer) = nullptr;
  CUresult (*cuIpcGetEventHandle)(CUipcEventHandle* handle, CUevent event) = nullptr;
  CUresult (*cuIpcOpenEventHandle)(CUevent* event, CUipcEventHandle handle) = nullptr;

  /** The rest of sharing: a driver may lack any of it. Shareable handles are POSIX file descriptors, handed
   * over as `int*` and as a pointer's value. */
  CUresult (*cuMemPoolCreate)(CUmemoryPool* pool, const CUmemPoolProps* properties) = nullptr;
  CUresult (*cuMemPoolDestroy)(CUmemoryPool pool) = nullptr;
  CUresult (*cuMemPoolSetAccess)(CUmemoryPool pool, const CUmemAccessDesc* access,
                                 std::size_t count) = nullptr;
  CUresult (*cuMemPoolExportToShareableHandle)(void* handle, CUmemoryPool pool, int type,
                                               unsigned long long flags) = nullptr;
  CUresult (*cuMemPoolImportFromShareableHandle)(CUmemoryPool* pool, void* handle, int type,
                                                 unsigned long long flags) = nullptr;
  CUresult (*cuMemPoolExportPointer)(CUmemPoolPtrExportData* data, CUdeviceptr pointer) = nullptr;
  CUresult (*cuMemPoolImportPointer)(CUdeviceptr* pointer, CUmemoryPool pool,
                                     CUmemPoolPtrExportData* data) = nullptr;
  CUresult (*cuMemAllocFromPoolAsync)(CUdeviceptr* pointer, std::size_t bytes, CUmemoryPool pool,
                                      CUstream stream) = nullptr;
  CUresult (*cuMemGetAllocationGranularity)(std::size_t* bytes, const CUmemAllocationProp* properties,
                                            int option) = nullptr;
  CUresult (*cuMemCreate)(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                          const CUmemAllocationProp* properties, unsigned long long flags) = nullptr;
  CUresult (*cuMemRelease)(CUmemGenericAllocationHandle handle) = nullptr;
  CUresult (*cuMemAddressReserve)(CUdeviceptr* pointer, std::size_t bytes, std::size_t alignment,
                                  CUdeviceptr wanted, unsigned long long flags) = nullptr;
  CUresult (*cuMemAddressFree)(CUdeviceptr pointer, std::size_t bytes) = nullptr;
  CUresult (*cuMemMap)(CUdeviceptr pointer, std::size_t bytes, std::size_t offset,
                       CUmemGenericAllocationHandle handle, unsigned long long flags) = nullptr;
  CUresult (*cuMemUnmap)(CUdeviceptr pointer, std::size_t bytes) = nullptr;
  CUresult (*cuMemSetAccess)(CUdeviceptr pointer, std::size_t bytes, const CUmemAccessDesc* access,
                             std::size_t count) = nullptr;
  CUresult (*cuMemExportToShareableHandle)(void* handle, CUmemGenericAllocationHandle allocation, int type,
                                           unsigned long long flags) = nullptr;
  CUresult (*cuMemImportFromShareableHandle)(CUmemGenericAllocationHandle* allocation, void* handle,
                                             int type) = nullptr;
  CUresult (*cuMemcpyHtoDAsync)(CUdeviceptr target, const void* source, std::size_t bytes,
                                CUstream stream) = nullptr;
  CUresult (*cuMemcpyDtoHAsync)(void* target, CUdeviceptr source, std::size_t bytes,
                                CUstream stream) = nullptr;
  CUresult (*cuMemcpyDtoDAsync)(CUdeviceptr target, CUdeviceptr source, std::size_t bytes,
                                CUstream stream) = nullptr;
  CUresult (*cuMemsetD8Async)(CUdeviceptr target, unsigned char value, std::size_t count,
                              CUstream stream) = nullptr;
  CUresult (*cuMemsetD16Async)(CUdeviceptr target, unsigned short value, std::size_t count,
                               CUstream stream) = nullptr;
  CUresult (*cuMemsetD32Async)(CUdeviceptr target, unsigned value, std::size_t count,
                               CUstream stream) = nullptr;
  CUresult (*cuMemcpyPeerAsync)(CUdeviceptr target, CUcontext target_context, CUdeviceptr source,
                                CUcontext source_context, std::size_t bytes, CUstream stream) = nullptr;
  CUresult (*cuDeviceCanAccessPeer)(int* can, CUdevice device, CUdevice peer) = nullptr;
  CUresult (*cuCtxEnablePeerAccess)(CUcontext peer, unsigned flags) = nullptr;
  CUresult (*cuCtxDisablePeerAccess)(CUcontext peer) = nullptr;
  CUresult (*cuPointerGetAttributes)(unsigned count, int* attributes, void** data,
                                     CUdeviceptr pointer) = nullptr;

  /** Null but on simulated devices, where it stands for a launch. */
  CUresult (*simulateWork)(CUstream stream, const SimulatedWork& work) = nullptr;

  CUresult (*cuStreamCreateWithPriority)(CUstream* stream, unsigned flags, int priority) = nullptr;
  CUresult (*cuStreamDestroy)(CUstream stream) = nullptr;
  CUresult (*cuStreamQuery)(CUstream stream) = nullptr;
  CUresult (*cuStreamSynchronize)(CUstream stream) = nullptr;
  CUresult (*cuStreamWaitEvent)(CUstream stream, CUevent event, unsigned flags) = nullptr;
  CUresult (*cuStreamGetFlags)(CUstream stream, unsigned* flags) = nullptr;
  CUresult (*cuStreamGetPriority)(CUstream stream, int* priority) = nullptr;
  CUresult (*cuStreamBeginCapture)(CUstream stream, int mode) = nullptr;
  CUresult (*cuStreamEndCapture)(CUstream stream, CUgraph* graph) = nullptr;
  CUresult (*cuStreamIsCapturing)(CUstream stream, int* status) = nullptr;

  CUresult (*cuGraphInstantiateWithFlags)(CUgraphExec* executable, CUgraph graph,
                                          unsigned long long flags) = nullptr;
  CUresult (*cuGraphLaunch)(CUgraphExec executable, CUstream stream) = nullptr;
  CUresult (*cuGraphExecDestroy)(CUgraphExec executable) = nullptr;
  CUresult (*cuGraphDestroy)(CUgraph graph) = nullptr;

  CUresult (*cuModuleLoadDataEx)(CUmodule* module, const void* image, unsigned count, int* options,
                                 void** values) = nullptr;
  CUresult (*cuModuleUnload)(CUmodule module) = nullptr;
  CUresult (*cuModuleGetFunction)(CUfunction* function, CUmodule module, const char* name) = nullptr;
  CUresult (*cuModuleGetGlobal)(CUdeviceptr* pointer, std::size_t* bytes, CUmodule module,
                                const char* name) = nullptr;
  CUresult (*cuFuncGetAttribute)(int* value, int attribute, CUfunction function) = nullptr;
  CUresult (*cuFuncSetAttribute)(CUfunction function, int attribute, int value) = nullptr;
  /** Null where the driver is older than 12.4. */
  CUresult (*cuFuncGetParamInfo)(CUfunction function, std::size_t index, std::size_t* offset,
                                 std::size_t* bytes) = nullptr;
  CUresult (*cuLaunchKernel)(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                             CUstream stream, void** parameters, void** extra) = nullptr;
  CUresult (*cuLaunchCooperativeKernel)(CUfunction function, unsigned grid_x, unsigned grid_y,
                                        unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                        unsigned shared_bytes, CUstream stream, void** parameters) = nullptr;
  CUresult (*cuOccupancyMaxActiveBlocksPerMultiprocessor)(int* blocks, CUfunction function, int block,
                                                          std::size_t shared_bytes) = nullptr;
  CUresult (*cuOccupancyMaxPotentialBlockSize)(int* least_grid, int* block, CUfunction function,
                                               std::size_t (*shared_of_block)(int block),
                                               std::size_t shared_bytes, int block_limit) = nullptr;

  CUresult (*cuEventCreate)(CUevent* event, unsigned flags) = nullptr;
  CUresult (*cuEventDestroy)(CUevent event) = nullptr;
  CUresult (*cuEventRecord)(CUevent event, CUstream stream) = nullptr;
  CUresult (*cuEventQuery)(CUevent event) = nullptr;
  CUresult (*cuEventSynchronize)(CUevent event) = nullptr;
  CUresult (*cuEventElapsedTime)(float* milliseconds, CUevent start, CUevent end) = nullptr;
};

/** Name of a status as the driver gives it, for example CUDA_ERROR_OUT_OF_MEMORY. */
inline std::string StatusName(const DriverTable& table, CUresult status) {
  const char* name = nullptr;
  if (table.cuGetErrorName(status, &name) != kSuccess || name == nullptr)
    return "CUresult " + std::to_string(status);
  return name;
}

/** The driver's own sentence about a status, empty where it has none. */
inline std::string StatusText(const DriverTable& table, CUresult status) {
  const char* text = nullptr;
  if (table.cuGetErrorString(status, &text) != kSuccess || text == nullptr) return "";
  return text;
}

}  // namespace stridelab::driver

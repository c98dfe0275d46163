// The functions of the CUDA driver that Stridelab calls: name, suffix of the symbol, parameters. Files that include this one define
// STRIDELAB_REQUIRED, and, where they differ from it, STRIDELAB_UNLOGGED for required functions that the recording driver does not log, and
// STRIDELAB_OPTIONAL for those that a driver may lack, whose slots then stay null. STRIDELAB_WITHOUT_MODULES leaves out those of
// module_functions.h.
// clang-format off

#ifndef STRIDELAB_UNLOGGED
#define STRIDELAB_UNLOGGED STRIDELAB_REQUIRED
#endif
#ifndef STRIDELAB_OPTIONAL
#define STRIDELAB_OPTIONAL STRIDELAB_REQUIRED
#endif

STRIDELAB_UNLOGGED(cuInit, , (unsigned flags))
STRIDELAB_UNLOGGED(cuDriverGetVersion, , (int* version))
STRIDELAB_UNLOGGED(cuGetErrorName, , (CUresult status, const char** name))
STRIDELAB_UNLOGGED(cuGetErrorString, , (CUresult status, const char** text))

STRIDELAB_UNLOGGED(cuDeviceGetCount, , (int* count))
STRIDELAB_UNLOGGED(cuDeviceGet, , (CUdevice* device, int ordinal))
STRIDELAB_UNLOGGED(cuDeviceGetName, , (char* name, int length, CUdevice device))
STRIDELAB_UNLOGGED(cuDeviceGetUuid, _v2, (CUuuid* uuid, CUdevice device))
STRIDELAB_UNLOGGED(cuDeviceGetPCIBusId, , (char* id, int length, CUdevice device))
STRIDELAB_UNLOGGED(cuDeviceGetAttribute, , (int* value, int attribute, CUdevice device))
STRIDELAB_UNLOGGED(cuDeviceTotalMem, _v2, (std::size_t* bytes, CUdevice device))

STRIDELAB_UNLOGGED(cuDevicePrimaryCtxRetain, , (CUcontext* context, CUdevice device))
STRIDELAB_UNLOGGED(cuCtxGetCurrent, , (CUcontext* context))
STRIDELAB_UNLOGGED(cuCtxPushCurrent, _v2, (CUcontext context))
STRIDELAB_UNLOGGED(cuCtxPopCurrent, _v2, (CUcontext* context))
STRIDELAB_REQUIRED(cuCtxSynchronize, , ())
// Null if the driver is older than 12.5.
STRIDELAB_OPTIONAL(cuCtxRecordEvent, , (CUcontext context, CUevent event))
STRIDELAB_UNLOGGED(cuCtxGetStreamPriorityRange, , (int* least, int* greatest))

STRIDELAB_REQUIRED(cuMemGetInfo, _v2, (std::size_t* free, std::size_t* total))
STRIDELAB_REQUIRED(cuMemAlloc, _v2, (CUdeviceptr* pointer, std::size_t bytes))
STRIDELAB_REQUIRED(cuMemFree, _v2, (CUdeviceptr pointer))
STRIDELAB_REQUIRED(cuMemHostAlloc, , (void** pointer, std::size_t bytes, unsigned flags))
STRIDELAB_REQUIRED(cuMemFreeHost, , (void* pointer))
STRIDELAB_UNLOGGED(cuMemHostGetDevicePointer, _v2, (CUdeviceptr* pointer, void* host, unsigned flags))
STRIDELAB_REQUIRED(cuMemHostRegister, _v2, (void* pointer, std::size_t bytes, unsigned flags))
STRIDELAB_REQUIRED(cuMemHostUnregister, , (void* pointer))
STRIDELAB_REQUIRED(cuMemAllocManaged, , (CUdeviceptr* pointer, std::size_t bytes, unsigned flags))
STRIDELAB_REQUIRED(cuMemAllocAsync, , (CUdeviceptr* pointer, std::size_t bytes, CUstream stream))
STRIDELAB_REQUIRED(cuMemFreeAsync, , (CUdeviceptr pointer, CUstream stream))
STRIDELAB_UNLOGGED(cuDeviceGetDefaultMemPool, , (CUmemoryPool* pool, CUdevice device))
STRIDELAB_REQUIRED(cuMemPoolSetAttribute, , (CUmemoryPool pool, int attribute, void* value))
STRIDELAB_REQUIRED(cuMemPoolGetAttribute, , (CUmemoryPool pool, int attribute, void* value))
STRIDELAB_REQUIRED(cuMemPoolTrimTo, , (CUmemoryPool pool, std::size_t keep))
STRIDELAB_REQUIRED(cuIpcGetMemHandle, , (CUipcMemHandle* handle, CUdeviceptr pointer))
STRIDELAB_REQUIRED(cuIpcOpenMemHandle, _v2, (CUdeviceptr* pointer, CUipcMemHandle handle, unsigned flags))
STRIDELAB_REQUIRED(cuIpcCloseMemHandle, , (CUdeviceptr pointer))
STRIDELAB_OPTIONAL(cuIpcGetEventHandle, , (CUipcEventHandle* handle, CUevent event))
STRIDELAB_OPTIONAL(cuIpcOpenEventHandle, , (CUevent* event, CUipcEventHandle handle))

// Optional functions for sharing. Shareable handles are POSIX file descriptors: exported through an `int*`, imported as a pointer's value.
STRIDELAB_OPTIONAL(cuMemPoolCreate, , (CUmemoryPool* pool, const CUmemPoolProps* properties))
STRIDELAB_OPTIONAL(cuMemPoolDestroy, , (CUmemoryPool pool))
STRIDELAB_OPTIONAL(cuMemPoolSetAccess, , (CUmemoryPool pool, const CUmemAccessDesc* access, std::size_t count))
STRIDELAB_OPTIONAL(cuMemPoolExportToShareableHandle, , (void* handle, CUmemoryPool pool, int type, unsigned long long flags))
STRIDELAB_OPTIONAL(cuMemPoolImportFromShareableHandle, , (CUmemoryPool* pool, void* handle, int type, unsigned long long flags))
STRIDELAB_OPTIONAL(cuMemPoolExportPointer, , (CUmemPoolPtrExportData* data, CUdeviceptr pointer))
STRIDELAB_OPTIONAL(cuMemPoolImportPointer, , (CUdeviceptr* pointer, CUmemoryPool pool, CUmemPoolPtrExportData* data))
STRIDELAB_OPTIONAL(cuMemAllocFromPoolAsync, , (CUdeviceptr* pointer, std::size_t bytes, CUmemoryPool pool, CUstream stream))
STRIDELAB_OPTIONAL(cuMemGetAllocationGranularity, , (std::size_t* bytes, const CUmemAllocationProp* properties, int option))
STRIDELAB_OPTIONAL(cuMemCreate, , (CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp* properties, unsigned long long flags))
STRIDELAB_OPTIONAL(cuMemRelease, , (CUmemGenericAllocationHandle handle))
STRIDELAB_OPTIONAL(cuMemAddressReserve, , (CUdeviceptr* pointer, std::size_t bytes, std::size_t alignment, CUdeviceptr wanted, unsigned long long flags))
STRIDELAB_OPTIONAL(cuMemAddressFree, , (CUdeviceptr pointer, std::size_t bytes))
STRIDELAB_OPTIONAL(cuMemMap, , (CUdeviceptr pointer, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle, unsigned long long flags))
STRIDELAB_OPTIONAL(cuMemUnmap, , (CUdeviceptr pointer, std::size_t bytes))
STRIDELAB_OPTIONAL(cuMemSetAccess, , (CUdeviceptr pointer, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count))
STRIDELAB_OPTIONAL(cuMemExportToShareableHandle, , (void* handle, CUmemGenericAllocationHandle allocation, int type, unsigned long long flags))
STRIDELAB_OPTIONAL(cuMemImportFromShareableHandle, , (CUmemGenericAllocationHandle* allocation, void* handle, int type))
STRIDELAB_REQUIRED(cuMemcpyHtoDAsync, _v2, (CUdeviceptr target, const void* source, std::size_t bytes, CUstream stream))
STRIDELAB_REQUIRED(cuMemcpyDtoHAsync, _v2, (void* target, CUdeviceptr source, std::size_t bytes, CUstream stream))
STRIDELAB_REQUIRED(cuMemcpyDtoDAsync, _v2, (CUdeviceptr target, CUdeviceptr source, std::size_t bytes, CUstream stream))
STRIDELAB_REQUIRED(cuMemsetD8Async, , (CUdeviceptr target, unsigned char value, std::size_t count, CUstream stream))
STRIDELAB_REQUIRED(cuMemsetD16Async, , (CUdeviceptr target, unsigned short value, std::size_t count, CUstream stream))
STRIDELAB_REQUIRED(cuMemsetD32Async, , (CUdeviceptr target, unsigned value, std::size_t count, CUstream stream))
STRIDELAB_REQUIRED(cuMemcpyPeerAsync, , (CUdeviceptr target, CUcontext target_context, CUdeviceptr source, CUcontext source_context, std::size_t bytes, CUstream stream))
STRIDELAB_UNLOGGED(cuDeviceCanAccessPeer, , (int* can, CUdevice device, CUdevice peer))
STRIDELAB_REQUIRED(cuCtxEnablePeerAccess, , (CUcontext peer, unsigned flags))
STRIDELAB_REQUIRED(cuCtxDisablePeerAccess, , (CUcontext peer))
STRIDELAB_UNLOGGED(cuPointerGetAttributes, , (unsigned count, int* attributes, void** data, CUdeviceptr pointer))

STRIDELAB_REQUIRED(cuStreamCreateWithPriority, , (CUstream* stream, unsigned flags, int priority))
STRIDELAB_REQUIRED(cuStreamDestroy, _v2, (CUstream stream))
STRIDELAB_REQUIRED(cuStreamQuery, , (CUstream stream))
STRIDELAB_REQUIRED(cuStreamSynchronize, , (CUstream stream))
STRIDELAB_REQUIRED(cuStreamWaitEvent, , (CUstream stream, CUevent event, unsigned flags))
STRIDELAB_UNLOGGED(cuStreamGetFlags, , (CUstream stream, unsigned* flags))
STRIDELAB_UNLOGGED(cuStreamGetPriority, , (CUstream stream, int* priority))
STRIDELAB_REQUIRED(cuStreamBeginCapture, _v2, (CUstream stream, int mode))
STRIDELAB_REQUIRED(cuStreamEndCapture, , (CUstream stream, CUgraph* graph))
STRIDELAB_UNLOGGED(cuStreamIsCapturing, , (CUstream stream, int* status))

STRIDELAB_REQUIRED(cuGraphInstantiateWithFlags, , (CUgraphExec* executable, CUgraph graph, unsigned long long flags))
STRIDELAB_REQUIRED(cuGraphLaunch, , (CUgraphExec executable, CUstream stream))
STRIDELAB_REQUIRED(cuGraphExecDestroy, , (CUgraphExec executable))
STRIDELAB_REQUIRED(cuGraphDestroy, , (CUgraph graph))

STRIDELAB_REQUIRED(cuEventCreate, , (CUevent* event, unsigned flags))
STRIDELAB_REQUIRED(cuEventDestroy, _v2, (CUevent event))
STRIDELAB_REQUIRED(cuEventRecord, , (CUevent event, CUstream stream))
STRIDELAB_REQUIRED(cuEventQuery, , (CUevent event))
STRIDELAB_REQUIRED(cuEventSynchronize, , (CUevent event))
STRIDELAB_REQUIRED(cuEventElapsedTime, , (float* milliseconds, CUevent start, CUevent end))

#ifndef STRIDELAB_WITHOUT_MODULES
#include "driver/module_functions.h"
#endif

#undef STRIDELAB_REQUIRED
#undef STRIDELAB_UNLOGGED
#undef STRIDELAB_OPTIONAL
#undef STRIDELAB_WITHOUT_MODULES

/*
 * A libcuda with one device in host memory, for tests on machines without a GPU. Copies and fills
 * complete synchronously. Set STRIDELAB_LIBCUDA to its path.
 *
 * A stream handle points at a pointer to the stream, as in NVIDIA's driver. So an invalid handle crashes
 * the process here too.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_HANDLE = 400, NOT_SUPPORTED = 801 };
enum { MEMORY_TYPE = 2, IS_MANAGED = 8, DEVICE_ORDINAL = 9, RANGE_START = 11, RANGE_SIZE = 12 };
enum { MOST_BLOCKS = 256, MAGIC = 0x57e4 };

typedef struct {
  char *start;
  size_t bytes;
} Block;

typedef struct {
  int magic;
  int priority;
  unsigned flags;
} Stream;

/* The struct that a stream handle points at. */
typedef struct {
  Stream *stream;
  void *unused;
} Handle;

static Block blocks[MOST_BLOCKS];
static char context;

static Block *find(uint64_t pointer) {
  for (int index = 0; index < MOST_BLOCKS; ++index) {
    const uint64_t start = (uint64_t)blocks[index].start;
    if (start != 0 && pointer >= start && pointer < start + blocks[index].bytes) return &blocks[index];
  }
  return NULL;
}

static int require(const Handle *handle) {
  if ((uintptr_t)handle <= 2) return SUCCESS;
  return handle->stream->magic == MAGIC ? SUCCESS : INVALID_HANDLE;
}

EXPORT int cuInit(unsigned flags) { return flags == 0 ? SUCCESS : INVALID_VALUE; }
EXPORT int cuDriverGetVersion(int *version) { return *version = 13000, SUCCESS; }
EXPORT int cuGetErrorName(int status, const char **name) {
  *name = status == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_THE_FAKE";
  return SUCCESS;
}
EXPORT int cuGetErrorString(int status, const char **text) {
  *text = status == SUCCESS ? "none" : "an error of the fake";
  return SUCCESS;
}

EXPORT int cuDeviceGetCount(int *count) { return *count = 1, SUCCESS; }
EXPORT int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, SUCCESS; }
EXPORT int cuDeviceGetName(char *name, int length, int device) {
  (void)device;
  strncpy(name, "Fake GPU", (size_t)length);
  return SUCCESS;
}
EXPORT int cuDeviceGetUuid_v2(char uuid[16], int device) { return memset(uuid, 7 + device, 16), SUCCESS; }
EXPORT int cuDeviceGetPCIBusId(char *id, int length, int device) {
  (void)device;
  strncpy(id, "0000:00:00.0", (size_t)length);
  return SUCCESS;
}
EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  (void)attribute;
  (void)device;
  return *value = 9, SUCCESS;
}
EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  (void)device;
  return *bytes = (size_t)1 << 30, SUCCESS;
}
EXPORT int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  *free_bytes = (size_t)1 << 29;
  *total = (size_t)1 << 30;
  return SUCCESS;
}
EXPORT int cuDevicePrimaryCtxRetain(void **made, int device) {
  (void)device;
  return *made = &context, SUCCESS;
}
EXPORT int cuCtxGetCurrent(void **current) { return *current = &context, SUCCESS; }
EXPORT int cuCtxPushCurrent_v2(void *pushed) { return pushed == &context ? SUCCESS : INVALID_VALUE; }
EXPORT int cuCtxPopCurrent_v2(void **popped) { return *popped = &context, SUCCESS; }
EXPORT int cuCtxSynchronize(void) { return SUCCESS; }
EXPORT int cuCtxRecordEvent(void *of, void *event) {
  return of != NULL && event != NULL ? SUCCESS : INVALID_VALUE;
}
EXPORT int cuCtxGetStreamPriorityRange(int *least, int *greatest) { return *least = *greatest = 0, SUCCESS; }

EXPORT int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  for (int index = 0; index < MOST_BLOCKS; ++index) {
    if (blocks[index].start != NULL) continue;
    blocks[index] = (Block){calloc(1, bytes), bytes};
    *pointer = (uint64_t)blocks[index].start;
    return SUCCESS;
  }
  return OUT_OF_MEMORY;
}
EXPORT int cuMemFree_v2(uint64_t pointer) {
  Block *block = find(pointer);
  if (block == NULL) return INVALID_VALUE;
  free(block->start);
  block->start = NULL;
  return SUCCESS;
}
EXPORT int cuMemAllocAsync(uint64_t *pointer, size_t bytes, Handle *stream) {
  const int status = require(stream);
  return status == SUCCESS ? cuMemAlloc_v2(pointer, bytes) : status;
}
EXPORT int cuMemFreeAsync(uint64_t pointer, Handle *stream) {
  const int status = require(stream);
  return status == SUCCESS ? cuMemFree_v2(pointer) : status;
}
EXPORT int cuDeviceGetDefaultMemPool(void **pool, int device) {
  (void)device;
  return *pool = &context, SUCCESS;
}
EXPORT int cuMemPoolSetAttribute(void *pool, int attribute, void *value) {
  return pool != NULL && attribute != 0 && value != NULL ? SUCCESS : INVALID_VALUE;
}
EXPORT int cuPointerGetAttributes(unsigned count, const int *attributes, void **data, uint64_t pointer) {
  const Block *block = find(pointer);
  for (unsigned index = 0; index < count; ++index) {
    switch (attributes[index]) {
      case MEMORY_TYPE:
        *(unsigned *)data[index] = block == NULL ? 0 : 2;
        break;
      case IS_MANAGED:
        *(unsigned char *)data[index] = 0;
        break;
      case DEVICE_ORDINAL:
        *(int *)data[index] = block == NULL ? -2 : 0;
        break;
      case RANGE_START:
        *(uint64_t *)data[index] = block == NULL ? 0 : (uint64_t)block->start;
        break;
      case RANGE_SIZE:
        *(size_t *)data[index] = block == NULL ? 0 : block->bytes;
        break;
      default:
        break;
    }
  }
  return SUCCESS;
}

EXPORT int cuMemcpyHtoDAsync_v2(uint64_t target, const void *source, size_t bytes, Handle *stream) {
  memcpy((void *)target, source, bytes);
  return require(stream);
}
EXPORT int cuMemcpyDtoHAsync_v2(void *target, uint64_t source, size_t bytes, Handle *stream) {
  memcpy(target, (const void *)source, bytes);
  return require(stream);
}
EXPORT int cuMemcpyDtoDAsync_v2(uint64_t target, uint64_t source, size_t bytes, Handle *stream) {
  memmove((void *)target, (const void *)source, bytes);
  return require(stream);
}
EXPORT int cuMemsetD8Async(uint64_t target, unsigned char value, size_t count, Handle *stream) {
  memset((void *)target, value, count);
  return require(stream);
}

EXPORT int cuStreamCreateWithPriority(Handle **made, unsigned flags, int priority) {
  Handle *handle = calloc(1, sizeof(Handle));
  handle->stream = calloc(1, sizeof(Stream));
  *handle->stream = (Stream){MAGIC, priority, flags};
  return *made = handle, SUCCESS;
}
/* Overwrites a freed handle, as an allocator would. Its memory is never reused, so that tests repeat. */
EXPORT int cuStreamDestroy_v2(Handle *handle) {
  const int status = require(handle);
  if (status != SUCCESS) return status;
  handle->stream->magic = 0;
  handle->stream = (Stream *)((uintptr_t)handle >> 12);
  return SUCCESS;
}
EXPORT int cuStreamQuery(Handle *handle) { return require(handle); }
EXPORT int cuStreamSynchronize(Handle *handle) { return require(handle); }
EXPORT int cuStreamWaitEvent(Handle *handle, void *event, unsigned flags) {
  (void)flags;
  return event == NULL ? INVALID_VALUE : require(handle);
}
EXPORT int cuStreamGetFlags(Handle *handle, unsigned *flags) {
  const int status = require(handle);
  *flags = (uintptr_t)handle <= 2 || status != SUCCESS ? 0 : handle->stream->flags;
  return status;
}
EXPORT int cuStreamGetPriority(Handle *handle, int *priority) {
  *priority = 0;
  return require(handle);
}
EXPORT int cuStreamIsCapturing(Handle *handle, int *status) {
  *status = 0;
  return require(handle);
}

EXPORT int cuEventCreate(void **event, unsigned flags) {
  (void)flags;
  return *event = malloc(1), SUCCESS;
}
EXPORT int cuEventDestroy_v2(void *event) {
  free(event);
  return SUCCESS;
}
EXPORT int cuEventRecord(void *event, Handle *stream) {
  return event == NULL ? INVALID_VALUE : require(stream);
}
EXPORT int cuEventQuery(void *event) { return event == NULL ? INVALID_VALUE : SUCCESS; }
EXPORT int cuEventSynchronize(void *event) { return event == NULL ? INVALID_VALUE : SUCCESS; }

/* Functions that the tests do not use. */
#define MISSING(name) \
  EXPORT int name(void) { return NOT_SUPPORTED; }
MISSING(cuMemHostAlloc)
MISSING(cuMemFreeHost)
MISSING(cuMemHostGetDevicePointer_v2)
MISSING(cuMemHostRegister_v2)
MISSING(cuMemHostUnregister)
MISSING(cuMemAllocManaged)
MISSING(cuMemPoolGetAttribute)
MISSING(cuMemPoolTrimTo)
MISSING(cuIpcGetMemHandle)
MISSING(cuIpcOpenMemHandle_v2)
MISSING(cuIpcCloseMemHandle)
MISSING(cuMemsetD16Async)
MISSING(cuMemsetD32Async)
MISSING(cuMemcpyPeerAsync)
MISSING(cuDeviceCanAccessPeer)
MISSING(cuCtxEnablePeerAccess)
MISSING(cuCtxDisablePeerAccess)
MISSING(cuStreamBeginCapture_v2)
MISSING(cuStreamEndCapture)
MISSING(cuGraphInstantiateWithFlags)
MISSING(cuGraphLaunch)
MISSING(cuGraphExecDestroy)
MISSING(cuGraphDestroy)
MISSING(cuModuleLoadDataEx)
MISSING(cuModuleUnload)
MISSING(cuModuleGetFunction)
MISSING(cuModuleGetGlobal_v2)
MISSING(cuFuncGetAttribute)
MISSING(cuFuncSetAttribute)
MISSING(cuLaunchKernel)
MISSING(cuLaunchCooperativeKernel)
MISSING(cuOccupancyMaxActiveBlocksPerMultiprocessor)
MISSING(cuOccupancyMaxPotentialBlockSize)
MISSING(cuEventElapsedTime)

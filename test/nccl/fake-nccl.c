/*
 * A libnccl that logs its calls and computes nothing, for tests on machines without GPUs.
 * STRIDELAB_FAKE_NCCL_LOG names the log file; STRIDELAB_FAKE_NCCL selects a failure:
 *   absent  peers never connect
 *   remote  the first call breaks the communicator
 *   usage   every call returns an error
 *   slow    every non-blocking operation takes a while
 *   stuck   finalization never completes
 *   old     NCCL 2.13
 *   alone   the other ranks never shrink
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { SUCCESS = 0, INVALID_USAGE = 5, REMOTE_ERROR = 6, IN_PROGRESS = 7 };

typedef struct {
  char internal[128];
} UniqueId;

typedef struct {
  size_t size;
  unsigned magic;
  unsigned version;
  int blocking;
} Config;

typedef struct {
  int rank;
  int size;
  int blocking;
  int polls;
  int error;
  int stuck;
} Comm;

static int depth = 0;

static int mode(const char* name) {
  const char* value = getenv("STRIDELAB_FAKE_NCCL");
  return value != NULL && strcmp(value, name) == 0;
}

static void note(const char* format, ...) {
  const char* path = getenv("STRIDELAB_FAKE_NCCL_LOG");
  FILE* file = path == NULL ? NULL : fopen(path, "a");
  if (file == NULL) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(file, format, arguments);
  va_end(arguments);
  fputc('\n', file);
  fclose(file);
}

static int begun(Comm* comm) {
  if (comm->blocking) return SUCCESS;
  comm->polls = mode("slow") ? 5 : 1;
  return IN_PROGRESS;
}

static int called(Comm* comm) {
  if (mode("usage")) return INVALID_USAGE;
  if (mode("remote")) comm->error = REMOTE_ERROR;
  return depth > 0 && comm->blocking ? SUCCESS : begun(comm);
}

EXPORT int ncclGetVersion(int* version) {
  *version = mode("old") ? 21304 : 22705;
  return SUCCESS;
}

EXPORT const char* ncclGetErrorString(int result) {
  return result == REMOTE_ERROR    ? "remote process exited"
         : result == INVALID_USAGE ? "invalid usage"
                                   : "no error";
}

EXPORT const char* ncclGetLastError(Comm* comm) { return comm == NULL ? "" : "told by the fake"; }

EXPORT int ncclGetUniqueId(UniqueId* id) {
  memset(id->internal, 7, sizeof(id->internal));
  return SUCCESS;
}

EXPORT int ncclCommInitAll(Comm** comms, int count, const int* devices) {
  for (int rank = 0; rank < count; ++rank) {
    comms[rank] = calloc(1, sizeof(Comm));
    *comms[rank] = (Comm){.rank = rank, .size = count, .blocking = 1};
    note("initAll rank %d device %d", rank, devices[rank]);
  }
  return SUCCESS;
}

EXPORT int ncclCommInitRankConfig(Comm** comm, int size, UniqueId id, int rank, Config* config) {
  const int right = config->magic == 0xcafebeef && config->version == 21400 && config->size == sizeof(Config);
  note("init rank %d of %d id %d config %d blocking %d", rank, size, id.internal[127], right,
       config->blocking);
  *comm = calloc(1, sizeof(Comm));
  **comm = (Comm){.rank = rank, .size = size, .blocking = config->blocking};
  return begun(*comm);
}

EXPORT int ncclCommShrink(Comm* comm, int* excluded, int count, Comm** shrunk, Config* config, int flags) {
  int before = 0;
  for (int i = 0; i < count; ++i) before += excluded[i] < comm->rank;
  note("shrink rank %d without %d first %d blocking %d flags %d", comm->rank, count, excluded[0],
       config->blocking, flags);
  *shrunk = calloc(1, sizeof(Comm));
  **shrunk = (Comm){.rank = comm->rank - before,
                    .size = comm->size - count,
                    .blocking = config->blocking,
                    .stuck = mode("alone")};
  return begun(*shrunk);
}

EXPORT int ncclCommGetAsyncError(Comm* comm, int* error) {
  if (mode("absent") || comm->stuck) {
    *error = IN_PROGRESS;
  } else if (comm->polls > 0) {
    --comm->polls;
    *error = IN_PROGRESS;
  } else {
    *error = comm->error;
  }
  return SUCCESS;
}

EXPORT int ncclCommFinalize(Comm* comm) {
  note("finalize rank %d", comm->rank);
  if (mode("stuck")) comm->stuck = 1;
  return begun(comm);
}

EXPORT int ncclCommDestroy(Comm* comm) {
  note("destroy rank %d", comm->rank);
  free(comm);
  return SUCCESS;
}

EXPORT int ncclCommAbort(Comm* comm) {
  note("abort rank %d", comm->rank);
  free(comm);
  return SUCCESS;
}

EXPORT int ncclGroupStart(void) {
  ++depth;
  note("{");
  return SUCCESS;
}

EXPORT int ncclGroupEnd(void) {
  --depth;
  note("}");
  return SUCCESS;
}

EXPORT int ncclAllReduce(const void* source, void* target, size_t count, int type, int op, Comm* comm,
                         void* stream) {
  note("allReduce rank %d %p %p count %zu type %d op %d stream %p", comm->rank, source, target, count, type,
       op, stream);
  return called(comm);
}

EXPORT int ncclBroadcast(const void* source, void* target, size_t count, int type, int root, Comm* comm,
                         void* stream) {
  note("broadcast rank %d %p %p count %zu type %d root %d stream %p", comm->rank, source, target, count, type,
       root, stream);
  return called(comm);
}

EXPORT int ncclReduce(const void* source, void* target, size_t count, int type, int op, int root, Comm* comm,
                      void* stream) {
  note("reduce rank %d %p %p count %zu type %d op %d root %d stream %p", comm->rank, source, target, count,
       type, op, root, stream);
  return called(comm);
}

EXPORT int ncclReduceScatter(const void* source, void* target, size_t count, int type, int op, Comm* comm,
                             void* stream) {
  note("reduceScatter rank %d %p %p count %zu type %d op %d stream %p", comm->rank, source, target, count,
       type, op, stream);
  return called(comm);
}

EXPORT int ncclAllGather(const void* source, void* target, size_t count, int type, Comm* comm, void* stream) {
  note("allGather rank %d %p %p count %zu type %d stream %p", comm->rank, source, target, count, type,
       stream);
  return called(comm);
}

EXPORT int ncclSend(const void* source, size_t count, int type, int peer, Comm* comm, void* stream) {
  note("send rank %d %p count %zu type %d peer %d stream %p", comm->rank, source, count, type, peer, stream);
  return called(comm);
}

EXPORT int ncclRecv(void* target, size_t count, int type, int peer, Comm* comm, void* stream) {
  note("recv rank %d %p count %zu type %d peer %d stream %p", comm->rank, target, count, type, peer, stream);
  return called(comm);
}

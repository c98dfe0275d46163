/* A producer and consumer of DLPack capsules that shares nothing with stridelab except its header. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "values.h"

static atomic_int deletions;
/* Address of the bytes of the last produced tensor, for reads without synchronization. */
static uint64_t last_bytes;

/* The data that a produced tensor owns: shape, strides and bytes. */
typedef struct {
  void* managed;
  void* bytes;
  int64_t shape[MOST_AXES];
  int64_t strides[MOST_AXES];
} Owned;

static void Free(Owned* owned) {
  atomic_fetch_add(&deletions, 1);
  free(owned->bytes);
  free(owned->managed);
  free(owned);
}

static void DeleteUnversioned(DLManagedTensor* self) { Free((Owned*)self->manager_ctx); }
static void DeleteVersioned(DLManagedTensorVersioned* self) { Free((Owned*)self->manager_ctx); }

static void FillTensor(napi_env env, napi_value of, Owned* owned, DLTensor* tensor) {
  void* source = NULL;
  size_t length = 0;
  const int32_t axes = GetNumbers(env, of, "shape", owned->shape);
  if (Has(env, of, "bytes")) {
    napi_get_typedarray_info(env, Get(env, of, "bytes"), NULL, &length, &source, NULL, NULL);
    owned->bytes = malloc(length + 1);
    memcpy(owned->bytes, source, length);
  }
  tensor->data = owned->bytes;
  last_bytes = (uint64_t)(uintptr_t)owned->bytes;
  tensor->device = GetDevice(env, of);
  tensor->dtype = GetDType(env, of, (DLDataType){kDLFloat, 32, 1});
  tensor->ndim = (int32_t)GetNumber(env, of, "ndim", axes < 0 ? 0 : axes);
  tensor->shape = axes < 0 ? NULL : owned->shape;
  tensor->strides = GetNumbers(env, of, "strides", owned->strides) < 0 ? NULL : owned->strides;
  tensor->byte_offset = (uint64_t)GetNumber(env, of, "byteOffset", 0);
}

/* Makes the DLManagedTensorVersioned that `of` describes. */
static DLManagedTensorVersioned* MakeVersioned(napi_env env, napi_value of) {
  Owned* owned = calloc(1, sizeof(Owned));
  DLManagedTensorVersioned* managed = calloc(1, sizeof(DLManagedTensorVersioned));
  owned->managed = managed;
  managed->version.major = (uint32_t)GetNumber(env, of, "major", DLPACK_MAJOR_VERSION);
  managed->version.minor = (uint32_t)GetNumber(env, of, "minor", DLPACK_MINOR_VERSION);
  managed->flags = (uint64_t)GetNumber(env, of, "flags", 0);
  managed->manager_ctx = owned;
  managed->deleter = GetNumber(env, of, "deleter", 1) != 0 ? DeleteVersioned : NULL;
  FillTensor(env, of, owned, &managed->dl_tensor);
  return managed;
}

static DLManagedTensor* MakeUnversioned(napi_env env, napi_value of) {
  Owned* owned = calloc(1, sizeof(Owned));
  DLManagedTensor* managed = calloc(1, sizeof(DLManagedTensor));
  owned->managed = managed;
  managed->manager_ctx = owned;
  managed->deleter = GetNumber(env, of, "deleter", 1) != 0 ? DeleteUnversioned : NULL;
  FillTensor(env, of, owned, &managed->dl_tensor);
  return managed;
}

/* As an External, the other form of a capsule. */
static napi_value WrapExternal(napi_env env, void* managed, int versioned) {
  napi_value external = NULL;
  StridelabCapsule* capsule = malloc(sizeof(StridelabCapsule));
  *capsule = (StridelabCapsule){sizeof(StridelabCapsule), kStridelabCapsuleFresh, managed};
  napi_create_external(env, capsule, versioned ? StridelabFinalizeVersioned : StridelabFinalizeUnversioned,
                       NULL, &external);
  napi_type_tag_object(env, external, versioned ? &kStridelabVersionedTag : &kStridelabUnversionedTag);
  return external;
}

/* produce({ versioned, external, shape, strides, dtype, device, bytes, byteOffset, flags, major, minor, ndim,
 * deleter }) */
static napi_value Produce(napi_env env, napi_callback_info info) {
  napi_value of = NULL;
  napi_value capsule = NULL;
  Arguments(env, info, 1, &of);
  const int versioned = GetNumber(env, of, "versioned", 1) != 0;
  void* managed = versioned ? (void*)MakeVersioned(env, of) : (void*)MakeUnversioned(env, of);
  if (GetNumber(env, of, "external", 0) != 0) return WrapExternal(env, managed, versioned);
  if (StridelabCapsuleCreate(env, managed, versioned, &capsule) != napi_ok) return NULL;
  return capsule;
}

static napi_value Deletions(napi_env env, napi_callback_info info) {
  (void)info;
  return Number(env, atomic_load(&deletions));
}

static napi_value LastBytes(napi_env env, napi_callback_info info) {
  (void)info;
  return Address(env, last_bytes);
}

/* The tensor that `consume` took. */
static struct {
  void* managed;
  int versioned;
} held;

/* consume(capsule): the tensor's fields and its first `bytes` bytes; the tensor is held until `release`.
 */
static napi_value Consume(napi_env env, napi_callback_info info) {
  napi_value arguments[2] = {NULL, NULL};
  Arguments(env, info, 2, arguments);
  const napi_status status = StridelabCapsuleTake(env, arguments[0], &held.managed, &held.versioned);
  if (status != napi_ok) {
    napi_throw_error(env, NULL, status == napi_invalid_arg ? "no capsule" : "consumed");
    return NULL;
  }
  const DLManagedTensorVersioned* versioned = held.managed;
  const DLTensor* tensor =
      held.versioned ? &versioned->dl_tensor : &((DLManagedTensor*)held.managed)->dl_tensor;
  napi_value result = DescribeTensor(env, tensor);
  const int64_t version[2] = {held.versioned ? versioned->version.major : 0,
                              held.versioned ? versioned->version.minor : 0};
  Set(env, result, "version", Array(env, held.versioned ? version : NULL, 2));
  Set(env, result, "flags", Number(env, held.versioned ? (double)versioned->flags : 0));
  double count = 0;
  if (napi_get_value_double(env, arguments[1], &count) == napi_ok && count > 0) {
    void* target = NULL;
    napi_value buffer = NULL;
    napi_create_arraybuffer(env, (size_t)count, &target, &buffer);
    memcpy(target, (char*)tensor->data + tensor->byte_offset, (size_t)count);
    Set(env, result, "bytes", buffer);
  }
  return result;
}

static void* DeleteHeld(void* unused) {
  (void)unused;
  StridelabDelete(held.managed, held.versioned);
  held.managed = NULL;
  return NULL;
}

/* release(onThread): calls the deleter of the consumed tensor, here or on a thread without JavaScript. */
static napi_value Release(napi_env env, napi_callback_info info) {
  napi_value argument = NULL;
  bool on_thread = false;
  Arguments(env, info, 1, &argument);
  napi_get_value_bool(env, argument, &on_thread);
  if (on_thread) {
    pthread_t thread;
    pthread_create(&thread, NULL, DeleteHeld, NULL);
    pthread_join(thread, NULL);
  } else {
    DeleteHeld(NULL);
  }
  return Undefined(env);
}

/* toArray(type, of): makes an array from a tensor through the exchange table. */
static napi_value ToArray(napi_env env, napi_callback_info info) {
  napi_value arguments[2] = {NULL, NULL};
  napi_value array = NULL;
  Arguments(env, info, 2, arguments);
  const StridelabExchange* table = TableOfClass(env, arguments[0]);
  if (table == NULL) return NULL;
  DLManagedTensorVersioned* managed = MakeVersioned(env, arguments[1]);
  return table->managed_tensor_to_value_no_sync(env, arguments[0], managed, &array) == 0 ? array : NULL;
}

NAPI_MODULE_INIT() {
  DefineFunction(env, exports, "produce", Produce);
  DefineFunction(env, exports, "deletions", Deletions);
  DefineFunction(env, exports, "lastBytes", LastBytes);
  DefineFunction(env, exports, "consume", Consume);
  DefineFunction(env, exports, "release", Release);
  DefineFunction(env, exports, "toArray", ToArray);
  DefineExchange(env, exports);
  return exports;
}

/*
 * stridelab.h: the C interface with which Node-API addons exchange arrays, without a copy and without a host wait.
 *
 * Plain C11 (and C++). It holds four things:
 *   1. the DLPack structs, unchanged (include dlpack.h 1.0 or newer before this file to use its own);
 *   2. the capsule: the JavaScript object that carries a DLPack struct, and functions that create and consume one;
 *   3. StridelabArray: the CUDA Array Interface in binary form, with an event to wait for and a release function;
 *   4. the exchange table: functions that native code uses in place of `__dlpack__()`, found on an array class.
 *
 * The normative text is docs/spec/c-interface.md. The tags are constants, so addons work together even if they were
 * built with different copies of the stridelab package.
 */
#ifndef STRIDELAB_H_
#define STRIDELAB_H_

#include <node_api.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- 1. DLPack, as dlpack.h 1.3 declares it */

#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_
#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 3

#define DLPACK_FLAG_BITMASK_READ_ONLY (1UL << 0UL)
#define DLPACK_FLAG_BITMASK_IS_COPIED (1UL << 1UL)
#define DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED (1UL << 2UL)

typedef struct {
  uint32_t major;
  uint32_t minor;
} DLPackVersion;

#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kDLCPU = 1,
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLOpenCL = 4,
  kDLVulkan = 7,
  kDLMetal = 8,
  kDLVPI = 9,
  kDLROCM = 10,
  kDLROCMHost = 11,
  kDLExtDev = 12,
  kDLCUDAManaged = 13,
  kDLOneAPI = 14,
  kDLWebGPU = 15,
  kDLHexagon = 16,
  kDLMAIA = 17,
  kDLTrn = 18,
} DLDeviceType;

typedef struct {
  DLDeviceType device_type;
  int32_t device_id;
} DLDevice;

typedef enum {
  kDLInt = 0U,
  kDLUInt = 1U,
  kDLFloat = 2U,
  kDLOpaqueHandle = 3U,
  kDLBfloat = 4U,
  kDLComplex = 5U,
  kDLBool = 6U,
  kDLFloat8_e3m4 = 7U,
  kDLFloat8_e4m3 = 8U,
  kDLFloat8_e4m3b11fnuz = 9U,
  kDLFloat8_e4m3fn = 10U,
  kDLFloat8_e4m3fnuz = 11U,
  kDLFloat8_e5m2 = 12U,
  kDLFloat8_e5m2fnuz = 13U,
  kDLFloat8_e8m0fnu = 14U,
  kDLFloat6_e2m3fn = 15U,
  kDLFloat6_e3m2fn = 16U,
  kDLFloat4_e2m1fn = 17U,
} DLDataTypeCode;

typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

/* `strides` are in elements; NULL means compact row-major. The first element is at `data` + `byte_offset`. */
typedef struct {
  void* data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t* shape;
  int64_t* strides;
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensor* self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void* manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned* self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
#endif /* DLPACK_DLPACK_H_ */

/* ---------------------------------------------------------------- 2. The capsule */

/*
 * A capsule is a JavaScript object (or External) with one of two type tags, whose native pointer is a StridelabCapsule.
 * The tag identifies the struct that `managed` points to. A capsule is fresh, then either taken by its one consumer, or
 * released if none took it. An object without a tag is a capsule if its method STRIDELAB_ATTACH_KEY gives it one: tags
 * take most of the time of an export, and consumers in JavaScript do not need them.
 */
enum { kStridelabCapsuleFresh = 0, kStridelabCapsuleTaken = 1, kStridelabCapsuleReleased = 2 };

typedef struct StridelabCapsule {
  uint32_t size;  /* the producer's sizeof(StridelabCapsule); later versions only append */
  uint32_t state; /* change it only through StridelabCapsuleLeave */
  void* managed;  /* DLManagedTensor* or DLManagedTensorVersioned* */
} StridelabCapsule;

/* The name of the method, without arguments, that attaches the tag and the native pointer to its object. */
#define STRIDELAB_ATTACH_KEY "__dlpack_attach__"

/* The type tags of capsules, for "dltensor" and "dltensor_versioned". */
static const napi_type_tag kStridelabUnversionedTag = {0x444c5061636b4e41ULL, 0x646c74656e736f72ULL};
static const napi_type_tag kStridelabVersionedTag = {0x444c5061636b4e41ULL, 0x646c74656e736f76ULL};
/* The type tag of the External that holds the exchange table. */
static const napi_type_tag kStridelabExchangeTag = {0x444c5061636b4e41ULL, 0x65786368616e6765ULL};

/* Changes the state from fresh to `next`, atomically; true for the one caller that succeeds. Any thread. */
static inline int StridelabCapsuleLeave(StridelabCapsule* capsule, uint32_t next) {
#if defined(_MSC_VER)
  extern long _InterlockedCompareExchange(long volatile*, long, long);
  return _InterlockedCompareExchange((long volatile*)&capsule->state, (long)next, kStridelabCapsuleFresh) ==
         kStridelabCapsuleFresh;
#else
  uint32_t expected = kStridelabCapsuleFresh;
  return __atomic_compare_exchange_n(&capsule->state, &expected, next, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
#endif
}

/* Calls the deleter of a managed tensor, if it has one. */
static inline void StridelabDelete(void* managed, int versioned) {
  if (versioned) {
    DLManagedTensorVersioned* tensor = (DLManagedTensorVersioned*)managed;
    if (tensor->deleter != NULL) tensor->deleter(tensor);
  } else {
    DLManagedTensor* tensor = (DLManagedTensor*)managed;
    if (tensor->deleter != NULL) tensor->deleter(tensor);
  }
}

/* Deletes the tensor of a fresh capsule; otherwise does nothing. */
static inline void StridelabCapsuleRelease(StridelabCapsule* capsule, int versioned) {
  if (StridelabCapsuleLeave(capsule, kStridelabCapsuleReleased)) StridelabDelete(capsule->managed, versioned);
}

static inline void StridelabFinalizeUnversioned(node_api_basic_env env, void* data, void* hint) {
  (void)env, (void)hint;
  StridelabCapsuleRelease((StridelabCapsule*)data, 0);
  free(data);
}

static inline void StridelabFinalizeVersioned(node_api_basic_env env, void* data, void* hint) {
  (void)env, (void)hint;
  StridelabCapsuleRelease((StridelabCapsule*)data, 1);
  free(data);
}

/*
 * Turns `object`, a new plain object, into a capsule that owns `managed`. On failure the caller still owns `managed`.
 */
static inline napi_status StridelabCapsuleAttach(napi_env env, napi_value object, void* managed,
                                                 int versioned) {
  StridelabCapsule* capsule = (StridelabCapsule*)malloc(sizeof(StridelabCapsule));
  napi_status status;
  if (capsule == NULL) return napi_generic_failure;
  capsule->size = (uint32_t)sizeof(StridelabCapsule);
  capsule->state = kStridelabCapsuleFresh;
  capsule->managed = managed;
  status = napi_type_tag_object(env, object, versioned ? &kStridelabVersionedTag : &kStridelabUnversionedTag);
  if (status == napi_ok) {
    status = napi_wrap(env, object, capsule,
                       versioned ? StridelabFinalizeVersioned : StridelabFinalizeUnversioned, NULL, NULL);
  }
  if (status != napi_ok) free(capsule);
  return status;
}

/* Creates a capsule that owns `managed`. On failure the caller still owns `managed`. */
static inline napi_status StridelabCapsuleCreate(napi_env env, void* managed, int versioned,
                                                 napi_value* out) {
  napi_status status = napi_create_object(env, out);
  return status == napi_ok ? StridelabCapsuleAttach(env, *out, managed, versioned) : status;
}

/* Gets the native struct of an object with a tag. */
static inline napi_status StridelabCapsuleTagged(napi_env env, napi_value value, StridelabCapsule** out,
                                                 int* versioned) {
  napi_valuetype type;
  bool matches = false;
  void* data = NULL;
  napi_status status = napi_typeof(env, value, &type);
  if (status != napi_ok) return status;
  if (type != napi_object && type != napi_external) return napi_invalid_arg;
  *versioned = 1;
  status = napi_check_object_type_tag(env, value, &kStridelabVersionedTag, &matches);
  if (status == napi_ok && !matches) {
    *versioned = 0;
    status = napi_check_object_type_tag(env, value, &kStridelabUnversionedTag, &matches);
  }
  if (status != napi_ok) return status;
  if (!matches) return napi_invalid_arg;
  status =
      type == napi_external ? napi_get_value_external(env, value, &data) : napi_unwrap(env, value, &data);
  if (status != napi_ok) return status;
  *out = (StridelabCapsule*)data;
  return napi_ok;
}

/*
 * Gets the native struct of a capsule, without taking its tensor; napi_invalid_arg for any other value. Calls
 * STRIDELAB_ATTACH_KEY if there is no tag: napi_pending_exception if that throws.
 */
static inline napi_status StridelabCapsuleGet(napi_env env, napi_value value, StridelabCapsule** out,
                                              int* versioned) {
  napi_value attach, ignored;
  napi_valuetype type;
  napi_status status = StridelabCapsuleTagged(env, value, out, versioned);
  if (status != napi_invalid_arg) return status;
  status = napi_typeof(env, value, &type);
  if (status != napi_ok) return status;
  if (type != napi_object) return napi_invalid_arg;
  status = napi_get_named_property(env, value, STRIDELAB_ATTACH_KEY, &attach);
  if (status == napi_ok) status = napi_typeof(env, attach, &type);
  if (status != napi_ok) return status;
  if (type != napi_function) return napi_invalid_arg;
  status = napi_call_function(env, value, attach, 0, NULL, &ignored);
  return status == napi_ok ? StridelabCapsuleTagged(env, value, out, versioned) : status;
}

/*
 * Takes the tensor out of a capsule: the caller then owns it and calls its deleter, once, on any thread. Returns
 * napi_invalid_arg if `value` is not a capsule, napi_generic_failure if it was taken before.
 */
static inline napi_status StridelabCapsuleTake(napi_env env, napi_value value, void** managed,
                                               int* versioned) {
  StridelabCapsule* capsule = NULL;
  napi_status status = StridelabCapsuleGet(env, value, &capsule, versioned);
  if (status != napi_ok) return status;
  if (!StridelabCapsuleLeave(capsule, kStridelabCapsuleTaken)) return napi_generic_failure;
  *managed = capsule->managed;
  return napi_ok;
}

/* ---------------------------------------------------------------- 3. The array interface in binary form */

#define STRIDELAB_ARRAY_VERSION 3

/*
 * The contents of `__cuda_array_interface__` version 3, plus the DLPack dtype and device, an event to wait for in place
 * of a stream, and an owner. Everything that it points to is valid until `release`.
 */
typedef struct StridelabArray {
  size_t size;      /* the producer's size of this struct, in bytes; a consumer reads no further */
  uint32_t version; /* STRIDELAB_ARRAY_VERSION */
  int32_t ndim;
  const int64_t* shape;   /* NULL only if ndim is 0 */
  const int64_t* strides; /* bytes, any sign; NULL means C-contiguous */
  const char* typestr;    /* NUL-terminated; NULL if the interface has no name for the dtype */
  uint64_t data;          /* address of the first logical element; 0 if the array is empty */
  uint32_t read_only;     /* 1: the consumer must not write */
  DLDataType dtype;       /* bits is 0 if DLPack has no name for the dtype */
  DLDevice device;        /* as in DLPack */
  uint64_t stream;        /* 0 nothing to wait for, 1 legacy default, 2 per-thread default, else the stream */
  const void*
      sync_event; /* NULL, or the address of a CUevent after which the data may be used: wait for it and ignore `stream` */
  void (*release)(
      struct StridelabArray* self); /* once, on any thread, when no work uses the data; sets itself to NULL */
  void* private_data;
} StridelabArray;

/* ---------------------------------------------------------------- 4. The exchange table */

typedef struct StridelabExchangeHeader {
  DLPackVersion version;                /* of DLPack, as in DLPackExchangeAPIHeader */
  struct StridelabExchangeHeader* prev; /* an older table, or NULL */
} StridelabExchangeHeader;

/*
 * DLPackExchangeAPI with Node-API values in place of Python objects. A static table, valid for the life of the process.
 * Each function returns 0, or -1 with a JavaScript exception pending in `env`. None of them blocks the host. `type` is
 * the array class on which the table was found. The callee owns a tensor or array passed to it, even if the call fails.
 */
typedef struct StridelabExchange {
  StridelabExchangeHeader header;
  uint32_t size; /* the producer's sizeof(StridelabExchange); later versions only append */
  /* Allocates an array with the dtype, shape and device of `prototype`, from the memory manager of that device. */
  int (*managed_tensor_allocator)(napi_env env, napi_value type, const DLTensor* prototype,
                                  DLManagedTensorVersioned** out);
  /* Exports an array as a tensor that the caller owns, ready for work submitted to current_work_stream. */
  int (*managed_tensor_from_value_no_sync)(napi_env env, napi_value array, DLManagedTensorVersioned** out);
  /* Imports `tensor` as an array that owns it; the data must be ready for work submitted to current_work_stream. */
  int (*managed_tensor_to_value_no_sync)(napi_env env, napi_value type, DLManagedTensorVersioned* tensor,
                                         napi_value* out);
  /*
   * Exports a borrowed tensor, valid while `array` is referenced, at most until the caller returns to JavaScript. A
   * DLTensor has no flags, so read-only arrays are refused.
   */
  int (*dltensor_from_value_no_sync)(napi_env env, napi_value array, DLTensor* out);
  /* Gets the stream to which a caller submits work for arrays of that device. For kDLCPU it is NULL and never fails. */
  int (*current_work_stream)(napi_env env, DLDeviceType device_type, int32_t device_id, void** out);
  /* Exports the full descriptor, with an event after the work submitted so far. The caller calls `release`. */
  int (*array_from_value)(napi_env env, napi_value array, StridelabArray* out);
  /*
   * Imports external memory as an array, whose work waits for `array->sync_event` or `array->stream` on the device. The
   * struct is moved: its bytes are copied and its `release` becomes NULL.
   */
  int (*array_to_value)(napi_env env, napi_value type, StridelabArray* array, napi_value* out);
} StridelabExchange;

/* The key on an array class: this string, or the registry symbol `Symbol.for('dlpack.' + this string)`. */
#define STRIDELAB_EXCHANGE_KEY "__dlpack_c_exchange_api__"

/* Gets the exchange table of an array class; napi_invalid_arg if it has none. */
static inline napi_status StridelabExchangeOfClass(napi_env env, napi_value type,
                                                   const StridelabExchange** out) {
  napi_value external;
  napi_valuetype kind;
  bool matches = false;
  void* data = NULL;
  napi_status status = napi_get_named_property(env, type, STRIDELAB_EXCHANGE_KEY, &external);
  if (status == napi_ok) status = napi_typeof(env, external, &kind);
  if (status != napi_ok) return status;
  if (kind != napi_external) return napi_invalid_arg;
  status = napi_check_object_type_tag(env, external, &kStridelabExchangeTag, &matches);
  if (status != napi_ok) return status;
  if (!matches) return napi_invalid_arg;
  status = napi_get_value_external(env, external, &data);
  if (status == napi_ok) *out = (const StridelabExchange*)data;
  return status;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* STRIDELAB_H_ */

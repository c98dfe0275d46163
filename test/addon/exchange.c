/* The functions of the exchange table, and the binary array struct, as used by an addon in C. */
#include <stdatomic.h>
#include <string.h>

#include "values.h"

const StridelabExchange* TableOfClass(napi_env env, napi_value type) {
  const StridelabExchange* table = NULL;
  if (StridelabExchangeOfClass(env, type, &table) == napi_ok) return table;
  napi_throw_error(env, NULL, "no exchange table");
  return NULL;
}

static const StridelabExchange* TableOf(napi_env env, napi_value array) {
  return TableOfClass(env, Get(env, array, "constructor"));
}

/* table(type): its version and size, and whether it links to an older one. */
static napi_value Table(napi_env env, napi_callback_info info) {
  napi_value type = NULL;
  napi_value result = NULL;
  Arguments(env, info, 1, &type);
  const StridelabExchange* table = TableOfClass(env, type);
  if (table == NULL) return NULL;
  napi_create_object(env, &result);
  Set(env, result, "major", Number(env, table->header.version.major));
  Set(env, result, "minor", Number(env, table->header.version.minor));
  Set(env, result, "size", Number(env, table->size));
  Set(env, result, "prev", Address(env, (uint64_t)(uintptr_t)table->header.prev));
  Set(env, result, "address", Address(env, (uint64_t)(uintptr_t)table));
  return result;
}

/* borrow(array, times): the borrowed tensor. */
static napi_value Borrow(napi_env env, napi_callback_info info) {
  napi_value arguments[2] = {NULL, NULL};
  DLTensor tensor;
  double times = 1;
  Arguments(env, info, 2, arguments);
  const StridelabExchange* table = TableOf(env, arguments[0]);
  if (table == NULL) return NULL;
  napi_get_value_double(env, arguments[1], &times);
  for (double done = 0; done < times; ++done) {
    if (table->dltensor_from_value_no_sync(env, arguments[0], &tensor) != 0) return NULL;
  }
  return times > 1 ? Undefined(env) : DescribeTensor(env, &tensor);
}

/* negate(array): negates float32 elements in host memory through an owned tensor, deleted immediately. */
static napi_value Negate(napi_env env, napi_callback_info info) {
  napi_value array = NULL;
  DLManagedTensorVersioned* managed = NULL;
  Arguments(env, info, 1, &array);
  const StridelabExchange* table = TableOf(env, array);
  if (table == NULL || table->managed_tensor_from_value_no_sync(env, array, &managed) != 0) return NULL;
  const DLTensor* tensor = &managed->dl_tensor;
  if (managed->flags & DLPACK_FLAG_BITMASK_READ_ONLY || tensor->ndim != 1) {
    managed->deleter(managed);
    napi_throw_error(env, NULL, "cannot write");
    return NULL;
  }
  float* data = (float*)((char*)tensor->data + tensor->byte_offset);
  for (int64_t index = 0; index < tensor->shape[0]; ++index) data[index * tensor->strides[0]] *= -1;
  managed->deleter(managed);
  return Undefined(env);
}

/* allocate(type, { shape, dtype, device }): the fields of a new tensor; `array` is the tensor as an array. */
static napi_value Allocate(napi_env env, napi_callback_info info) {
  napi_value arguments[2] = {NULL, NULL};
  int64_t shape[MOST_AXES];
  DLTensor prototype = {0};
  DLManagedTensorVersioned* managed = NULL;
  napi_value array = NULL;
  Arguments(env, info, 2, arguments);
  const StridelabExchange* table = TableOfClass(env, arguments[0]);
  if (table == NULL) return NULL;
  prototype.ndim = GetNumbers(env, arguments[1], "shape", shape);
  prototype.shape = shape;
  prototype.dtype = GetDType(env, arguments[1], (DLDataType){kDLFloat, 32, 1});
  prototype.device = GetDevice(env, arguments[1]);
  if (table->managed_tensor_allocator(env, arguments[0], &prototype, &managed) != 0) return NULL;
  napi_value result = DescribeTensor(env, &managed->dl_tensor);
  if (table->managed_tensor_to_value_no_sync(env, arguments[0], managed, &array) != 0) return NULL;
  Set(env, result, "array", array);
  return result;
}

/* workStream(type, deviceType, id) */
static napi_value WorkStream(napi_env env, napi_callback_info info) {
  napi_value arguments[3] = {NULL, NULL, NULL};
  double type = 0;
  double id = 0;
  void* stream = NULL;
  Arguments(env, info, 3, arguments);
  const StridelabExchange* table = TableOfClass(env, arguments[0]);
  if (table == NULL) return NULL;
  napi_get_value_double(env, arguments[1], &type);
  napi_get_value_double(env, arguments[2], &id);
  if (table->current_work_stream(env, (DLDeviceType)(int32_t)type, (int32_t)id, &stream) != 0) return NULL;
  return Address(env, (uint64_t)(uintptr_t)stream);
}

/* describe(array): the binary struct as an object, released immediately. */
static napi_value Describe(napi_env env, napi_callback_info info) {
  napi_value value = NULL;
  napi_value result = NULL;
  StridelabArray array;
  Arguments(env, info, 1, &value);
  const StridelabExchange* table = TableOf(env, value);
  if (table == NULL || table->array_from_value(env, value, &array) != 0) return NULL;
  const int64_t dtype[3] = {array.dtype.code, array.dtype.bits, array.dtype.lanes};
  const int64_t device[2] = {(int64_t)array.device.device_type, array.device.device_id};
  napi_value typestr = NULL;
  if (array.typestr == NULL) {
    napi_get_null(env, &typestr);
  } else {
    napi_create_string_utf8(env, array.typestr, NAPI_AUTO_LENGTH, &typestr);
  }
  napi_create_object(env, &result);
  Set(env, result, "size", Number(env, (double)array.size));
  Set(env, result, "version", Number(env, array.version));
  Set(env, result, "shape", Array(env, array.shape, array.ndim));
  Set(env, result, "strides", Array(env, array.strides, array.ndim));
  Set(env, result, "typestr", typestr);
  Set(env, result, "data", Address(env, array.data));
  Set(env, result, "readOnly", Number(env, array.read_only));
  Set(env, result, "dtype", Array(env, dtype, 3));
  Set(env, result, "device", Array(env, device, 2));
  Set(env, result, "stream", Address(env, array.stream));
  Set(env, result, "event",
      Address(env, array.sync_event == NULL ? 0 : (uint64_t)(uintptr_t) * (void* const*)array.sync_event));
  array.release(&array);
  Set(env, result, "released", Number(env, array.release == NULL));
  return result;
}

static atomic_int releases;

typedef struct {
  int64_t shape[MOST_AXES];
  int64_t strides[MOST_AXES];
  char typestr[32];
  char* bytes;
} Lent;

static void ReleaseLent(StridelabArray* self) {
  Lent* lent = self->private_data;
  atomic_fetch_add(&releases, 1);
  free(lent->bytes);
  free(lent);
  self->release = NULL;
}

/* lend(type, { shape, strides, typestr, dtype, bytes, offset, readOnly, size, version, stream, device }): an
 * array over C memory */
static napi_value Lend(napi_env env, napi_callback_info info) {
  napi_value arguments[2] = {NULL, NULL};
  void* source = NULL;
  size_t length = 0;
  StridelabArray array = {0};
  napi_value result = NULL;
  Arguments(env, info, 2, arguments);
  const StridelabExchange* table = TableOfClass(env, arguments[0]);
  if (table == NULL) return NULL;
  napi_value of = arguments[1];
  Lent* lent = calloc(1, sizeof(Lent));
  napi_get_typedarray_info(env, Get(env, of, "bytes"), NULL, &length, &source, NULL, NULL);
  lent->bytes = malloc(length + 1);
  memcpy(lent->bytes, source, length);
  array.size = (size_t)GetNumber(env, of, "size", sizeof(StridelabArray));
  array.version = (uint32_t)GetNumber(env, of, "version", STRIDELAB_ARRAY_VERSION);
  array.ndim = GetNumbers(env, of, "shape", lent->shape);
  array.shape = lent->shape;
  array.strides = GetNumbers(env, of, "strides", lent->strides) < 0 ? NULL : lent->strides;
  if (napi_get_value_string_utf8(env, Get(env, of, "typestr"), lent->typestr, sizeof(lent->typestr), NULL) ==
      napi_ok) {
    array.typestr = lent->typestr;
  }
  array.data = (uint64_t)(uintptr_t)lent->bytes + (uint64_t)GetNumber(env, of, "offset", 0);
  array.read_only = (uint32_t)GetNumber(env, of, "readOnly", 0);
  array.dtype = GetDType(env, of, (DLDataType){0, 0, 0});
  array.device = GetDevice(env, of);
  array.stream = (uint64_t)GetNumber(env, of, "stream", 0);
  array.release = ReleaseLent;
  array.private_data = lent;
  const int status = table->array_to_value(env, arguments[0], &array, &result);
  /* An array of an older layout was rejected, so that the caller still owns it. */
  if (array.release != NULL) array.release(&array);
  return status == 0 ? result : NULL;
}

static napi_value Releases(napi_env env, napi_callback_info info) {
  (void)info;
  return Number(env, atomic_load(&releases));
}

void DefineExchange(napi_env env, napi_value exports) {
  DefineFunction(env, exports, "table", Table);
  DefineFunction(env, exports, "borrow", Borrow);
  DefineFunction(env, exports, "negate", Negate);
  DefineFunction(env, exports, "allocate", Allocate);
  DefineFunction(env, exports, "workStream", WorkStream);
  DefineFunction(env, exports, "describe", Describe);
  DefineFunction(env, exports, "lend", Lend);
  DefineFunction(env, exports, "releases", Releases);
}

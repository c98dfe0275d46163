#include "values.h"

napi_value Undefined(napi_env env) {
  napi_value value = NULL;
  napi_get_undefined(env, &value);
  return value;
}

napi_value Number(napi_env env, double number) {
  napi_value value = NULL;
  napi_create_double(env, number, &value);
  return value;
}

napi_value Address(napi_env env, uint64_t address) {
  napi_value value = NULL;
  napi_create_bigint_uint64(env, address, &value);
  return value;
}

napi_value Array(napi_env env, const int64_t* numbers, int32_t count) {
  napi_value value = NULL;
  if (numbers == NULL) {
    napi_get_null(env, &value);
    return value;
  }
  napi_create_array(env, &value);
  for (int32_t index = 0; index < count; ++index) {
    napi_set_element(env, value, (uint32_t)index, Number(env, (double)numbers[index]));
  }
  return value;
}

void Set(napi_env env, napi_value object, const char* name, napi_value value) {
  napi_set_named_property(env, object, name, value);
}

bool Has(napi_env env, napi_value object, const char* name) {
  napi_valuetype type = napi_undefined;
  napi_typeof(env, Get(env, object, name), &type);
  return type != napi_undefined && type != napi_null;
}

napi_value Get(napi_env env, napi_value object, const char* name) {
  napi_value value = NULL;
  if (napi_get_named_property(env, object, name, &value) != napi_ok) return Undefined(env);
  return value;
}

double GetNumber(napi_env env, napi_value object, const char* name, double otherwise) {
  double number = otherwise;
  bool truth = false;
  napi_value value = Get(env, object, name);
  if (napi_get_value_bool(env, value, &truth) == napi_ok) return truth ? 1 : 0;
  return napi_get_value_double(env, value, &number) == napi_ok ? number : otherwise;
}

int32_t GetNumbers(napi_env env, napi_value object, const char* name, int64_t* out) {
  uint32_t length = 0;
  napi_value array = Get(env, object, name);
  if (!Has(env, object, name) || napi_get_array_length(env, array, &length) != napi_ok) return -1;
  if (length > MOST_AXES) length = MOST_AXES;
  for (uint32_t index = 0; index < length; ++index) {
    napi_value element = NULL;
    bool lossless = false;
    napi_get_element(env, array, index, &element);
    if (napi_get_value_bigint_int64(env, element, &out[index], &lossless) != napi_ok) {
      napi_get_value_int64(env, element, &out[index]);
    }
  }
  return (int32_t)length;
}

DLDataType GetDType(napi_env env, napi_value object, DLDataType otherwise) {
  int64_t dtype[MOST_AXES] = {otherwise.code, otherwise.bits, otherwise.lanes};
  GetNumbers(env, object, "dtype", dtype);
  return (DLDataType){(uint8_t)dtype[0], (uint8_t)dtype[1], (uint16_t)dtype[2]};
}

DLDevice GetDevice(napi_env env, napi_value object) {
  int64_t device[MOST_AXES] = {kDLCPU, 0};
  GetNumbers(env, object, "device", device);
  return (DLDevice){(DLDeviceType)device[0], (int32_t)device[1]};
}

void Arguments(napi_env env, napi_callback_info info, size_t count, napi_value* out) {
  napi_get_cb_info(env, info, &count, out, NULL, NULL);
}

napi_value DescribeTensor(napi_env env, const DLTensor* tensor) {
  napi_value object = NULL;
  const int64_t dtype[3] = {tensor->dtype.code, tensor->dtype.bits, tensor->dtype.lanes};
  const int64_t device[2] = {(int64_t)tensor->device.device_type, tensor->device.device_id};
  napi_create_object(env, &object);
  Set(env, object, "shape", Array(env, tensor->shape, tensor->ndim));
  Set(env, object, "strides", Array(env, tensor->strides, tensor->ndim));
  Set(env, object, "ndim", Number(env, tensor->ndim));
  Set(env, object, "dtype", Array(env, dtype, 3));
  Set(env, object, "device", Array(env, device, 2));
  Set(env, object, "data", Address(env, (uint64_t)(uintptr_t)tensor->data));
  Set(env, object, "byteOffset", Number(env, (double)tensor->byte_offset));
  return object;
}

void DefineFunction(napi_env env, napi_value exports, const char* name, napi_callback function) {
  napi_value value = NULL;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, function, NULL, &value);
  Set(env, exports, name, value);
}

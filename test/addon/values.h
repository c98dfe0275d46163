/* Conversions between JavaScript values and C for the test addon: every failure leaves an exception pending. */
#ifndef VALUES_H_
#define VALUES_H_

#include <stdbool.h>
#include <stridelab.h>

#define MOST_AXES 80

napi_value Undefined(napi_env env);
napi_value Number(napi_env env, double number);
napi_value Address(napi_env env, uint64_t address);
napi_value Array(napi_env env, const int64_t* numbers, int32_t count);
void Set(napi_env env, napi_value object, const char* name, napi_value value);

bool Has(napi_env env, napi_value object, const char* name);
napi_value Get(napi_env env, napi_value object, const char* name);
double GetNumber(napi_env env, napi_value object, const char* name, double otherwise);
/* Number of elements read, at most MOST_AXES; -1 if the member is absent or null. */
int32_t GetNumbers(napi_env env, napi_value object, const char* name, int64_t* out);
/* The member `dtype`. */
DLDataType GetDType(napi_env env, napi_value object, DLDataType otherwise);
/* The member `device`, or the host. */
DLDevice GetDevice(napi_env env, napi_value object);
/* The first `count` arguments. */
void Arguments(napi_env env, napi_callback_info info, size_t count, napi_value* out);

napi_value DescribeTensor(napi_env env, const DLTensor* tensor);
void DefineFunction(napi_env env, napi_value exports, const char* name, napi_callback function);

/* exchange.c */
/* Returns the exchange table of a class, or NULL with an exception pending. */
const StridelabExchange* TableOfClass(napi_env env, napi_value type);
void DefineExchange(napi_env env, napi_value exports);

#endif

// The exchange table of stridelab.h (rules 173 to 177): access to arrays and array classes, even from another
// addon's environment, and the records by which the table finds arrays.
#pragma once

#include <napi.h>

#include <exception>
#include <vector>

#include "binding/array_record.h"
#include "binding/errors.h"
#include "core/error.h"
#include "dlpack/owned_tensor.h"
#include "include/stridelab.h"

namespace stridelab::binding {

/** Returns an array's record, which the array makes at the first call. Null with an exception pending. */
ArrayRecord* RecordOf(napi_env env, napi_value value);

/** Calls the member of `type` under the registry symbol. Returns false with an exception pending. */
bool CallHook(napi_env env, napi_value type, const char* symbol, const std::vector<napi_value>& arguments,
              napi_value* out);

/** Makes an array through the hook, from a capsule with `tensor` and further arguments. Always consumes the
 * tensor. */
int AdoptThrough(napi_env env, napi_value type, const char* symbol, DLManagedTensorVersioned* tensor,
                 const std::vector<napi_value>& more, napi_value* out);

napi_value NumberValue(napi_env env, double number);

/** Throws an error of the core into the caller's environment, as the array's environment would make it. */
void Rethrow(napi_env env, napi_env home, const core::Error& error);

/** Runs `body` with the record of `value`. Returns 0, or -1 with an exception pending. */
template <typename Body>
int WithRecord(napi_env env, napi_value value, Body body) {
  ArrayRecord* record = RecordOf(env, value);
  if (record == nullptr) return -1;
  try {
    body(*record);
    return 0;
  } catch (const core::Error& error) {
    Rethrow(env, record->home(), error);
  } catch (...) {
    LeavePending(env);
  }
  return -1;
}

/** The last two functions of the table. */
int ArrayFromValue(napi_env env, napi_value value, StridelabArray* out);
int ArrayToValue(napi_env env, napi_value type, StridelabArray* array, napi_value* out);

/** Takes the tensor out of a capsule, given by its key or as an object; it is consumed from then on (rules 165, 166). */
dlpack::OwnedTensor TakeFrom(const Napi::Value& capsule);

// Functions of `dlpack`.
napi_value ExchangeTable(Env env);
void RecordArray(Env env, Environment& environment, const Napi::Value& array,
                 const std::shared_ptr<core::Storage>& storage, Within<std::int64_t, 1, INT32_MAX> itemsize,
                 const OrNull<std::string>& typestr);
void ForgetArray(const Napi::Value& array);

}  // namespace stridelab::binding

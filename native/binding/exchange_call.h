// Access to arrays and array classes for the exchange table, also from another addon's environment.
#pragma once

#include <napi.h>

#include <exception>
#include <vector>

#include "binding/array_record.h"
#include "binding/errors.h"
#include "core/error.h"
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

}  // namespace stridelab::binding

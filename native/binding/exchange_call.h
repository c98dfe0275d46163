// How the functions of the exchange table reach arrays and array classes from another addon's environment.
#pragma once

#include <napi.h>

#include <exception>
#include <vector>

#include "binding/array_record.h"
#include "binding/errors.h"
#include "core/error.h"
#include "include/stridelab.h"

namespace stridelab::binding {

/** The record of an array, made by the array itself at the first call. Null with an exception pending. */
ArrayRecord* RecordOf(napi_env env, napi_value value);

/** Calls the member of `type` that the registry symbol names. False with an exception pending. */
bool CallHook(napi_env env, napi_value type, const char* symbol, const std::vector<napi_value>& arguments,
              napi_value* out);

/** An array made by the hook from a capsule with `tensor` and further arguments. The tensor is taken in any
 * case. */
int AdoptThrough(napi_env env, napi_value type, const char* symbol, DLManagedTensorVersioned* tensor,
                 const std::vector<napi_value>& more, napi_value* out);

napi_value NumberValue(napi_env env, double number);

/** Throws what the core threw as the array's own environment would, into the environment of the caller. */
void Rethrow(napi_env env, napi_env home, const core::Error& error);

/** Runs `body` with the record of `value`; 0, or -1 with an exception pending. */
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

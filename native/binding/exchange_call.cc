#include "binding/exchange_call.h"

#include <cstring>

namespace stridelab::binding {
namespace {

bool Pending(napi_env env) {
  bool pending = false;
  return napi_is_exception_pending(env, &pending) == napi_ok && pending;
}

/** Returns false, and makes sure that an exception is pending. */
bool Fail(napi_env env, const char* message) {
  if (!Pending(env)) napi_throw_type_error(env, nullptr, message);
  return false;
}

}  // namespace

napi_value NumberValue(napi_env env, double number) {
  napi_value value = nullptr;
  napi_create_double(env, number, &value);
  return value;
}

bool CallHook(napi_env env, napi_value type, const char* symbol, const std::vector<napi_value>& arguments,
              napi_value* out) {
  napi_value key = nullptr;
  napi_value member = nullptr;
  napi_valuetype kind = napi_undefined;
  const bool found = node_api_symbol_for(env, symbol, std::strlen(symbol), &key) == napi_ok &&
                     napi_get_property(env, type, key, &member) == napi_ok &&
                     napi_typeof(env, member, &kind) == napi_ok && kind == napi_function;
  if (!found) return Fail(env, "exchange table: this value is no array or array class of its library");
  if (napi_call_function(env, type, member, arguments.size(), arguments.data(), out) == napi_ok) return true;
  return Fail(env, "exchange table: the call into JavaScript failed");
}

ArrayRecord* RecordOf(napi_env env, napi_value value) {
  ArrayRecord* record = ArrayRecord::Find(env, value);
  if (record != nullptr && !record->forgotten()) return record;
  napi_value ignored = nullptr;
  if (!CallHook(env, value, "stridelab.exchange.record", {}, &ignored)) return nullptr;
  record = ArrayRecord::Find(env, value);
  if (record == nullptr) Fail(env, "exchange table: the array belongs to another copy of the library");
  return record;
}

int AdoptThrough(napi_env env, napi_value type, const char* symbol, DLManagedTensorVersioned* tensor,
                 const std::vector<napi_value>& more, napi_value* out) {
  napi_value object = nullptr;
  if (StridelabCapsuleCreate(env, tensor, 1, &object) != napi_ok) {
    StridelabDelete(tensor, 1);
    Fail(env, "exchange table: no capsule could be made");
    return -1;
  }
  std::vector<napi_value> arguments = {object};
  arguments.insert(arguments.end(), more.begin(), more.end());
  if (CallHook(env, type, symbol, arguments, out)) return 0;
  // The hook may have failed before it took the tensor. With an exception pending the capsule cannot be read.
  napi_value exception = nullptr;
  napi_get_and_clear_last_exception(env, &exception);
  StridelabCapsule* capsule = nullptr;
  int versioned = 0;
  if (StridelabCapsuleGet(env, object, &capsule, &versioned) == napi_ok)
    StridelabCapsuleRelease(capsule, versioned);
  if (!IsStop(env, exception)) napi_throw(env, exception);
  return -1;
}

void Rethrow(napi_env env, napi_env home, const core::Error& error) {
  try {
    napi_throw(env, MakeError(Napi::Env(home), error));
  } catch (const Napi::Error& failure) {
    if (!IsStop(failure)) napi_throw_error(env, nullptr, error.what());
  }
}

}  // namespace stridelab::binding

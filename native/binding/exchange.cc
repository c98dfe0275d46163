#include "binding/exchange.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "binding/dlpack_fields.h"
#include "binding/objects.h"
#include "core/device.h"
#include "dlpack/order.h"

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

/** Makes the record of an export through the table; null while exports are not recorded. */
std::shared_ptr<dlpack::ExportRecord> RecordOfQuestion(dlpack::Way way, const dlpack::ArrayView& view) {
  if (!dlpack::ExportLog::IsOn()) return nullptr;
  auto record = std::make_shared<dlpack::ExportRecord>(way, view.description().device, std::string());
  record->versioned = true;
  return record;
}

int FromValue(napi_env env, napi_value value, DLManagedTensorVersioned** out) {
  return WithRecord(env, value, [&](ArrayRecord& record) {
    const dlpack::ArrayView& view = record.view();
    view.RequireDlpack();
    const std::shared_ptr<core::Storage> storage = record.Lock();
    const auto question = RecordOfQuestion(dlpack::Way::kNativeTable, view);
    *out = dlpack::Recorded(storage, question, [&] {
      dlpack::OrderForWork(view, *storage);
      return static_cast<DLManagedTensorVersioned*>(view.Export(storage, question));
    });
  });
}

int Borrow(napi_env env, napi_value value, DLTensor* out) {
  return WithRecord(env, value, [&](ArrayRecord& record) {
    dlpack::ArrayView& view = record.view();
    view.RequireBorrowable();
    const std::shared_ptr<core::Storage> storage = record.Lock();
    *out = dlpack::Recorded(storage, RecordOfQuestion(dlpack::Way::kNativeBorrow, view), [&] {
      dlpack::OrderForWork(view, *storage);
      return view.Borrow(*storage);
    });
  });
}

int ToValue(napi_env env, napi_value type, DLManagedTensorVersioned* tensor, napi_value* out) {
  return AdoptThrough(env, type, "stridelab.exchange.adopt", tensor, {}, out);
}

int Allocate(napi_env env, napi_value type, const DLTensor* prototype, DLManagedTensorVersioned** out) {
  if (prototype == nullptr || prototype->ndim < 0 || prototype->ndim > dlpack::kMostAxes ||
      (prototype->ndim > 0 && prototype->shape == nullptr)) {
    napi_throw_range_error(
        env, nullptr,
        "managed_tensor_allocator: the prototype is not a tensor: expected 0 to 64 axes and a shape");
    return -1;
  }
  const auto [device, id] = prototype->device;
  const auto [code, bits, lanes] = prototype->dtype;
  std::vector<std::int64_t> numbers = {device, id, code, bits, lanes};
  numbers.insert(numbers.end(), prototype->shape, prototype->shape + prototype->ndim);
  std::vector<napi_value> arguments;
  arguments.reserve(numbers.size());
  for (const std::int64_t number : numbers)
    arguments.push_back(NumberValue(env, static_cast<double>(number)));
  napi_value capsule = nullptr;
  if (!CallHook(env, type, "stridelab.exchange.allocate", arguments, &capsule)) return -1;
  void* managed = nullptr;
  int versioned = 0;
  if (StridelabCapsuleTake(env, capsule, &managed, &versioned) != napi_ok || versioned == 0) {
    napi_throw_error(env, nullptr, "managed_tensor_allocator: the allocation returned no capsule");
    return -1;
  }
  *out = static_cast<DLManagedTensorVersioned*>(managed);
  return 0;
}

int CurrentWorkStream(napi_env env, DLDeviceType type, std::int32_t, void** out) {
  if (dlpack::WorkStreamOf(type, out)) return 0;
  napi_throw_error(env, "ERR_BUFFER", "current_work_stream: this library has no arrays on that device type");
  return -1;
}

StridelabExchange table = {
    {{DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION}, nullptr},
    sizeof(StridelabExchange),
    Allocate,
    FromValue,
    ToValue,
    Borrow,
    CurrentWorkStream,
    ArrayFromValue,
    ArrayToValue,
};

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
  if (!found) return Fail(env, "exchange table: the value is not an array or array class of its library");
  if (CallJavaScript(env, type, member, arguments, out) == napi_ok) return true;
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
    Fail(env, "exchange table: the capsule could not be created");
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

napi_value ExchangeTable(Env env) {
  napi_value external = nullptr;
  Require(env, napi_create_external(env, &table, nullptr, nullptr, &external));
  Require(env, napi_type_tag_object(env, external, &kStridelabExchangeTag));
  return external;
}

void RecordArray(Env env, Environment& environment, const Napi::Value& array,
                 const std::shared_ptr<core::Storage>& storage, Within<std::int64_t, 1, INT32_MAX> itemsize,
                 const OrNull<std::string>& typestr) {
  dlpack::AxesBuffer layout;
  const dlpack::Description description = environment.dlpack().fields.Read(layout);
  auto view = std::make_shared<dlpack::ArrayView>(description, itemsize, typestr.value.value_or(""));
  ArrayRecord::Attach(env, array, std::make_unique<ArrayRecord>(env, storage, std::move(view)));
}

void ForgetArray(const Napi::Value& array) {
  if (ArrayRecord* record = ArrayRecord::Find(array.Env(), array)) record->Forget();
}

}  // namespace stridelab::binding

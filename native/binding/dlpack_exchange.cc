#include "binding/dlpack_exchange.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "binding/array_exchange.h"
#include "binding/array_record.h"
#include "binding/dlpack_state.h"
#include "binding/exchange_call.h"
#include "binding/storage_object.h"
#include "core/device.h"
#include "dlpack/order.h"

namespace stridelab::binding {
namespace {

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
    napi_throw_range_error(env, nullptr, "managed_tensor_allocator: the prototype is no tensor");
    return -1;
  }
  const std::array<double, 5> numbers = {
      static_cast<double>(static_cast<std::int32_t>(prototype->device.device_type)),
      static_cast<double>(prototype->device.device_id), static_cast<double>(prototype->dtype.code),
      static_cast<double>(prototype->dtype.bits), static_cast<double>(prototype->dtype.lanes)};
  std::vector<napi_value> arguments;
  arguments.reserve(numbers.size() + static_cast<std::size_t>(std::max(prototype->ndim, 0)));
  for (const double number : numbers) arguments.push_back(NumberValue(env, number));
  for (std::int32_t axis = 0; axis < prototype->ndim; ++axis) {
    arguments.push_back(NumberValue(env, static_cast<double>(prototype->shape[axis])));
  }
  napi_value capsule = nullptr;
  if (!CallHook(env, type, "stridelab.exchange.allocate", arguments, &capsule)) return -1;
  void* managed = nullptr;
  int versioned = 0;
  if (StridelabCapsuleTake(env, capsule, &managed, &versioned) != napi_ok || versioned == 0) {
    napi_throw_error(env, nullptr, "managed_tensor_allocator: no capsule came back");
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

napi_value ExchangeTable(Env env) {
  napi_value external = nullptr;
  if (napi_create_external(env, &table, nullptr, nullptr, &external) != napi_ok ||
      napi_type_tag_object(env, external, &kStridelabExchangeTag) != napi_ok) {
    throw Napi::Error::New(env);
  }
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

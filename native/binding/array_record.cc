#include "binding/array_record.h"

#include <utility>

#include "core/error.h"

namespace stridelab::binding {
ArrayRecord::ArrayRecord(napi_env home, const std::shared_ptr<core::Storage>& storage,
                         std::shared_ptr<dlpack::ArrayView> view)
    : link_(new RecordLink{home, this}), storage_(storage), view_(std::move(view)) {}

ArrayRecord::~ArrayRecord() { link_->record = nullptr; }

void ArrayRecord::Finalize(node_api_basic_env env, void* data, void*) {
  const std::unique_ptr<ArrayRecord> record(static_cast<ArrayRecord*>(data));
  napi_delete_reference(env, record->array_);
}

ArrayRecord* ArrayRecord::Find(napi_env env, napi_value value) {
  void* data = nullptr;
  if (napi_unwrap(env, value, &data) != napi_ok || !Living<ArrayRecord>::Knows(data)) return nullptr;
  return static_cast<ArrayRecord*>(data);
}

void ArrayRecord::Attach(Napi::Env env, Napi::Value array, std::unique_ptr<ArrayRecord> record) {
  Require(env, napi_wrap(env, array, record.get(), Finalize, nullptr, &record->array_));
  static_cast<void>(record.release());
}

napi_value ArrayRecord::Array() const {
  napi_value array = nullptr;
  if (forgotten_ || napi_get_reference_value(home(), array_, &array) != napi_ok) return nullptr;
  return array;
}

std::shared_ptr<core::Storage> ArrayRecord::Lock() const {
  std::shared_ptr<core::Storage> storage = storage_.lock();
  if (storage == nullptr) throw core::Error(core::ErrorKind::kFreed, "the array was freed");
  return storage;
}

}  // namespace stridelab::binding

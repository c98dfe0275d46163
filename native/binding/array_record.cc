#include "binding/array_record.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "driver/types.h"

namespace stridelab::binding {
namespace {

const char identity = 0;

/** Another load of the addon, as in a second copy of the package, has records of its own. */
napi_type_tag RecordTag() {
  return {0x53545249444c4142, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&identity))};
}

void FinalizeRecord(node_api_basic_env, void* data, void*) { delete static_cast<ArrayRecord*>(data); }

}  // namespace

ArrayRecord::ArrayRecord(napi_env home, const std::shared_ptr<core::Storage>& storage,
                         const dlpack::Description& description, std::int64_t itemsize, std::string typestr)
    : home_(home), storage_(storage), description_(description), typestr_(std::move(typestr)) {
  const auto axes = static_cast<std::size_t>(description.ndim);
  layout_.resize(3 * axes);
  std::copy_n(description.shape, axes, layout_.data());
  std::copy_n(description.strides, axes, layout_.data() + axes);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t stride = description.strides[axis];
    divisible_ = divisible_ && (stride % itemsize == 0 || description.shape[axis] <= 1);
    layout_[2 * axes + axis] = stride / itemsize;
  }
  description_.shape = layout_.data();
  description_.strides = layout_.data() + 2 * axes;
}

ArrayRecord* ArrayRecord::Find(napi_env env, napi_value value) {
  napi_valuetype type = napi_undefined;
  if (napi_typeof(env, value, &type) != napi_ok || type != napi_object) return nullptr;
  const napi_type_tag tag = RecordTag();
  bool matches = false;
  if (napi_check_object_type_tag(env, value, &tag, &matches) != napi_ok || !matches) return nullptr;
  void* data = nullptr;
  return napi_unwrap(env, value, &data) == napi_ok ? static_cast<ArrayRecord*>(data) : nullptr;
}

void ArrayRecord::Attach(Napi::Env env, Napi::Value array, std::unique_ptr<ArrayRecord> record) {
  const napi_type_tag tag = RecordTag();
  if (napi_type_tag_object(env, array, &tag) != napi_ok ||
      napi_wrap(env, array, record.get(), FinalizeRecord, nullptr, nullptr) != napi_ok) {
    throw Napi::Error::New(env);
  }
  static_cast<void>(record.release());
}

bool ArrayRecord::empty() const {
  return std::find(shape(), shape() + description_.ndim, 0) != shape() + description_.ndim;
}

std::shared_ptr<core::Storage> ArrayRecord::Lock() const {
  std::shared_ptr<core::Storage> storage = storage_.lock();
  if (storage == nullptr) throw core::Error(core::ErrorKind::kFreed, "the array was freed");
  return storage;
}

void ArrayRecord::RequireDlpack() const {
  if (description_.dtype.bits == 0) {
    throw core::Error(core::ErrorKind::kBuffer, "DLPack has no code for the array's dtype (rule 131)");
  }
  if (!divisible_) {
    throw core::Error(
        core::ErrorKind::kBuffer,
        "the array's strides are no multiples of its elements, DLPack counts in elements (rule 120)");
  }
}

DLTensor ArrayRecord::Borrow(const core::Storage& storage) {
  const std::int32_t axes = description_.ndim;
  DLTensor tensor{};
  tensor.data = empty() ? nullptr : driver::HandleFrom<void*>(storage.pointer() + description_.offset);
  tensor.device = description_.device;
  tensor.ndim = axes;
  tensor.dtype = description_.dtype;
  tensor.shape = axes == 0 ? nullptr : layout_.data();
  tensor.strides = axes == 0 ? nullptr : layout_.data() + 2 * static_cast<std::size_t>(axes);
  return tensor;
}

void* ArrayRecord::Export(std::shared_ptr<core::Storage> storage) const {
  return dlpack::Export(std::move(storage), description_);
}

}  // namespace stridelab::binding

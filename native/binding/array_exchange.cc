// Conversions between arrays and the StridelabArray of stridelab.h.
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "binding/exchange.h"
#include "core/device.h"
#include "core/driver.h"
#include "core/stream.h"
#include "dlpack/inspect.h"
#include "dlpack/order.h"
#include "dlpack/owned_tensor.h"

namespace stridelab::binding {
namespace {

/** The memory that an exported struct points to. */
struct Exported {
  std::shared_ptr<core::Storage> storage;
  std::vector<std::int64_t> layout;
  std::string typestr;
  core::WorkMark mark;
  driver::CUevent event = nullptr;
};

void ReleaseExported(StridelabArray* self) {
  delete static_cast<Exported*>(self->private_data);
  self->private_data = nullptr;
  self->release = nullptr;
}

/** Reports the stream that the array's pending work was joined into, and an event behind it. */
void DescribeWork(const dlpack::ArrayView& view, Exported& held, StridelabArray& out) {
  if (view.description().device.device_type == kDLCPU) {
    dlpack::OrderForWork(view, *held.storage);
    return;
  }
  const auto joined = held.storage->Join(view.read_only());
  if (joined == nullptr) return;
  out.stream = driver::HandleValue(joined->handle());
  held.mark = joined->MarkTail();
  if (held.mark == nullptr) return;
  held.event = held.mark->handle();
  out.sync_event = static_cast<const void*>(&held.event);
}

/** A tensor of bytes over a moved struct. An extra axis holds the bytes of one element, so that any dtype and
 * stride can be represented. */
struct MovedArray {
  DLManagedTensorVersioned managed{};
  StridelabArray array{};
  std::vector<std::int64_t> layout;

  ~MovedArray() {
    if (array.release != nullptr) array.release(&array);
  }
};

[[noreturn]] void RefuseArray(const std::string& reason) {
  throw core::Error(core::ErrorKind::kBuffer, "StridelabArray refused: " + reason);
}

/** Bytes per element, from the DLPack dtype or else the typestr, whose U counts characters of 4 bytes (rule
 * 39). */
std::int64_t ItemSize(const StridelabArray& array) {
  if (array.dtype.bits != 0) return (std::int64_t{array.dtype.bits} * array.dtype.lanes + 7) / 8;
  const std::string typestr = array.typestr == nullptr ? "" : array.typestr;
  if (typestr.size() < 3) RefuseArray("it has neither a DLPack dtype nor a typestr");
  const std::int64_t count = std::strtoll(typestr.c_str() + 2, nullptr, 10);
  if (count < 0 || count > INT32_MAX) RefuseArray("its typestr '" + typestr + "' has no valid size");
  return typestr[1] == 'U' ? 4 * count : count;
}

/** Makes later work of the legacy default stream wait for the producer's work. */
void WaitForProducer(const StridelabArray& array) {
  if (array.sync_event == nullptr && array.stream == 0) return;
  if (array.device.device_type != kDLCUDA && array.device.device_type != kDLCUDAManaged) return;
  const auto& devices = core::Driver::Open(core::DriverKind::kCuda).devices();
  const auto ordinal = static_cast<std::size_t>(array.device.device_id);
  if (ordinal >= devices.size()) RefuseArray("CUDA device " + std::to_string(ordinal) + " does not exist");
  core::Device& device = *devices[ordinal];
  const auto work = device.LegacyStream();
  if (array.sync_event != nullptr) {
    work->Wait(*static_cast<const driver::CUevent*>(array.sync_event));
  } else if (const core::WorkMark mark = core::Stream::Wrap(device, array.stream)->MarkTail()) {
    work->Wait(mark->handle());
  }
}

std::unique_ptr<MovedArray> Move(StridelabArray& source) {
  if (source.size < sizeof(StridelabArray)) {
    RefuseArray("its size is " + std::to_string(source.size) + ", expected at least " +
                std::to_string(sizeof(StridelabArray)));
  }
  if (source.release == nullptr) RefuseArray("it was already released or moved");
  auto moved = std::make_unique<MovedArray>();
  moved->array = source;
  source.release = nullptr;
  const StridelabArray& array = moved->array;
  if (array.version > STRIDELAB_ARRAY_VERSION)
    RefuseArray("its version is " + std::to_string(array.version) + ", expected at most 3");
  if (array.ndim < 0 || array.ndim >= dlpack::kMostAxes)
    RefuseArray("it has " + std::to_string(array.ndim) + " axes, expected 0 to 63");
  if (array.ndim > 0 && array.shape == nullptr) RefuseArray("its shape is NULL");
  const std::int64_t itemsize = ItemSize(array);
  const auto axes = static_cast<std::size_t>(array.ndim);
  moved->layout.assign(2 * (axes + 1), 1);
  std::copy_n(array.shape, axes, moved->layout.data());
  moved->layout[axes] = itemsize;
  std::int64_t* strides = moved->layout.data() + axes + 1;
  dlpack::CompactStrides(moved->layout.data(), array.ndim + 1, strides);
  if (array.strides != nullptr) std::copy_n(array.strides, axes, strides);
  DLManagedTensorVersioned& managed = moved->managed;
  managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  managed.manager_ctx = moved.get();
  managed.deleter = [](DLManagedTensorVersioned* self) {
    delete static_cast<MovedArray*>(self->manager_ctx);
  };
  managed.flags = array.read_only != 0 ? DLPACK_FLAG_BITMASK_READ_ONLY : 0;
  managed.dl_tensor = {driver::HandleFrom<void*>(array.data),
                       array.device,
                       array.ndim + 1,
                       {kDLUInt, 8, 1},
                       moved->layout.data(),
                       strides,
                       0};
  return moved;
}

napi_value TypestrValue(napi_env env, const char* typestr) {
  napi_value value = nullptr;
  if (typestr == nullptr || napi_create_string_utf8(env, typestr, NAPI_AUTO_LENGTH, &value) != napi_ok) {
    napi_get_null(env, &value);
  }
  return value;
}

}  // namespace

int ArrayFromValue(napi_env env, napi_value value, StridelabArray* out) {
  return WithRecord(env, value, [&](ArrayRecord& record) {
    const dlpack::ArrayView& view = record.view();
    const dlpack::Description& description = view.description();
    const auto axes = static_cast<std::size_t>(description.ndim);
    auto held = std::make_unique<Exported>();
    held->storage = record.Lock();
    held->layout.assign(view.shape(), view.shape() + 2 * axes);
    if (view.typestr() != nullptr) held->typestr = view.typestr();
    StridelabArray array{};
    array.size = sizeof(StridelabArray);
    array.version = STRIDELAB_ARRAY_VERSION;
    array.ndim = description.ndim;
    array.shape = held->layout.data();
    array.strides = held->layout.data() + axes;
    array.typestr = held->typestr.empty() ? nullptr : held->typestr.c_str();
    array.data = view.address(*held->storage);
    array.read_only = view.read_only() ? 1 : 0;
    array.dtype = description.dtype;
    array.device = description.device;
    DescribeWork(view, *held, array);
    array.release = ReleaseExported;
    array.private_data = held.release();
    *out = array;
  });
}

int ArrayToValue(napi_env env, napi_value type, StridelabArray* array, napi_value* out) {
  try {
    std::unique_ptr<MovedArray> moved = Move(*array);
    WaitForProducer(moved->array);
    const DLDataType dtype = moved->array.dtype;
    const std::vector<napi_value> more = {TypestrValue(env, moved->array.typestr),
                                          NumberValue(env, dtype.code), NumberValue(env, dtype.bits),
                                          NumberValue(env, dtype.lanes)};
    return AdoptThrough(env, type, "stridelab.exchange.adopt-array", &moved.release()->managed, more, out);
  } catch (const core::Error& error) {
    napi_throw_error(env, error.kind() == core::ErrorKind::kBuffer ? "ERR_BUFFER" : "ERR_DRIVER",
                     error.what());
    return -1;
  }
}

}  // namespace stridelab::binding

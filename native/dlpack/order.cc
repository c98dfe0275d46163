#include "dlpack/order.h"

#include <memory>
#include <vector>

#include "core/device.h"
#include "core/stream.h"
#include "core/use_list.h"
#include "driver/types.h"

namespace stridelab::dlpack {
namespace {

/** Returns the stream that used the array last; exports name it if nothing is pending. */
std::shared_ptr<core::Stream> LatestUser(core::Storage& storage) {
  const std::vector<core::Use> uses = storage.Uses();
  return uses.empty() || uses.back().stream->destroyed() ? nullptr : uses.back().stream;
}

}  // namespace

bool WorkStreamOf(DLDeviceType type, void** out) {
  switch (type) {
    case kDLCPU:
    case kDLCUDAHost:
      *out = nullptr;
      return true;
    case kDLCUDA:
    case kDLCUDAManaged:
      *out = driver::HandleFrom<void*>(driver::kLegacyStream);
      return true;
    default:
      return false;
  }
}

void OrderForWork(const ArrayView& view, core::Storage& storage) {
  if (view.description().device.device_type == kDLCPU) {
    MakeReady(view, storage);
  } else {
    OrderForStream(view, storage, driver::kLegacyStream, true);
  }
}

void MakeReady(const ArrayView& view, core::Storage& storage) {
  if (const auto joined = storage.Join(view.read_only())) joined->Synchronize(core::InterruptFlag());
}

void OrderForStream(const ArrayView& view, core::Storage& storage, std::uint64_t handle, bool remember) {
  const core::Access access = view.read_only() ? core::Access::kRead : core::Access::kWrite;
  const std::shared_ptr<core::Stream> stream = core::Stream::Wrap(storage.device(), handle);
  storage.Prepare(*stream, access, core::InterruptFlag());
  if (!remember) return;
  if (stream->foreign()) {
    storage.RecordUnnamedUse(access);
  } else {
    storage.RecordUse(stream, access);
  }
}

std::uint64_t JoinForExport(const ArrayView& view, core::Storage& storage) {
  std::shared_ptr<core::Stream> stream = storage.Join(view.read_only());
  if (stream == nullptr) stream = LatestUser(storage);
  if (stream == nullptr) return 0;
  const auto handle = driver::HandleValue(stream->handle());
  if (handle != driver::kPerThreadStream) return handle;
  storage.device().LegacyStream()->WaitForStream(*stream);
  return driver::kLegacyStream;
}

void JoinLegacy(const ArrayView& view, core::Storage& storage) {
  const std::shared_ptr<core::Stream> stream = storage.Join(view.read_only());
  if (stream == nullptr || stream->capturing()) return;
  const std::shared_ptr<core::Stream> legacy = storage.device().LegacyStream();
  if (stream != legacy) legacy->WaitForStream(*stream);
}

}  // namespace stridelab::dlpack

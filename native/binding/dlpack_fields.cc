#include "binding/dlpack_fields.h"

#include "core/error.h"

namespace stridelab::binding {

DlpackFields::DlpackFields(Napi::Env env) {
  Napi::Float64Array array = Napi::Float64Array::New(env, kFieldCount);
  values_ = array.Data();
  array_ = Napi::Persistent(array.As<Napi::Object>());
}

dlpack::Description DlpackFields::Read(dlpack::AxesBuffer& layout) const {
  const std::int64_t axes = Integer(kNdim);
  if (axes < 0 || axes > dlpack::kMostAxes)
    throw core::Error(core::ErrorKind::kArgument, "ndim is " + std::to_string(axes) + ", expected 0 to 64");
  for (std::int64_t axis = 0; axis < axes; ++axis) {
    layout[axis] = Integer(kShape + axis);
    layout[dlpack::kMostAxes + axis] = Integer(kStrides + axis);
  }
  dlpack::Description description{};
  description.versioned = values_[kVersioned] != 0;
  description.version = {static_cast<std::uint32_t>(values_[kMajor]),
                         static_cast<std::uint32_t>(values_[kMinor])};
  description.flags = static_cast<std::uint64_t>(values_[kFlags]);
  description.device = {static_cast<DLDeviceType>(Integer(kDeviceType)),
                        static_cast<std::int32_t>(values_[kDeviceId])};
  description.dtype = {static_cast<std::uint8_t>(values_[kCode]), static_cast<std::uint8_t>(values_[kBits]),
                       static_cast<std::uint16_t>(values_[kLanes])};
  description.ndim = static_cast<std::int32_t>(axes);
  description.shape = layout.data();
  description.strides = layout.data() + dlpack::kMostAxes;
  description.offset = static_cast<std::uint64_t>(values_[kOffset]);
  return description;
}

void DlpackFields::Write(const dlpack::OwnedTensor& owned, const dlpack::Inspected& inspected,
                         std::int64_t offset) {
  const DLPackVersion version = owned.version();
  SetInteger(kVersioned, owned.versioned() ? 1 : 0);
  SetInteger(kMajor, version.major);
  SetInteger(kMinor, version.minor);
  Write(owned.tensor(), owned.flags(), inspected, offset);
}

void DlpackFields::Write(const DLTensor& tensor, std::uint64_t flags, const dlpack::Inspected& inspected,
                         std::int64_t offset) {
  // Unknown flags have no meaning here, and a double would round them (rule 140).
  SetInteger(kFlags, static_cast<std::int64_t>(flags & 0x7));
  SetInteger(kDeviceType, static_cast<std::int32_t>(tensor.device.device_type));
  SetInteger(kDeviceId, tensor.device.device_id);
  SetInteger(kCode, tensor.dtype.code);
  SetInteger(kBits, tensor.dtype.bits);
  SetInteger(kLanes, tensor.dtype.lanes);
  SetInteger(kNdim, tensor.ndim);
  SetOffset(offset);
  SetInteger(kExtentStart, inspected.extent.start);
  SetInteger(kExtentEnd, inspected.extent.end);
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(tensor.ndim); ++axis) {
    SetInteger(kShape + axis, inspected.shape[axis]);
    SetInteger(kStrides + axis, inspected.strides[axis]);
  }
}

}  // namespace stridelab::binding

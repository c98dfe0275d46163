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
  const DLTensor& tensor = owned.tensor();
  const DLPackVersion version = owned.version();
  // Unknown flags have no meaning here, and a double would round them (rule 140).
  const std::uint64_t known_flags = owned.flags() & 0x7;
  const auto set = [&](std::size_t field, auto value) { values_[field] = static_cast<double>(value); };
  set(kVersioned, owned.versioned() ? 1 : 0);
  set(kMajor, version.major);
  set(kMinor, version.minor);
  set(kFlags, known_flags);
  set(kDeviceType, static_cast<std::int32_t>(tensor.device.device_type));
  set(kDeviceId, tensor.device.device_id);
  set(kCode, tensor.dtype.code);
  set(kBits, tensor.dtype.bits);
  set(kLanes, tensor.dtype.lanes);
  set(kNdim, tensor.ndim);
  set(kOffset, offset);
  set(kExtentStart, inspected.extent.start);
  set(kExtentEnd, inspected.extent.end);
  for (std::int32_t axis = 0; axis < tensor.ndim; ++axis) {
    set(kShape + static_cast<std::size_t>(axis), inspected.shape[axis]);
    set(kStrides + static_cast<std::size_t>(axis), inspected.strides[axis]);
  }
}

}  // namespace stridelab::binding

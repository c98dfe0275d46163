#include <array>

#include "binding/objects.h"
#include "core/driver.h"
#include "core/pointer_attributes.h"
#include "core/stream.h"

namespace stridelab::binding {
namespace {

using core::Device;

/** By the driver's number, which has no 0. */
constexpr std::array<const char*, 5> kMemoryTypes = {"device", "host", "device", "array", "unified"};

const char* NameOf(driver::MemoryType type) {
  return type < kMemoryTypes.size() ? kMemoryTypes[type] : "device";
}

std::optional<Address> AddressOrNull(std::uint64_t address) {
  return address == 0 ? std::nullopt : std::optional(Address{address});
}

core::DriverKind Kind(const Device& device) { return device.driver().kind(); }

std::vector<int> ComputeCapability(const Device& device) {
  return {device.compute_major(), device.compute_minor()};
}

int DriverVersion(const Device& device) { return device.driver().version(); }

std::uint64_t LiveBytes(Device& device) { return device.live_bytes().load(); }

Fields MemoryInfo(Env env, Device& device) {
  const core::MemoryInfo memory = device.QueryMemory();
  return Fields(env).Set("free", memory.free).Set("total", memory.total);
}

Fields StreamPriorities(Env env, Device& device) {
  const core::PriorityRange range = device.StreamPriorities();
  return Fields(env).Set("least", range.least).Set("greatest", range.greatest);
}

template <std::shared_ptr<core::Stream> (Device::*kStream)()>
Napi::Object DefaultStream(Environment& environment, Device& device) {
  return environment.WrapDefault((device.*kStream)());
}

napi_value PointerAttributes(Env env, Device& device, Address pointer) {
  const auto found = core::QueryPointer(device, pointer);
  if (!found) return env.Null();
  return Fields(env)
      .Set("memoryType", NameOf(found->memory_type))
      .Set("managed", found->managed)
      .Set("deviceOrdinal", found->device_ordinal)
      .Set("context", Address{found->context})
      .Set("hostPointer", AddressOrNull(found->host_pointer))
      .Set("devicePointer", AddressOrNull(found->device_pointer))
      .Set("rangeStart", Address{found->range_start})
      .Set("rangeBytes", found->range_bytes)
      .Set("bufferId", Address{found->buffer_id})
      .Set("legacyIpcCapable", found->legacy_ipc_capable);
}

constexpr Function kDeviceTable[] = {
    Getter<Kind>("kind"),
    Getter<&Device::ordinal>("ordinal"),
    Getter<&Device::name>("name"),
    Getter<&Device::uuid>("uuid"),
    Getter<ComputeCapability>("computeCapability"),
    Getter<&Device::total_memory>("totalMemory"),
    Getter<&Device::pci_bus_id>("pciBusId"),
    Getter<DriverVersion>("driverVersion"),
    Getter<LiveBytes>("liveBytes"),
    Method<&Device::Attribute>("attribute", "attribute"),
    Method<MemoryInfo>("memoryInfo"),
    Method<&Device::CanAccessPeer>("canAccessPeer", "peer"),
    Method<StreamPriorities>("streamPriorities"),
    Method<&Device::Synchronize>("synchronize"),
    Method<DefaultStream<&Device::LegacyStream>>("legacyStream"),
    Method<DefaultStream<&Device::PerThreadStream>>("perThreadStream"),
    Method<PointerAttributes>("pointerAttributes", "pointer"),
};

}  // namespace

const Functions DeviceObject::kMethods = kDeviceTable;

}  // namespace stridelab::binding

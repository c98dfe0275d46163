#include "core/locate.h"

#include <array>

#include "core/device.h"
#include "core/driver.h"

namespace stridelab::core {

std::optional<Location> Locate(std::uint64_t pointer) {
  for (const DriverKind kind : {DriverKind::kCuda, DriverKind::kSimulated, DriverKind::kRecording}) {
    const Driver* driver = Driver::Find(kind);
    if (driver == nullptr) continue;
    std::array<int, 3> attributes = {driver::kPointerMemoryType, driver::kPointerIsManaged,
                                     driver::kPointerDeviceOrdinal};
    // Each answer is 1 or 4 bytes wide; a zeroed 8-byte slot holds either.
    std::array<std::uint64_t, attributes.size()> answers{};
    std::array<void*, attributes.size()> slots = {&answers[0], &answers[1], &answers[2]};
    const ContextScope scope = driver->devices().front()->Enter();
    const driver::CUresult status =
        driver->table().cuPointerGetAttributes(attributes.size(), attributes.data(), slots.data(), pointer);
    if (status != driver::kSuccess || answers[0] == 0) continue;
    // An ordinal is an index into the driver's devices.
    if (answers[2] >= driver->devices().size()) continue;
    Device* device = driver->devices()[answers[2]].get();
    if (answers[1] != 0) return Location{device, MemoryKind::kManaged};
    const bool host = answers[0] == driver::kMemoryTypeHost;
    return Location{device, host ? MemoryKind::kPinned : MemoryKind::kDevice};
  }
  return std::nullopt;
}

}  // namespace stridelab::core

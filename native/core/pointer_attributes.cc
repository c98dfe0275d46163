#include "core/pointer_attributes.h"

#include <array>

#include "core/device.h"
#include "core/error.h"

namespace stridelab::core {

std::optional<PointerAttributes> QueryPointer(Device& device, std::uint64_t pointer) {
  std::array<int, 10> attributes = {
      driver::kPointerMemoryType,         driver::kPointerContext,   driver::kPointerDevicePointer,
      driver::kPointerHostPointer,        driver::kPointerIsManaged, driver::kPointerDeviceOrdinal,
      driver::kPointerRangeStart,         driver::kPointerRangeSize, driver::kPointerBufferId,
      driver::kPointerIsLegacyIpcCapable,
  };
  // Each answer is 1, 4 or 8 bytes wide; a zeroed 8-byte slot holds any of them.
  std::array<std::uint64_t, attributes.size()> answers{};
  std::array<void*, attributes.size()> slots{};
  for (std::size_t index = 0; index < slots.size(); ++index) slots[index] = &answers[index];
  const ContextScope scope = device.Enter();
  const driver::CUresult status =
      device.table().cuPointerGetAttributes(attributes.size(), attributes.data(), slots.data(), pointer);
  if (status == driver::kInvalidValue) return std::nullopt;
  Check(device.table(), status, "cuPointerGetAttributes");
  if (answers[0] == 0) return std::nullopt;
  return PointerAttributes{
      .memory_type = static_cast<driver::MemoryType>(answers[0]),
      .managed = answers[4] != 0,
      .device_ordinal = static_cast<int>(answers[5]),
      .context = answers[1],
      .host_pointer = answers[3],
      .device_pointer = answers[2],
      .range_start = answers[6],
      .range_bytes = answers[7],
      .buffer_id = answers[8],
      .legacy_ipc_capable = answers[9] != 0,
  };
}

}  // namespace stridelab::core

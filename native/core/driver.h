// An opened driver and its devices. Process-wide and never closed, so that no finalizer can come after it.
#pragma once

#include <memory>
#include <vector>

#include "core/device.h"
#include "driver/driver_table.h"
#include "generated/words.h"

namespace stridelab::hazards {
class Tracker;
}

namespace stridelab::core {

using stridelab::DriverKind;

class Driver {
 public:
  /**
   * The driver of that kind, opened by the first call. Throws kind `unavailable` where libcuda cannot be
   * opened or has no device; a later call tries again. There are STRIDELAB_SIM_DEVICES simulated devices (1
   * to 16, one without it), each of STRIDELAB_SIM_MEMORY bytes (8 GiB without it); they have the schedule
   * STRIDELAB_SIM_SCHEDULE, `eager` without it.
   */
  static Driver& Open(DriverKind kind);
  /** The driver of that kind where it is open, else null. Takes no lock. */
  static const Driver* Find(DriverKind kind);
  /** The devices of every driver that is open. */
  static std::vector<Device*> OpenedDevices();

  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  DriverKind kind() const { return kind_; }
  /** As CUDA counts it: 13000 is 13.0. */
  int version() const { return version_; }
  const driver::DriverTable& table() const { return table_; }
  /** Null unless STRIDELAB_HAZARDS asks for it. */
  hazards::Tracker* hazards() const { return hazards_; }
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }

 private:
  Driver(DriverKind kind, const driver::DriverTable& table);

  DriverKind kind_;
  driver::DriverTable table_;
  hazards::Tracker* hazards_ = nullptr;
  int version_ = 0;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace stridelab::core

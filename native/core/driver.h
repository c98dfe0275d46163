// An opened driver and its devices. Process-wide and never closed, so that no finalizer can outlive it.
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
   * Returns the driver of that kind, opened by the first call. Throws kind `unavailable` if libcuda cannot be
   * opened or has no device; a later call tries again. The environment configures simulated devices:
   * STRIDELAB_SIM_DEVICES is their number (1 to 16, default 1), STRIDELAB_SIM_MEMORY the bytes of each
   * (default 8 GiB), STRIDELAB_SIM_SCHEDULE their schedule (default `eager`).
   */
  static Driver& Open(DriverKind kind);
  /** Returns the driver of that kind if it is open, else null. Takes no lock. */
  static const Driver* Find(DriverKind kind);
  /** The devices of all open drivers. */
  static std::vector<Device*> OpenedDevices();

  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  DriverKind kind() const { return kind_; }
  /** CUDA's version number: 13000 is 13.0. */
  int version() const { return version_; }
  const driver::DriverTable& table() const { return table_; }
  /** The hazard tracker; null unless STRIDELAB_HAZARDS enables it. */
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

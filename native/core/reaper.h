// A thread that releases adopted memory once the device is done with it, even if no other call checks.
#pragma once

namespace stridelab::core {

class Device;

/**
 * Polls the parked blocks of real devices every 0.2 to 5 ms while any of them is adopted. Simulated devices
 * do not need it: their time advances only when the program makes calls.
 */
class Reaper {
 public:
  /** Polls the device's parked blocks until none is adopted; the first call starts the thread. */
  static void Watch(Device& device);
  /** Stops the thread; waits up to 100 ms until it makes no driver calls. */
  static void Stop() noexcept;
};

}  // namespace stridelab::core

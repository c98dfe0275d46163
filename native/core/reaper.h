// A thread that gives adopted memory back when the device is done with it and nobody asks.
#pragma once

namespace stridelab::core {

class Device;

/**
 * Polls the parked blocks of real devices, from 0.2 ms to 5 ms apart, while there are adopted ones. A
 * simulated device has no need of it: its time moves only when the program makes calls.
 */
class Reaper {
 public:
  /** Looks after the device's parked blocks until there are none; starts the thread at the first call. */
  static void Watch(Device& device);
  /** Returns when the thread makes no driver call and will make none any more. */
  static void Stop() noexcept;
};

}  // namespace stridelab::core

// Interruptible host waits, which poll because the driver's blocking calls cannot be interrupted.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include "core/error.h"
#include "driver/driver_table.h"

namespace stridelab::core {

/** The lowest bit of a word shared with JavaScript; set, it interrupts waits. A default-constructed flag never does. */
class InterruptFlag {
 public:
  InterruptFlag() = default;
  explicit InterruptFlag(std::int32_t* word) : word_(word) {}
  bool Raised() const {
    return word_ != nullptr && (std::atomic_ref(*word_).load(std::memory_order_acquire) & 1) != 0;
  }
  /** Clears the flag; returns true if it was raised: the caller then has to handle the interrupt. */
  bool Take() const {
    return word_ != nullptr && (std::atomic_ref(*word_).fetch_and(~1, std::memory_order_acq_rel) & 1) != 0;
  }
  void ThrowIfRaised() const {
    if (Raised()) throw Error(ErrorKind::kInterrupted, "the wait for the device was interrupted");
  }

 private:
  std::int32_t* word_ = nullptr;
};

/**
 * Pauses between polls: yields for some time, because a sleep of 20 us takes 70, then sleeps, so that a long wait
 * needs no processor, and a thread that waits for the same one runs.
 */
class Backoff {
 public:
  explicit Backoff(std::chrono::microseconds yields) : end_of_yields_(Clock::now() + yields) {}

  void Pause() const {
    if (Clock::now() < end_of_yields_) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point end_of_yields_;
};

/** Yields for the device: large transfers end within them. */
inline constexpr std::chrono::milliseconds kDeviceYields{8};

/**
 * Waits until the call `kQuery` no longer returns not-ready for the handle; throws if it returns an error. With virtual time it calls
 * `kBlock` instead.
 */
template <auto kQuery, auto kBlock, typename Handle>
void WaitUntilReady(const DriverTable& table, Handle handle, const InterruptFlag& interrupt) {
  driver::CUresult status = (table.*kQuery)(handle);
  if (status == driver::kNotReady && table.virtual_time) {
    interrupt.ThrowIfRaised();
    CallDriver<kBlock>(table, handle);
    return;
  }
  for (Backoff backoff(kDeviceYields); status == driver::kNotReady; status = (table.*kQuery)(handle)) {
    interrupt.ThrowIfRaised();
    backoff.Pause();
  }
  Check(table, status, driver::kCallName<kQuery>);
}

}  // namespace stridelab::core

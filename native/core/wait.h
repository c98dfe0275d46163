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
 * Waits until the call `kQuery` no longer returns not-ready for the handle; throws if it returns an error.
 * Polls without a pause for the first 20 us, so that short waits cost no sleep, then sleeps 20 to 50 us
 * between polls. With virtual time it calls `kBlock` instead.
 */
template <auto kQuery, auto kBlock, typename Handle>
void WaitUntilReady(const DriverTable& table, Handle handle, const InterruptFlag& interrupt) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kSpin = std::chrono::microseconds(20);
  constexpr auto kLongestPause = std::chrono::microseconds(50);
  driver::CUresult status = (table.*kQuery)(handle);
  if (status == driver::kNotReady && table.virtual_time) {
    interrupt.ThrowIfRaised();
    CallDriver<kBlock>(table, handle);
    return;
  }
  const Clock::time_point start = Clock::now();
  auto pause = std::chrono::microseconds(20);
  while (status == driver::kNotReady) {
    interrupt.ThrowIfRaised();
    if (Clock::now() - start > kSpin) {
      std::this_thread::sleep_for(pause);
      pause = std::min(pause + std::chrono::microseconds(5), kLongestPause);
    }
    status = (table.*kQuery)(handle);
  }
  Check(table, status, driver::kCallName<kQuery>);
}

}  // namespace stridelab::core

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

/** A word shared with JavaScript; a nonzero value interrupts waits. A default-constructed one never does. */
class InterruptFlag {
 public:
  InterruptFlag() = default;
  explicit InterruptFlag(std::int32_t* word) : word_(word) {}
  bool Raised() const {
    return word_ != nullptr && std::atomic_ref(*word_).load(std::memory_order_acquire) != 0;
  }
  /** Clears the flag; returns true if it was raised: the caller then has to handle the interrupt. */
  bool Take() const {
    return word_ != nullptr && std::atomic_ref(*word_).exchange(0, std::memory_order_acq_rel) != 0;
  }
  void ThrowIfRaised() const {
    if (Raised()) throw Error(ErrorKind::kInterrupted, "the wait for the device was interrupted");
  }

 private:
  std::int32_t* word_ = nullptr;
};

/**
 * Waits until `query` (a driver call) no longer returns not-ready; throws if it returns an error. Polls
 * without a pause for the first 20 us, so that short waits cost no sleep, then sleeps 20 to 50 us between
 * polls. With virtual time it calls `block` instead.
 */
template <typename Query, typename Block>
void WaitUntilReady(const driver::DriverTable& table, const InterruptFlag& interrupt, const char* query_name,
                    Query query, const char* block_name, Block block) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kSpin = std::chrono::microseconds(20);
  constexpr auto kLongestPause = std::chrono::microseconds(50);
  driver::CUresult status = query();
  if (status == driver::kNotReady && table.virtual_time) {
    interrupt.ThrowIfRaised();
    Check(table, block(), block_name);
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
    status = query();
  }
  Check(table, status, query_name);
}

}  // namespace stridelab::core

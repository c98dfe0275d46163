// A ring buffer of waits: those submitted between streams, and those of the host.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace stridelab::core::wait_log {

/** Number of active readers. */
inline std::atomic<int> readers{0};

/** One wait, between stream ids. `waiter` 0 is the host; `waited` 0 is an event whose stream is unknown. */
struct Entry {
  /** Counted from 1, process-wide. */
  std::uint64_t number;
  /** Microseconds of the host's steady clock. */
  double time;
  int waiter;
  int waited;
};

void Start();
void Stop();
double Now();

/** Notes a wait. Does nothing while there are no readers, and for waits of inspections (hazards/look.h). */
void Note(int waiter, int waited);
/** The number of the latest entry. */
std::uint64_t Last();
/** Returns the entries after `number`, oldest first. */
std::vector<Entry> Read(std::uint64_t number);

}  // namespace stridelab::core::wait_log

// Who was made to wait for whom: a ring of the waits that were submitted between streams, and of those of the
// host.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace stridelab::core::wait_log {

/** How many readers want it. */
inline std::atomic<int> readers{0};

/** One wait. Streams by id; `waiter` 0 is the host, `waited` 0 an event of which nobody knows the stream. */
struct Entry {
  /** Counted from 1 in the process. */
  std::uint64_t number;
  /** Microseconds of the host's steady clock. */
  double time;
  int waiter;
  int waited;
};

void Start();
void Stop();
double Now();

/** Does nothing while nobody reads, and for the waits of looks. */
void Note(int waiter, int waited);
/** The number of the latest entry. */
std::uint64_t Last();
/** Those after `number`, oldest first. */
std::vector<Entry> Read(std::uint64_t number);

}  // namespace stridelab::core::wait_log

#include "core/wait_log.h"

#include <algorithm>
#include <chrono>
#include <deque>

#include "driver/locked.h"
#include "hazards/look.h"

namespace stridelab::core::wait_log {
namespace {

/** Maximum number of entries: more waits than a program submits between two reads of the log. */
constexpr std::size_t kMostEntries = 16384;

struct Log {
  std::deque<Entry> entries;
  std::uint64_t last = 0;
};

}  // namespace

void Start() { ++readers; }

void Stop() { --readers; }

double Now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) / 1000;
}

void Note(int waiter, int waited) {
  if (readers.load(std::memory_order_relaxed) == 0 || hazards::look::IsOn()) return;
  const driver::Locked<Log> log;
  log->entries.push_back({++log->last, Now(), waiter, waited});
  if (log->entries.size() > kMostEntries) log->entries.pop_front();
}

std::uint64_t Last() {
  const driver::Locked<Log> log;
  return log->last;
}

std::vector<Entry> Read(std::uint64_t number) {
  const driver::Locked<Log> log;
  const auto first = std::find_if(log->entries.rbegin(), log->entries.rend(), [&](const Entry& entry) {
                       return entry.number <= number;
                     }).base();
  return {first, log->entries.end()};
}

}  // namespace stridelab::core::wait_log

#include "core/exit.h"

#include <pthread.h>

#include <atomic>
#include <cstdlib>

#include "core/reaper.h"

namespace stridelab::core {
namespace {

std::atomic<bool> exiting{false};
std::atomic<bool> forked{false};

}  // namespace

void WatchForExit() {
  static const int registered = std::atexit([] {
    exiting = true;
    Reaper::Stop();
  });
  static const int watched = pthread_atfork(nullptr, nullptr, [] { forked = true; });
  static_cast<void>(registered);
  static_cast<void>(watched);
}

bool ProcessIsExiting() { return exiting.load(std::memory_order_relaxed); }

bool ProcessWasForked() { return forked.load(std::memory_order_relaxed); }

}  // namespace stridelab::core

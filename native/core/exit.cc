#include "core/exit.h"

#include <atomic>
#include <cstdlib>

#include "core/reaper.h"

namespace stridelab::core {
namespace {

std::atomic<bool> exiting{false};

}  // namespace

void WatchForExit() {
  static const int registered = std::atexit([] {
    exiting = true;
    Reaper::Stop();
  });
  static_cast<void>(registered);
}

bool ProcessIsExiting() { return exiting.load(std::memory_order_relaxed); }

}  // namespace stridelab::core

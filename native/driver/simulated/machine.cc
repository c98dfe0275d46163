#include "driver/simulated/machine.h"

#include <atomic>

namespace stridelab::driver::simulated {
namespace {

std::atomic<Machine*> running{nullptr};
std::mutex starting;

}  // namespace

Machine& StartMachine(std::size_t total_memory) {
  const std::lock_guard lock(starting);
  if (running.load() == nullptr) running = new Machine(total_memory);
  return *running.load();
}

Machine* RunningMachine() { return running.load(); }

}  // namespace stridelab::driver::simulated

#include "driver/simulated/machine.h"

#include <atomic>

namespace stridelab::driver::simulated {
namespace {

std::atomic<Machine*> running{nullptr};
std::mutex starting;
thread_local Machine* chosen = nullptr;

}  // namespace

Machine& StartMachine(std::size_t total_memory, int devices) {
  const std::lock_guard lock(starting);
  if (running.load() == nullptr) running = new Machine(total_memory, devices, kContext);
  return *running.load();
}

Machine* RunningMachine() { return chosen != nullptr ? chosen : running.load(); }

MachineScope::MachineScope(Machine& machine) : outer_(chosen) { chosen = &machine; }

MachineScope::~MachineScope() { chosen = outer_; }

}  // namespace stridelab::driver::simulated

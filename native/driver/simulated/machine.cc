#include "driver/simulated/machine.h"

#include <atomic>
#include <vector>

namespace stridelab::driver::simulated {
namespace {

std::atomic<Machine*> running{nullptr};
std::mutex starting;
thread_local Machine* chosen = nullptr;

/** All machines of the process, and their common schedule. Never destroyed, like the machines. */
struct Machines {
  std::mutex mutex;
  std::vector<Machine*> all;
  std::atomic<Schedule> schedule{Schedule::kEager};
};

Machines& TheMachines() {
  static Machines& machines = *new Machines;
  return machines;
}

}  // namespace

Machine::Machine(std::size_t total_memory, int device_count, std::uint64_t first)
    : devices(device_count), first_context(first), memory(total_memory, device_count) {
  Machines& machines = TheMachines();
  const std::lock_guard lock(machines.mutex);
  timeline.SetSchedule(machines.schedule);
  machines.all.push_back(this);
}

Schedule CurrentSchedule() { return TheMachines().schedule; }

void SetSchedule(Schedule schedule) {
  Machines& machines = TheMachines();
  const std::lock_guard lock(machines.mutex);
  machines.schedule = schedule;
  for (Machine* machine : machines.all) {
    const std::lock_guard machine_lock(machine->mutex);
    machine->timeline.SetSchedule(schedule);
  }
}

void RunHeldWork() {
  Machines& machines = TheMachines();
  const std::lock_guard lock(machines.mutex);
  for (Machine* machine : machines.all) {
    const std::lock_guard machine_lock(machine->mutex);
    machine->timeline.SettleAll();
  }
}

Machine& StartMachine(std::size_t total_memory, int devices) {
  const std::lock_guard lock(starting);
  if (running.load() == nullptr) running = new Machine(total_memory, devices, kContext);
  return *running.load();
}

Machine* RunningMachine() { return chosen != nullptr ? chosen : running.load(); }

MachineScope::MachineScope(Machine& machine) : outer_(chosen) { chosen = &machine; }

MachineScope::~MachineScope() { chosen = outer_; }

}  // namespace stridelab::driver::simulated

#include "driver/simulated/machine.h"

#include <atomic>
#include <vector>

#include "driver/locked.h"

namespace stridelab::driver::simulated {
namespace {

std::atomic<Machine*> running{nullptr};
std::mutex starting;
thread_local Machine* chosen = nullptr;

/** All machines of the process, which are never destroyed. */
struct Machines {
  std::vector<Machine*> all;
};

/** The schedule of all machines. */
std::atomic<Schedule> common_schedule{Schedule::kEager};

}  // namespace

Machine::Machine(const char* name, int number, std::size_t total_memory, int devices)
    : name(name), number(number), devices(devices), memory(total_memory, devices) {
  const Locked<Machines> machines;
  timeline.SetSchedule(common_schedule);
  machines->all.push_back(this);
}

Schedule CurrentSchedule() { return common_schedule; }

void SetSchedule(Schedule schedule) {
  const Locked<Machines> machines;
  common_schedule = schedule;
  for (Machine* machine : machines->all) {
    const std::lock_guard machine_lock(machine->mutex);
    machine->timeline.SetSchedule(schedule);
  }
}

void RunHeldWork() {
  const Locked<Machines> machines;
  for (Machine* machine : machines->all) {
    const std::lock_guard machine_lock(machine->mutex);
    machine->timeline.SettleAll();
  }
}

Machine& StartMachine(std::size_t total_memory, int devices) {
  const std::lock_guard lock(starting);
  if (running.load() == nullptr)
    running = new Machine("Stridelab simulated device", 0, total_memory, devices);
  return *running.load();
}

Machine* RunningMachine() { return chosen != nullptr ? chosen : running.load(); }

MachineScope::MachineScope(Machine& machine) : outer_(chosen) { chosen = &machine; }

MachineScope::~MachineScope() { chosen = outer_; }

}  // namespace stridelab::driver::simulated

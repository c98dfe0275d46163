#include "driver/recording/call_log.h"

#include <cstdio>
#include <map>
#include <mutex>
#include <vector>

#include "driver/recording/recording_driver.h"
#include "driver/simulated/calls.h"

namespace stridelab::driver::recording {
namespace {

struct Failure {
  CUresult status;
  int times;
};

struct State {
  std::mutex mutex;
  std::vector<std::string> log;
  std::map<std::string, Failure> failures;
};

State& TheState() {
  static State& state = *new State;
  return state;
}

std::string Name(CUresult status) {
  DriverTable table;
  simulated::AddDeviceCalls(table);
  return StatusName(table, status);
}

}  // namespace

std::string Number(std::uint64_t value) {
  if (value >> 26 == 0) return std::to_string(value);
  char digits[2 + 16 + 1];
  std::snprintf(digits, sizeof(digits), "0x%llx", static_cast<unsigned long long>(value));
  return digits;
}

std::string Handle(const char* kind, std::uint64_t value) { return std::string(kind) + " " + Number(value); }

CUresult InjectedStatus(const char* call) {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  for (const char* name : {call, "*"}) {
    const auto entry = state.failures.find(name);
    if (entry == state.failures.end() || entry->second.times == 0) continue;
    if (entry->second.times > 0) --entry->second.times;
    return entry->second.status;
  }
  return kSuccess;
}

void Note(const char* call, const std::string& arguments, CUresult status) {
  std::string line = std::string(call) + "(" + arguments + ")";
  if (status != kSuccess) line += " = " + Name(status);
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  state.log.push_back(std::move(line));
}

std::vector<std::string> Log() {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  return state.log;
}

void Clear() {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  state.log.clear();
}

void Fail(const std::string& call, CUresult status, int times) {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  state.failures[call] = Failure{status, times};
}

void Reset() {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  state.log.clear();
  state.failures.clear();
}

}  // namespace stridelab::driver::recording

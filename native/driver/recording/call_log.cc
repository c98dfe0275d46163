#include "driver/recording/call_log.h"

#include <cstdio>
#include <map>
#include <vector>

#include "driver/locked.h"
#include "driver/recording/recording_driver.h"
#include "driver/simulated/calls.h"

namespace stridelab::driver::recording {
namespace {

struct Failure {
  CUresult status;
  int times;
};

struct State {
  std::vector<std::string> log;
  std::map<std::string, Failure> failures;
};

std::string Name(CUresult status) {
  const char* name = nullptr;
  return simulated::cuGetErrorName(status, &name) == kSuccess ? name : std::to_string(status);
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
  const Locked<State> state;
  for (const char* name : {call, "*"}) {
    const auto entry = state->failures.find(name);
    if (entry == state->failures.end() || entry->second.times == 0) continue;
    if (entry->second.times > 0) --entry->second.times;
    return entry->second.status;
  }
  return kSuccess;
}

void Note(const char* call, const std::string& arguments, CUresult status) {
  std::string line = std::string(call) + "(" + arguments + ")";
  if (status != kSuccess) line += " = " + Name(status);
  const Locked<State> state;
  state->log.push_back(std::move(line));
}

std::vector<std::string> Log() {
  const Locked<State> state;
  return state->log;
}

void Clear() {
  const Locked<State> state;
  state->log.clear();
}

void Fail(const std::string& call, CUresult status, int times) {
  const Locked<State> state;
  state->failures[call] = Failure{status, times};
}

void Reset() {
  const Locked<State> state;
  state->log.clear();
  state->failures.clear();
}

}  // namespace stridelab::driver::recording

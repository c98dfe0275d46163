#include "core/handover.h"

#include <mutex>
#include <random>
#include <unordered_map>

#include "core/error.h"

namespace stridelab::core {
namespace {

struct State {
  std::mutex mutex;
  std::random_device random;
  std::unordered_map<std::uint64_t, std::shared_ptr<Storage>> offered;
};

/** Never destroyed: an environment may end after static destruction. */
State& TheState() {
  static State& state = *new State;
  return state;
}

}  // namespace

std::uint64_t Offer(const std::shared_ptr<Storage>& storage) {
  storage->LeaveThread();
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  for (;;) {
    const std::uint64_t token = std::uint64_t{state.random()} << 32 | state.random();
    if (token != 0 && state.offered.emplace(token, storage).second) return token;
  }
}

std::shared_ptr<Storage> Claim(std::uint64_t token) {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  const auto entry = state.offered.find(token);
  if (entry == state.offered.end()) {
    throw Error(ErrorKind::kArgument,
                "no storage is offered under this token: it was claimed before, or never offered");
  }
  std::shared_ptr<Storage> storage = std::move(entry->second);
  state.offered.erase(entry);
  return storage;
}

}  // namespace stridelab::core

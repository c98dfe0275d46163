#include "core/handover.h"

#include <random>
#include <unordered_map>

#include "core/error.h"
#include "driver/locked.h"

namespace stridelab::core {
namespace {

struct Offers {
  std::random_device random;
  std::unordered_map<std::uint64_t, std::shared_ptr<Storage>> offered;
};

}  // namespace

std::uint64_t Offer(const std::shared_ptr<Storage>& storage) {
  storage->LeaveThread();
  const driver::Locked<Offers> state;
  for (;;) {
    const std::uint64_t token = std::uint64_t{state->random()} << 32 | state->random();
    if (token != 0 && state->offered.emplace(token, storage).second) return token;
  }
}

std::shared_ptr<Storage> Claim(std::uint64_t token) {
  const driver::Locked<Offers> state;
  const auto entry = state->offered.find(token);
  if (entry == state->offered.end()) {
    throw Error(ErrorKind::kArgument,
                "no storage is offered under this token: it was claimed before, or never offered");
  }
  std::shared_ptr<Storage> storage = std::move(entry->second);
  state->offered.erase(entry);
  return storage;
}

}  // namespace stridelab::core

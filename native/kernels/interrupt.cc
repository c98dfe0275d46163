#include "kernels/interrupt.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>

namespace stridelab::kernels {
namespace {

/** Never destroyed: kernels of simulated devices may run while the process exits. */
struct InterruptFlags {
  std::mutex mutex;
  std::unordered_map<const void*, core::InterruptFlag> all;
};
InterruptFlags& Flags() {
  static InterruptFlags& flags = *new InterruptFlags;
  return flags;
}

}  // namespace

void SetInterruptFlag(const void* owner, std::optional<core::InterruptFlag> flag) {
  InterruptFlags& flags = Flags();
  const std::lock_guard lock(flags.mutex);
  flags.all.erase(owner);
  if (flag) flags.all.emplace(owner, *flag);
}

bool Interrupted() {
  InterruptFlags& flags = Flags();
  const std::lock_guard lock(flags.mutex);
  return std::ranges::any_of(flags.all, [](const auto& entry) { return entry.second.Raised(); });
}

}  // namespace stridelab::kernels

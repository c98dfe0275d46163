#include "binding/array_lease.h"

#include <unistd.h>

#include <utility>

#include "binding/environment.h"
#include "core/exit.h"

namespace stridelab::binding {
namespace {

/** Ranges smaller than this are not reported to V8: the objects around them weigh as much. */
constexpr std::uint64_t kLight = 4096;

std::uint64_t MachineMemory() {
  static const std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                     static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  return bytes;
}

}  // namespace

ArrayLease::ArrayLease(Napi::Env env, const LeasedRange& range, std::unique_ptr<python::NeedsGil> hold)
    : range_(range), hold_(std::move(hold)), releases_(Environment::Of(env).releases()) {
  Weigh(env, 1);
}

void ArrayLease::Weigh(node_api_basic_env env, int sign) {
  if (range_.bytes < kLight) return;
  const std::int64_t change = sign * static_cast<std::int64_t>(range_.bytes);
  std::int64_t reported = 0;
  napi_adjust_external_memory(env, change, &reported);
  releases_->AddPressure(change, MachineMemory());
}

void ArrayLease::End(node_api_basic_env env, std::unique_ptr<ArrayLease> lease) {
  if (core::ProcessIsExiting()) {
    // Its deleter may need something that was torn down before (rule 172).
    static_cast<void>(lease->hold_.release());
    return;
  }
  lease->Weigh(env, -1);
  python::DropLater(std::move(lease->hold_));
  // A single pending sweep serves all leases.
  thread_local bool sweep_due = false;
  if (std::exchange(sweep_due, true)) return;
  lease->releases_->Defer([] {
    sweep_due = false;
    const python::Gil gil;
  });
}

}  // namespace stridelab::binding

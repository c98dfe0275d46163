// Reports of hazard detection on their way to JavaScript.
#pragma once

#include <napi.h>

#include <type_traits>

#include "hazards/report.h"

namespace stridelab::binding {

/** Names the environment of the thread's native call to hazard detection, for a scope. */
class HazardScope {
 public:
  explicit HazardScope(napi_env env) : outer_(current_) { current_ = env; }
  ~HazardScope() { current_ = outer_; }
  HazardScope(const HazardScope&) = delete;
  HazardScope& operator=(const HazardScope&) = delete;

  /** True for a call that no other native call of the thread is waiting for. */
  bool outermost() const { return outer_ == nullptr; }

  /** Null outside native calls, and in the library's own callbacks. */
  static napi_env Current() { return current_; }

 private:
  static inline thread_local napi_env current_ = nullptr;
  napi_env outer_;
};

/** Calls the environment's listener with the reports; the native call throws what that throws. */
void DeliverHazards(Napi::Env env);

/**
 * Runs a native function's body and delivers afterwards: never inside another one, such as a constructor of
 * ours, which has to come to its end. Costs the read of a flag where detection is off.
 */
template <typename Body>
auto WatchHazards(Napi::Env env, Body body) -> decltype(body()) {
  if (!hazards::Enabled()) return body();
  const HazardScope scope(env);
  if constexpr (std::is_void_v<decltype(body())>) {
    body();
    if (scope.outermost() && hazards::HasReports()) DeliverHazards(env);
  } else {
    auto result = body();
    if (scope.outermost() && hazards::HasReports()) DeliverHazards(env);
    return result;
  }
}

}  // namespace stridelab::binding

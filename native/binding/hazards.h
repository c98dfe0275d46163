// Delivery of hazard reports to JavaScript.
#pragma once

#include <napi.h>

#include <type_traits>

#include "hazards/report.h"

namespace stridelab::binding {

/** Sets the environment of the thread's native call for hazard detection, while it lives. */
class HazardScope {
 public:
  explicit HazardScope(napi_env env) : outer_(current_) { current_ = env; }
  ~HazardScope() { current_ = outer_; }
  HazardScope(const HazardScope&) = delete;
  HazardScope& operator=(const HazardScope&) = delete;

  /** True if this native call is not nested in another one of the thread. */
  bool outermost() const { return outer_ == nullptr; }

  /** Null outside native calls, and in the library's own callbacks. */
  static napi_env Current() { return current_; }

 private:
  static inline thread_local napi_env current_ = nullptr;
  napi_env outer_;
};

/** Calls the environment's listener with the reports. Throws what the listener throws. */
void DeliverHazards(Napi::Env env);

/**
 * Runs the body of a native function and delivers the reports afterwards. Nested calls do not deliver: a
 * constructor inside another call, for example, must complete. Costs one read of a flag if detection is off.
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

// NativeHazards: reports of hazard detection on their way to JavaScript.
#pragma once

#include <napi.h>

#include <type_traits>

#include "hazards/report.h"

namespace stridelab::binding {

/** Tells hazard detection for a scope which environment the thread's native call is from. */
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

/** Gives the environment's listener what was reported; what that throws is the native call's. */
void DeliverHazards(Napi::Env env);

/**
 * Runs a native function's body, and delivers afterwards: never inside another one, such as a constructor of
 * ours, which has to come to its end. Costs a look at a flag where detection is off.
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

Napi::Object DefineHazards(Napi::Env env);

}  // namespace stridelab::binding

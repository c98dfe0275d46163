// Native waits off the main thread.
#pragma once

#include <napi.h>

#include <functional>
#include <optional>

#include "core/error.h"
#include "core/wait.h"

namespace stridelab::binding {

/**
 * Runs `work` on a thread of libuv and settles a promise with what comes of it: with what `result` makes
 * then, undefined without one. `kept` is held until then. The interrupt flag is the one of the time of the
 * call.
 */
Napi::Promise RunAsync(Napi::Env env, std::function<void(const core::InterruptFlag&)> work, Napi::Value kept,
                       std::function<Napi::Value(Napi::Env)> result = nullptr);

Napi::Promise Resolved(Napi::Env env);
Napi::Promise Rejected(Napi::Env env, const core::Error& error);

/** Runs `start`, which returns a promise; a core::Error of its checks rejects too instead of being thrown. */
template <typename Start>
Napi::Value AsPromise(Napi::Env env, Start start) {
  try {
    return start();
  } catch (const core::Error& error) {
    return Rejected(env, error);
  }
}

}  // namespace stridelab::binding

// Native waits off the main thread.
#pragma once

#include <napi.h>

#include <functional>

#include "binding/entry.h"
#include "core/error.h"
#include "core/wait.h"

namespace stridelab::binding {

/**
 * Runs `work` on a libuv thread with the current interrupt flag, then settles a promise with the value of
 * `result`, or undefined if there is none. `kept` is kept alive until then.
 */
Napi::Promise RunAsync(Napi::Env env, std::function<void(const core::InterruptFlag&)> work, Napi::Value kept,
                       std::function<Napi::Value(Napi::Env)> result = nullptr);

Napi::Promise Resolved(Napi::Env env);

/** Wraps a body that returns a promise: a core::Error of its checks rejects it instead of being thrown. */
napi_value Promised(Call& call, Body body);

}  // namespace stridelab::binding

// From core::Error to what JavaScript catches.
#pragma once

#include <napi.h>

#include "binding/hazards.h"
#include "core/error.h"

namespace stridelab::binding {

/** The error made by the factory given to setErrorFactory, or a plain one with the same fields where none was
 * given. */
Napi::Value MakeError(Napi::Env env, const core::Error& error);

/** Runs the body of a native function; a core::Error leaves it as a JavaScript exception. */
template <typename Body>
auto Guarded(Napi::Env env, Body body) -> decltype(body()) {
  try {
    return WatchHazards(env, body);
  } catch (const core::Error& error) {
    throw Napi::Error(env, MakeError(env, error));
  }
}

}  // namespace stridelab::binding

// The frame of every call that goes into Python: the GIL, and what Python raises as an error of JavaScript.
#pragma once

#include <napi.h>

#include "binding/environment.h"
#include "binding/errors.h"
#include "binding/python_state.h"
#include "binding/python_values.h"
#include "core/error.h"
#include "python/gil.h"
#include "python/interrupts.h"
#include "python/owned.h"

namespace stridelab::binding {

/** The exception that is set, with its traceback, which is no longer set then. Needs the GIL. */
python::Owned TakeException();

/** Throws the exception that is set as JavaScript's own error for it, or JavaScriptStopped. Needs the GIL. */
[[noreturn]] void ThrowException(Napi::Env env);

/** Throws kind `argument` for an environment where Python was not started; notes it for the next time where
 * it was. */
void RequireStarted(Napi::Env env);

/** Runs `body` with the GIL; what Python raises there is thrown. */
template <typename Body>
Napi::Value InPython(Napi::Env env, Body body) {
  if (!PythonState::IsRecent(env)) RequireStarted(env);
  const python::Gil gil;
  const python::At place(python::PythonPlace::kInPython);
  try {
    const napi_value result = body();
    if (python::RaiseUnseenInterrupt()) throw PythonFailure{};
    return Napi::Value(env, result);
  } catch (const PythonFailure&) {
    python::RaiseUnseenInterrupt();
    ThrowException(env);
  }
}

}  // namespace stridelab::binding

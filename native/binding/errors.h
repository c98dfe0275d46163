// Conversion of exceptions in native code to exceptions in JavaScript.
//
// JavaScript can be stopped at any moment: by an interrupt of the notebook, by the end of a worker, by the
// `timeout` of node:vm. V8 then unwinds every JavaScript frame without running `catch` or `finally`. If the
// unwound JavaScript was called by a native frame, that call fails and Node-API reports a pending exception
// whose value is null. V8 continues to unwind when the native frame returns, unless the frame throws: its
// exception replaces the stop, and can be caught. Hence the rule:
//
//   Native code that observes a stop returns nothing and throws nothing into JavaScript.
//
// A function of the addon needs no code for that: a C++ exception carries the stop (a Napi::Error of null, or
// an empty one) to the frame of entry.h that JavaScript called, and ThrowIntoJavaScript ends it there.
// Code that catches Napi::Error itself must call IsStop and read the value with ThrownValue:
// Napi::Error::Value and ThrowAsJavaScriptException throw other C++ exceptions for null, and end the process
// in a noexcept frame. Only destructors clean up after a stop, and they call no JavaScript.
#pragma once

#include <napi.h>

#include <initializer_list>
#include <span>

#include "core/error.h"

namespace stridelab::binding {

/** Throws the pending exception, or an error, if a call of Node-API failed. */
inline void Require(napi_env env, napi_status status) {
  if (status != napi_ok) throw Napi::Error::New(env);
}

/**
 * Calls JavaScript, as napi_call_function does. For a function that is stopped just as it returns, that
 * reports success and leaves the stop pending, which would end the process in the next finalizer. This
 * returns napi_pending_exception then.
 */
napi_status CallJavaScript(napi_env env, napi_value receiver, napi_value function,
                           std::span<const napi_value> arguments, napi_value* result) noexcept;

/** Calls JavaScript with `this` undefined. Throws Napi::Error if the function throws or is stopped. */
Napi::Value CallJavaScript(const Napi::Function& function, std::initializer_list<napi_value> arguments = {});

/**
 * Makes an error with the factory given to setErrorFactory, or a plain one with the same fields if none was
 * given. The factory is JavaScript: throws Napi::Error if it does.
 */
Napi::Value MakeError(Napi::Env env, const core::Error& error);

/** Makes an error with the same fields without calling JavaScript. */
Napi::Object PlainError(Napi::Env env, const core::Error& error);

/** Rethrows the current exception; errors of libraries below the core become errors of the core. */
[[noreturn]] void RethrowCurrent();

/** Returns the thrown value, null after a stop. */
napi_value ThrownValue(const Napi::Error& error) noexcept;

/** True if the value is null, which marks a stop. A null that JavaScript throws counts as one too. */
bool IsStop(napi_env env, napi_value thrown) noexcept;
inline bool IsStop(const Napi::Error& error) noexcept { return IsStop(error.Env(), ThrownValue(error)); }

// The three functions below are called in a `catch (...)`. They do nothing for a stop.
//
// An exception thrown with napi_throw stays pending in Node until the native function has returned and Node
// has thrown it. V8 allocates memory for that, and so may collect garbage. The addon's finalizers run inside
// the collector; with an exception pending, Node takes it for theirs and ends the process.

/**
 * Throws the current exception to the calling JavaScript. The native function must return immediately,
 * without any call of Node-API.
 */
void ThrowIntoJavaScript(napi_env env) noexcept;

/** Leaves the current exception pending in Node-API, for a caller in another native addon. */
void LeavePending(napi_env env) noexcept;

/** Reports the current exception as uncaught. Only in a turn of the event loop. */
void ReportUncaught(napi_env env) noexcept;

/**
 * Returns the error that a constructor of node-addon-api must throw, which is empty for a stop. It becomes
 * pending, as with LeavePending, but only JavaScript that calls `new` itself observes that.
 */
Napi::Error PassedOn(Napi::Env env) noexcept;

}  // namespace stridelab::binding

// From what native code throws to what JavaScript catches.
//
// JavaScript can be stopped at any moment: by an interrupt of the notebook, by the end of a worker, by the
// `timeout` of node:vm. V8 then unwinds every JavaScript frame without running `catch` or `finally`. A native
// frame between them meets the stop when JavaScript that it called does not return: Node-API reports a
// pending exception whose value is null. V8 goes on unwinding when the native frame returns, unless that
// frame throws: what it throws takes the place of the stop, and can be caught. Hence the rule:
//
//   Native code that meets a stop returns nothing and throws nothing into JavaScript.
//
// Nothing has to be written for that in a function of the addon: a C++ exception carries the stop
// (Napi::Error of null, or JavaScriptStopped) to the frame of entry.h that JavaScript called, and
// ThrowIntoJavaScript ends it there. Code that catches Napi::Error itself asks IsStop and reads the value
// with ThrownValue; Napi::Error::Value and ThrowAsJavaScriptException throw C++ exceptions of their own for
// null, and end the process in a noexcept frame. What must be undone after a stop is undone by destructors,
// which call no JavaScript.
#pragma once

#include <napi.h>

#include "core/error.h"

namespace stridelab::binding {

/** JavaScript is being stopped: there is nothing to throw, and the call gives nothing. */
struct JavaScriptStopped {};

/**
 * The error made by the factory given to setErrorFactory, or a plain one with the same fields where none was
 * given. The factory is JavaScript: throws Napi::Error where it does.
 */
Napi::Value MakeError(Napi::Env env, const core::Error& error);

/** An error with the same fields, made without JavaScript. */
Napi::Object PlainError(Napi::Env env, const core::Error& error);

/** Throws what is being handled again; errors of libraries below the core as errors of the core. */
[[noreturn]] void RethrowCurrent();

/** What was thrown, null after a stop. */
napi_value ThrownValue(const Napi::Error& error) noexcept;

/** Whether this is what a stop leaves: null. JavaScript that throws null into native code is taken for one.
 */
bool IsStop(napi_env env, napi_value thrown) noexcept;
inline bool IsStop(const Napi::Error& error) noexcept { return IsStop(error.Env(), ThrownValue(error)); }

// The three functions below are for a `catch (...)`. They do nothing for a stop.
//
// An exception of napi_throw stays pending in Node until the native function has returned and Node has thrown
// it. V8 allocates memory for that, and so may collect garbage. The addon's finalizers run inside the
// collector; with an exception pending, Node takes it for theirs and ends the process.

/**
 * Throws what is being handled to the JavaScript that called. The native function has to return at once,
 * without any call of Node-API.
 */
void ThrowIntoJavaScript(napi_env env) noexcept;

/** Leaves what is being handled pending in Node-API, for a caller that is native code of another addon. */
void LeavePending(napi_env env) noexcept;

/** Makes what is being handled an uncaught exception. Only in a turn of the event loop. */
void ReportUncaught(napi_env env) noexcept;

/**
 * What a constructor of node-addon-api has to throw, which is an empty error for a stop. It becomes pending, as
 * with LeavePending, but only JavaScript that calls `new` itself meets one.
 */
Napi::Error PassedOn(Napi::Env env) noexcept;

}  // namespace stridelab::binding

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

/** What was thrown, null after a stop. */
napi_value ThrownValue(const Napi::Error& error) noexcept;

/** Whether this is what a stop leaves: null. JavaScript that throws null into native code is taken for one.
 */
bool IsStop(napi_env env, napi_value thrown) noexcept;
inline bool IsStop(const Napi::Error& error) noexcept { return IsStop(error.Env(), ThrownValue(error)); }

/** For a `catch (...)`: throws what is being handled as JavaScript's exception, and nothing for a stop. */
void ThrowIntoJavaScript(napi_env env) noexcept;

/** The same for constructors of node-addon-api, which throws what they throw: an empty error for a stop. */
Napi::Error PassedOn(Napi::Env env) noexcept;

}  // namespace stridelab::binding

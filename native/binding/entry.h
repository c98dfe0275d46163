// The only entry points through which JavaScript and its event loop call native code. They enforce the rule
// of errors.h for all code below them.
#pragma once

#include <napi.h>

#include <array>
#include <memory>
#include <span>
#include <string>

#include "binding/errors.h"
#include "binding/hazards.h"

namespace stridelab::binding {

class Call;
/** Implements a JavaScript function: call.h makes one from a C++ function. Null is returned as undefined. */
using Body = napi_value (*)(Call& call);
/** Wraps a body: holds what the body needs, or converts errors of a library below into those of the core. */
using Frame = napi_value (*)(Call& call, Body body);

/** A function or method of JavaScript, as a table entry declares it. */
struct Function {
  const char* name;
  Body body;
  /** The names of its JavaScript parameters, in errors. */
  std::array<const char*, 8> parameters{};
  Frame frame = nullptr;
  /** Whether its first C++ parameter is `this`. */
  bool method = false;
  /** Whether TurnIntoGetters makes it a property. */
  bool getter = false;
};
using Functions = std::span<const Function>;

/** Runs the Function in the callback's data: the entry point of every JavaScript call but a constructor's. */
napi_value Enter(napi_env env, napi_callback_info info) noexcept;

/** Makes an object that has each function as a property. */
Napi::Object DefineFunctions(Napi::Env env, Functions functions);

/** Runs the body of a constructor. */
template <typename Constructor>
void RunConstructor(Napi::Env env, Constructor body) {
  try {
    WatchHazards(env, body);
  } catch (...) {
    throw PassedOn(env);
  }
}

/**
 * Runs `OnTurn(env, context, data)` in a turn of the event loop, as the callback of a thread-safe function.
 * `env` is null if the environment has ended. An exception becomes an uncaught exception of JavaScript.
 */
template <void (*OnTurn)(napi_env env, void* context, void* data)>
void TurnEntry(napi_env env, napi_value, void* context, void* data) noexcept {
  try {
    OnTurn(env, context, data);
  } catch (...) {
    if (env != nullptr) ReportUncaught(env);
  }
}

/**
 * Makes a thread-safe function that runs `OnTurn` for `owner` and does not keep the process alive. It holds
 * the owner until the environment ends, and then calls its OnPosterGone.
 */
template <void (*OnTurn)(napi_env env, void* owner, void* data), typename Owner>
napi_threadsafe_function MakePoster(Napi::Env env, const char* name, const std::shared_ptr<Owner>& owner) {
  const auto finalize = [](napi_env, void* data, void*) {
    const std::unique_ptr<std::shared_ptr<Owner>> kept(static_cast<std::shared_ptr<Owner>*>(data));
    (*kept)->OnPosterGone();
  };
  auto kept = std::make_unique<std::shared_ptr<Owner>>(owner);
  napi_threadsafe_function poster = nullptr;
  if (napi_create_threadsafe_function(env, nullptr, nullptr, Napi::String::New(env, name), 0, 1, kept.get(),
                                      finalize, owner.get(), TurnEntry<OnTurn>, &poster) != napi_ok)
    throw Napi::Error::New(env, std::string("the queue of ") + name + " could not be made");
  static_cast<void>(kept.release());
  napi_unref_threadsafe_function(env, poster);
  return poster;
}

}  // namespace stridelab::binding

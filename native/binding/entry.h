// The ways by which JavaScript and its event loop come into native code: there are no others. They keep the
// rule of errors.h for everything below them.
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
/** Does what a function of JavaScript is for: call.h makes one of a C++ function. Null is undefined. */
using Body = napi_value (*)(Call& call);
/** Surrounds a body: holds what that needs, or turns errors of a library below into those of the core. */
using Frame = napi_value (*)(Call& call, Body body);

/** A function or method of JavaScript, as a line of a table declares it. */
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

/** Runs the Function that is the callback's data: every call from JavaScript but that of a constructor. */
napi_value Enter(napi_env env, napi_callback_info info) noexcept;

/** An object that has each function as a property. */
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
 * `env` is null where the environment has ended. What it throws becomes an uncaught exception of JavaScript.
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
 * A thread-safe function that runs `OnTurn` for `owner` and does not keep the process alive. It holds the owner
 * until the environment ends, and calls its OnPosterGone then.
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

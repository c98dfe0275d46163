// The only entry points through which JavaScript and its event loop call native code. They enforce the rule
// of errors.h for all code below them.
#pragma once

#include <napi.h>

#include <array>
#include <memory>
#include <mutex>
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
  /** True if its first C++ parameter is `this`. */
  bool method = false;
  /** True if TurnIntoGetters makes it a property. */
  bool getter = false;
};
using Functions = std::span<const Function>;

/** Runs the Function in the callback's data: the entry point of every JavaScript call but a constructor's. */
napi_value Enter(napi_env env, napi_callback_info info) noexcept;

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
 * Posts to the event loop of one environment until that ends. It is a member of its owner, which it keeps
 * alive until then, and does not keep the process alive.
 */
class Poster {
 public:
  /** Opens it on the JavaScript thread; `name` identifies it in errors. Each post runs `OnTurn`. When the
   * environment has ended, calls the owner's OnEnvironmentEnd if there is one. */
  template <void (*OnTurn)(napi_env env, void* owner, void* data), typename Owner>
  void Open(Napi::Env env, const char* name, const std::shared_ptr<Owner>& owner) {
    struct Kept {
      std::shared_ptr<Owner> owner;
      Poster& poster;
    };
    const auto finalize = [](napi_env, void* data, void*) {
      const std::unique_ptr<Kept> kept(static_cast<Kept*>(data));
      kept->poster.Close();
      if constexpr (requires { kept->owner->OnEnvironmentEnd(); }) kept->owner->OnEnvironmentEnd();
    };
    auto kept = std::make_unique<Kept>(owner, *this);
    if (napi_create_threadsafe_function(env, nullptr, nullptr, Napi::String::New(env, name), 0, 1, kept.get(),
                                        finalize, owner.get(), TurnEntry<OnTurn>, &function_) != napi_ok)
      throw Napi::Error::New(env, std::string("the queue of ") + name + " could not be created");
    static_cast<void>(kept.release());
    napi_unref_threadsafe_function(env, function_);
  }

  /** Posts `data`; false if the environment has ended. Any thread, even inside the garbage collector. */
  bool Post(void* data = nullptr) noexcept {
    const std::lock_guard lock(mutex_);
    return function_ != nullptr &&
           napi_call_threadsafe_function(function_, data, napi_tsfn_nonblocking) == napi_ok;
  }
  /** Sets whether posts keep the process alive. JavaScript thread. */
  void KeepAlive(napi_env env, bool keep) {
    (keep ? napi_ref_threadsafe_function : napi_unref_threadsafe_function)(env, function_);
  }

 private:
  void Close() {
    const std::lock_guard lock(mutex_);
    function_ = nullptr;
  }

  std::mutex mutex_;
  napi_threadsafe_function function_ = nullptr;
};

}  // namespace stridelab::binding

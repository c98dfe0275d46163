#include "binding/promise_worker.h"

#include <optional>
#include <utility>

#include "binding/call.h"

namespace stridelab::binding {
namespace {

/** Returns the reason to reject with: the error, or the error factory's own exception. Throws for a stop. */
Napi::Value RejectionReason(Napi::Env env, const core::Error& error) {
  try {
    return MakeError(env, error);
  } catch (const Napi::Error& thrown) {
    if (IsStop(thrown)) throw;
    return {env, ThrownValue(thrown)};
  }
}

class PromiseWorker : public Napi::AsyncWorker {
 public:
  PromiseWorker(Napi::Env env, std::function<void(const core::InterruptFlag&)> work, Napi::Value kept,
                std::function<Napi::Value(Napi::Env)> result)
      : Napi::AsyncWorker(env, "stridelab"),
        deferred_(Napi::Promise::Deferred::New(env)),
        interrupt_(Environment::Of(env).interrupt()),
        work_(std::move(work)),
        result_(std::move(result)) {
    Napi::Object held = Napi::Object::New(env);
    held.Set("argument", kept);
    const Napi::ObjectReference& flag = Environment::Of(env).hooks().interrupt.owner;
    if (!flag.IsEmpty()) held.Set("interruptFlag", flag.Value());
    kept_ = Napi::Persistent(held);
  }

  Napi::Promise promise() const { return deferred_.Promise(); }

 private:
  void Execute() override {
    try {
      work_(interrupt_);
    } catch (const core::Error& error) {
      failure_ = error;
    }
  }

  void OnOK() override {
    try {
      Settle();
    } catch (const Napi::Error&) {
      return;  // The environment is ending, so the promise cannot be settled.
    }
  }

  void Settle() {
    if (failure_) {
      deferred_.Reject(ReasonInAnyCase(*failure_));
    } else {
      deferred_.Resolve(result_ == nullptr ? Env().Undefined() : result_(Env()));
    }
  }

  /** Makes the reason without JavaScript if that is being stopped, so that the promise is always settled. */
  Napi::Value ReasonInAnyCase(const core::Error& failure) {
    try {
      return RejectionReason(Env(), failure);
    } catch (const Napi::Error&) {
      return PlainError(Env(), failure);
    }
  }

  Napi::Promise::Deferred deferred_;
  Napi::ObjectReference kept_;
  core::InterruptFlag interrupt_;
  std::function<void(const core::InterruptFlag&)> work_;
  std::function<Napi::Value(Napi::Env)> result_;
  std::optional<core::Error> failure_;
};

}  // namespace

Napi::Promise RunAsync(Napi::Env env, std::function<void(const core::InterruptFlag&)> work, Napi::Value kept,
                       std::function<Napi::Value(Napi::Env)> result) {
  auto* worker =
      new PromiseWorker(env, std::move(work), kept, std::move(result));  // Deletes itself when it has run.
  const Napi::Promise promise = worker->promise();
  worker->Queue();
  return promise;
}

Napi::Promise Resolved(Napi::Env env) {
  const auto deferred = Napi::Promise::Deferred::New(env);
  deferred.Resolve(env.Undefined());
  return deferred.Promise();
}

napi_value Promised(Call& call, Body body) {
  try {
    return body(call);
  } catch (...) {
    try {
      RethrowCurrent();
    } catch (const core::Error& error) {
      const Napi::Value reason = RejectionReason(call.env(), error);
      const auto deferred = Napi::Promise::Deferred::New(call.env());
      deferred.Reject(reason);
      return deferred.Promise();
    }
  }
}

}  // namespace stridelab::binding

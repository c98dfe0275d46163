#include "binding/python_async.h"

#include <mutex>
#include <utility>

#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/python_arguments.h"
#include "binding/python_handle.h"
#include "binding/python_scope.h"
#include "binding/python_state.h"
#include "binding/python_values.h"
#include "python/gil.h"
#include "python/interrupts.h"
#include "python/threads.h"

namespace stridelab::binding {

struct PythonPromises::Call {
  Owned callable;
  PythonArguments values;
  /** The exception if the call raised. */
  Owned result;
  bool raised = false;
  std::int32_t cell = python::CurrentCell();
  napi_deferred deferred = nullptr;
};

/** Whether the environment has closed to results that threads post. */
struct PythonPromises::Closing {
  std::mutex mutex;
  bool closed = false;
};

std::shared_ptr<PythonPromises> PythonPromises::Make(Napi::Env env) {
  std::shared_ptr<PythonPromises> promises(new PythonPromises);
  promises->env_ = env;
  promises->closing_ = std::make_shared<Closing>();
  promises->poster_ = MakePoster<OnDone>(env, "results from Python", promises);
  return promises;
}

void PythonPromises::Begin(const std::shared_ptr<Call>& call) {
  if (outstanding_++ == 0) napi_ref_threadsafe_function(env_, poster_);
  python::RunOnThread([call, poster = poster_, closing = closing_] {
    {
      const python::Gil gil;
      const python::AsyncScope interruptible(call->cell);
      try {
        call->result = CallWith(call->callable.get(), call->values);
      } catch (const PythonFailure&) {
        call->result = TakeException();
        call->raised = true;
      }
    }
    const std::lock_guard lock(closing->mutex);
    if (closing->closed) return;
    auto* posted = new std::shared_ptr<Call>(call);
    if (napi_call_threadsafe_function(poster, posted, napi_tsfn_nonblocking) != napi_ok) delete posted;
  });
}

void PythonPromises::OnDone(napi_env env, void* context, void* data) {
  const std::unique_ptr<std::shared_ptr<Call>> posted(static_cast<std::shared_ptr<Call>*>(data));
  if (env == nullptr) return;
  PythonPromises& home = *static_cast<PythonPromises*>(context);
  if (--home.outstanding_ == 0) napi_unref_threadsafe_function(env, home.poster_);
  Call& call = **posted;
  const Napi::HandleScope scope(env);
  const Napi::Array outcome = Napi::Array::New(env);
  const auto resolve = [&](bool raised, napi_value value) {
    outcome.Set(0u, Napi::Boolean::New(env, raised));
    outcome.Set(1u, value);
    napi_resolve_deferred(env, call.deferred, outcome);
  };
  try {
    const python::Gil gil;
    try {
      // The handle of an exception, or the value.
      resolve(call.raised, call.raised ? PythonHandle::Wrap(env, std::move(call.result))
                                       : FromPython(env, std::move(call.result)));
    } catch (const PythonFailure&) {
      resolve(true, PythonHandle::Wrap(env, TakeException()));
    }
  } catch (const Napi::Error& error) {
    // Null if JavaScript was stopped while it made an array: the promise is settled in any case.
    napi_reject_deferred(env, call.deferred, ThrownValue(error));
  }
}

void PythonPromises::OnPosterGone() {
  const std::lock_guard lock(closing_->mutex);
  closing_->closed = true;
}

napi_value CallPythonAsync(Env env, Environment& environment, PyObject* callable, PythonArguments&& values) {
  // Deleted with the GIL held, whichever thread releases it last.
  const std::shared_ptr<PythonPromises::Call> call(new PythonPromises::Call, [](PythonPromises::Call* held) {
    const python::Gil gil;
    delete held;
  });
  call->callable = Owned::Borrowed(callable);
  call->values = std::move(values);
  napi_value promise = nullptr;
  if (napi_create_promise(env, &call->deferred, &promise) != napi_ok) throw Napi::Error::New(env);
  PythonState& state = environment.python();
  if (state.promises == nullptr) state.promises = PythonPromises::Make(env);
  state.promises->Begin(call);
  return promise;
}

}  // namespace stridelab::binding

// Calls into Python on threads other than JavaScript's.
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/python_handle.h"
#include "binding/python_scope.h"
#include "binding/python_state.h"
#include "binding/python_values.h"
#include "python/gil.h"
#include "python/interrupts.h"

namespace stridelab::binding {
namespace {

constexpr std::size_t kMostThreads = 64;
constexpr std::chrono::seconds kIdle(10);

// Never destroyed: threads use it while the process ends.
struct Pool {
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<std::function<void()>> jobs;
  std::size_t threads = 0;
  std::size_t idle = 0;
};
Pool& ThePool() {
  static Pool& pool = *new Pool;
  return pool;
}

void Work() {
  Pool& pool = ThePool();
  std::unique_lock lock(pool.mutex);
  for (;;) {
    ++pool.idle;
    const bool found = pool.filled.wait_for(lock, kIdle, [&] { return !pool.jobs.empty(); });
    --pool.idle;
    if (!found) break;
    std::function<void()> job = std::move(pool.jobs.front());
    pool.jobs.pop_front();
    lock.unlock();
    job();
    // Destroyed without the mutex, since it needs the GIL.
    job = nullptr;
    lock.lock();
  }
  --pool.threads;
  lock.unlock();
  python::Gil::LeaveThread();
}

/**
 * Runs `job`, which takes the GIL itself, on an idle thread or a new one. libuv's threads are few, and the
 * process waits for them when it ends, indefinitely if Python does not return.
 */
void RunOnThread(std::function<void()> job) {
  Pool& pool = ThePool();
  const std::lock_guard lock(pool.mutex);
  pool.jobs.push_back(std::move(job));
  if (pool.jobs.size() > pool.idle && pool.threads < kMostThreads) {
    ++pool.threads;
    std::thread(Work).detach();
  }
  pool.filled.notify_one();
}

}  // namespace

/** Settles the promises of one environment's calls, on its thread, while it lives. */
class PythonPromises : public std::enable_shared_from_this<PythonPromises> {
 public:
  struct Call;

  static std::shared_ptr<PythonPromises> Make(Napi::Env env);

  /** Runs the call on a Python thread; the process does not exit before it is settled. The GIL is held. */
  void Begin(const std::shared_ptr<Call>& call);

 private:
  PythonPromises() = default;
  static void OnDone(napi_env env, void* context, void* data);

  napi_env env_ = nullptr;
  Poster poster_;
  std::size_t outstanding_ = 0;
};

struct PythonPromises::Call {
  Owned callable;
  PythonArguments values;
  /** The exception if the call raised. */
  Owned result;
  bool raised = false;
  std::int32_t cell = python::CurrentCell();
  napi_deferred deferred = nullptr;
};

std::shared_ptr<PythonPromises> PythonPromises::Make(Napi::Env env) {
  std::shared_ptr<PythonPromises> promises(new PythonPromises);
  promises->env_ = env;
  promises->poster_.Open<OnDone>(env, "results from Python", promises);
  return promises;
}

void PythonPromises::Begin(const std::shared_ptr<Call>& call) {
  if (outstanding_++ == 0) poster_.KeepAlive(env_, true);
  RunOnThread([call, self = shared_from_this()] {
    {
      const python::Gil gil;
      const python::AsyncScope interruptible(call->cell);
      try {
        call->result = CallWith(call->callable.get(), call->values);
      } catch (const Raised&) {
        call->result = TakeException();
        call->raised = true;
      }
    }
    auto* posted = new std::shared_ptr<Call>(call);
    if (!self->poster_.Post(posted)) delete posted;
  });
}

void PythonPromises::OnDone(napi_env env, void* context, void* data) {
  const std::unique_ptr<std::shared_ptr<Call>> posted(static_cast<std::shared_ptr<Call>*>(data));
  if (env == nullptr) return;
  PythonPromises& home = *static_cast<PythonPromises*>(context);
  if (--home.outstanding_ == 0) home.poster_.KeepAlive(env, false);
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
    } catch (const Raised&) {
      resolve(true, PythonHandle::Wrap(env, TakeException()));
    }
  } catch (const Napi::Error& error) {
    // Null if JavaScript was stopped while it made an array: the promise is settled in any case.
    napi_reject_deferred(env, call.deferred, ThrownValue(error));
  }
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
  Require(env, napi_create_promise(env, &call->deferred, &promise));
  PythonState& state = environment.python();
  if (state.promises == nullptr) state.promises = PythonPromises::Make(env);
  state.promises->Begin(call);
  return promise;
}

}  // namespace stridelab::binding

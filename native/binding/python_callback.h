// Python callables over JavaScript functions.
#pragma once

#include <napi.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "binding/entry.h"
#include "python/owned.h"

namespace stridelab::binding {

/**
 * Runs the functions of one environment on its JavaScript thread: directly if Python was called from there,
 * otherwise in a turn of its event loop, for which the calling thread waits. Outlives the environment, whose
 * functions then raise RuntimeError.
 */
class PythonCallbacks : public std::enable_shared_from_this<PythonCallbacks> {
 public:
  static std::shared_ptr<PythonCallbacks> Make(Napi::Env env);

  /**
   * Makes a Python callable over `function(names, ...values)`: positional values, then those of the keywords
   * `names`, undefined without any. The return value is converted; a thrown handle names the exception to
   * raise. With `only_told`, other threads get None immediately and do not wait. The GIL is held.
   */
  python::Owned Make(Napi::Function function, const std::string& name, bool only_told);
  /** Returns the function that Make was given, if `object` was made from it in this environment; otherwise
   * null. */
  static napi_value FunctionOf(napi_env env, python::PyObject* object);
  /** Makes later calls, and calls that threads wait for, raise RuntimeError, because the environment ends. */
  void Close();
  /** Called by the poster when the environment has ended. */
  void OnEnvironmentEnd() { Close(); }

 private:
  struct Callback;
  struct Request;

  PythonCallbacks() = default;
  static python::PyObject* OnCalled(python::PyObject* self, python::PyObject* const* arguments,
                                    python::Size count, python::PyObject* names);
  static void OnDropped(python::PyObject* capsule);
  static void OnPosted(napi_env env, void* context, void* data);

  /** Calls the function. Throws Napi::Error if JavaScript is being stopped. */
  python::PyObject* CallFunction(const Request& request);
  python::PyObject* Invoke(const Request& request);
  python::PyObject* InvokeElsewhere(std::shared_ptr<Request> request);
  /** Queues the call and returns None. */
  python::PyObject* Tell(python::PyObject* self, Request request);
  void Post(const std::shared_ptr<Request>& request);
  void DeleteDropped();

  napi_env env_ = nullptr;
  std::thread::id thread_;
  std::mutex mutex_;
  std::condition_variable answered_;
  Poster poster_;
  bool closed_ = false;
  std::vector<napi_ref> dropped_;
};

}  // namespace stridelab::binding

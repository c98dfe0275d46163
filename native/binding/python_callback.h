// JavaScript functions as Python calls them.
#pragma once

#include <napi.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "python/owned.h"

namespace stridelab::binding {

/**
 * Where the functions of one environment run: on its JavaScript thread, at once where Python was called from
 * there, and otherwise in a turn of its event loop, which the calling thread waits for. Outlives the
 * environment, whose functions then raise RuntimeError.
 */
class PythonCallbacks : public std::enable_shared_from_this<PythonCallbacks> {
 public:
  static std::shared_ptr<PythonCallbacks> Make(Napi::Env env);

  /**
   * A Python callable over `function(args, names)`: positional values, then those of the keywords `names`,
   * undefined without any. What it gives is converted; what it throws is a handle of the exception to raise.
   * One that is only told leaves other threads without an answer, None, at once. The GIL is held.
   */
  python::Owned Make(Napi::Function function, const std::string& name, bool only_told);
  /** The function that Make was given, where `object` came of it and of this environment; null for any other.
   */
  static napi_value FunctionOf(napi_env env, python::PyObject* object);
  /** Calls from now on raise RuntimeError, as do those that threads wait for: the environment ends. */
  void Close();
  /** For MakePoster. */
  void OnPosterGone() { Close(); }

 private:
  struct Callback;
  struct Request;

  PythonCallbacks() = default;
  static python::PyObject* OnCalled(python::PyObject* self, python::PyObject* const* arguments,
                                    python::Size count, python::PyObject* names);
  static void OnDropped(python::PyObject* capsule);
  static void OnPosted(napi_env env, void* context, void* data);

  python::PyObject* Invoke(const Request& request);
  python::PyObject* InvokeElsewhere(std::shared_ptr<Request> request);
  /** None, once the call is queued. */
  python::PyObject* Tell(python::PyObject* self, Request request);
  /** The mutex is held, and this is open. */
  void Post(const std::shared_ptr<Request>& request);
  void DeleteDropped();

  napi_env env_ = nullptr;
  std::thread::id thread_;
  std::mutex mutex_;
  std::condition_variable answered_;
  napi_threadsafe_function poster_ = nullptr;
  bool closed_ = false;
  std::vector<napi_ref> dropped_;
};

}  // namespace stridelab::binding

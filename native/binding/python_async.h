// Calls into Python on threads other than JavaScript's.
#pragma once

#include <napi.h>

#include <memory>

#include "python/owned.h"

namespace stridelab::binding {

class Environment;
class PythonArguments;
struct Env;

/** Settles the promises of one environment's calls, on its thread, while it lives. */
class PythonPromises : public std::enable_shared_from_this<PythonPromises> {
 public:
  struct Call;

  static std::shared_ptr<PythonPromises> Make(Napi::Env env);

  /** Runs the call on a Python thread; the process does not exit before it is settled. The GIL is held. */
  void Begin(const std::shared_ptr<Call>& call);
  /** Called by MakePoster: threads can post no more. */
  void OnPosterGone();

 private:
  PythonPromises() = default;
  static void OnDone(napi_env env, void* context, void* data);

  napi_env env_ = nullptr;
  napi_threadsafe_function poster_ = nullptr;
  std::size_t outstanding_ = 0;
  struct Closing;
  std::shared_ptr<Closing> closing_;
};

/** `callAsync` of NativePython: returns a promise of `[raised, value]`. The GIL is held. */
napi_value CallPythonAsync(Env env, Environment& environment, python::PyObject* callable,
                           PythonArguments&& values);

}  // namespace stridelab::binding

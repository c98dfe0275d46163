// The state of one environment for Python.
#pragma once

#include <napi.h>

#include <atomic>
#include <memory>
#include <optional>

#include "binding/python_callback.h"
#include "python/array_object.h"
#include "python/interpreter.h"
#include "python/interrupts.h"

namespace stridelab::binding {

class PythonPromises;

struct PythonState {
  /** Converts the handle of an exception to the error that JavaScript throws. */
  Napi::FunctionReference raise;
  std::shared_ptr<PythonCallbacks> callbacks;
  /** The services of this environment for exported arrays, and the functions that convert an object to a view
   * of an existing array or to a new array. Null and empty until an array is exchanged. */
  std::shared_ptr<python::ArrayHome> arrays;
  Napi::FunctionReference view;
  Napi::FunctionReference adopt;
  /** Keeps alive the memory that the interrupting thread reads. */
  Napi::ObjectReference interrupt_words;
  /** Made by the first asynchronous call. */
  std::shared_ptr<PythonPromises> promises;
  /** Set once Python was started here. */
  std::optional<python::Stay> stay;

  PythonState() = default;
  ~PythonState() {
    recent_.store(nullptr, std::memory_order_relaxed);
    if (arrays != nullptr) arrays->ended = true;
    if (callbacks != nullptr) callbacks->Close();
    if (!interrupt_words.IsEmpty()) python::ShareInterruptWords(nullptr);
  }
  PythonState(const PythonState&) = delete;
  PythonState& operator=(const PythonState&) = delete;

  /** True if this environment was the last one found to have Python, which saves calls the lookup. */
  static bool IsRecent(napi_env env) { return recent_.load(std::memory_order_relaxed) == env; }
  static void NoteRecent(napi_env env) { recent_.store(env, std::memory_order_relaxed); }

 private:
  static inline std::atomic<napi_env> recent_ = nullptr;
};

}  // namespace stridelab::binding

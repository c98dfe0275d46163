// What an environment keeps for Python.
#pragma once

#include <napi.h>

#include <memory>
#include <optional>

#include "binding/python_async.h"
#include "binding/python_callback.h"
#include "python/array_object.h"
#include "python/interrupts.h"
#include "python/interpreter.h"

namespace stridelab::binding {

struct PythonState {
  /** From the handle of an exception to the error that JavaScript throws. */
  Napi::FunctionReference raise;
  std::shared_ptr<PythonCallbacks> callbacks;
  /** What it does for arrays, and how they come back: a view of one that is there, a new one. Null, empty
   * before an array crosses. */
  std::shared_ptr<python::ArrayHome> arrays;
  Napi::FunctionReference view;
  Napi::FunctionReference adopt;
  /** Keeps the memory that the interrupting thread reads. */
  Napi::ObjectReference interrupt_words;
  /** Made by the first asynchronous call. */
  std::shared_ptr<PythonPromises> promises;
  /** Once it was started here. */
  std::optional<python::Stay> stay;

  PythonState() = default;
  ~PythonState() {
    if (arrays != nullptr) arrays->ended = true;
    if (callbacks != nullptr) callbacks->Close();
    if (!interrupt_words.IsEmpty()) python::ShareInterruptWords(nullptr);
  }
  PythonState(const PythonState&) = delete;
  PythonState& operator=(const PythonState&) = delete;
};

}  // namespace stridelab::binding

// Interrupts of Python code: a signal to the thread that started Python raises KeyboardInterrupt there.
#pragma once

#include <cstdint>

#include "python/api.h"

namespace stridelab::python {

/**
 * Shared 32-bit words through which the interrupting thread and the interrupted one communicate
 * (src/native/python-interrupts-binding.ts).
 */
enum class InterruptWord : std::size_t {
  /** The location of the thread that started Python: a PythonPlace. */
  kPlace,
  /** The signal that interrupts it; 0 while there is none. */
  kSignal,
  /** The number of signals that arrived. */
  kHeard,
  /** The number of signals that arrived in a call of Python, where they become KeyboardInterrupt. */
  kTaken,
  /** 1 while a taken signal waits for Python to handle it. */
  kPending,
  /** The number of these KeyboardInterrupts that no Python code caught. */
  kEscaped,
  /** The number of the cell to interrupt, plus 1; 0 for none. In another cell, a signal only makes system
   * calls return. */
  kWanted,
  /** The number of the running cell. */
  kCell,
};
inline constexpr std::size_t kInterruptWords = 8;

enum class PythonPlace : std::int32_t { kElsewhere, kInPython, kCalledOut };

/** Moves the shared words to `words`, or to memory of this library if it is null. Any thread. */
void ShareInterruptWords(std::int32_t* words);

/**
 * Preserves the process's SIGINT handler while Python starts, since loading Python's signal module replaces
 * it. `Install` then prepares the calling thread, which started Python and holds the GIL: Python regards
 * SIGINT as handled by KeyboardInterrupt, the process handles it as before, and `signal.signal` in Python
 * code changes only the former.
 */
class SigintKept {
 public:
  SigintKept();
  ~SigintKept();
  SigintKept(const SigintKept&) = delete;
  SigintKept& operator=(const SigintKept&) = delete;

  void Install();
};

/**
 * Sets the location of the calling thread, and restores it when destroyed; does nothing except on the thread
 * that started Python. The GIL is held at both ends.
 */
class At {
 public:
  explicit At(PythonPlace place);
  ~At();
  At(const At&) = delete;
  At& operator=(const At&) = delete;

 private:
  bool tracked_;
  std::int32_t before_ = 0;
};

/**
 * Raises KeyboardInterrupt for an interrupt that Python has not handled, in place of the current exception.
 * Returns false if there was none. Needs the GIL; called on every return from Python, so that no later call
 * is interrupted instead.
 */
bool RaiseUnseenInterrupt();

/** Counts the current exception, if it is KeyboardInterrupt, as one that passes into JavaScript. */
void NoteEscape();

/** Returns the cell that is running; calls on other threads belong to the cell that started them. */
std::int32_t CurrentCell();

/** Registers a call on a thread other than JavaScript's, while it runs. Needs the GIL. */
class AsyncScope {
 public:
  explicit AsyncScope(std::int32_t cell);
  ~AsyncScope();
  AsyncScope(const AsyncScope&) = delete;
  AsyncScope& operator=(const AsyncScope&) = delete;

 private:
  unsigned long thread_;
};

/** Raises KeyboardInterrupt in this cell's asynchronous calls, at their next step in Python code. Needs the
 * GIL. */
void InterruptAsyncCalls(std::int32_t cell);

}  // namespace stridelab::python

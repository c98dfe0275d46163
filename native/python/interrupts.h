// Interrupts that reach Python code: a signal to the thread that started Python becomes KeyboardInterrupt
// there.
#pragma once

#include <cstdint>

#include "python/api.h"

namespace stridelab::python {

/**
 * What the interrupting thread and the interrupted one tell each other, in 32-bit words of memory that both
 * know (src/native/python-interrupts-binding.ts).
 */
enum class InterruptWord : std::size_t {
  /** Where the thread that started Python is: a PythonPlace. */
  kPlace,
  /** The signal that interrupts it; 0 while there is none. */
  kSignal,
  /** Signals that arrived. */
  kHeard,
  /** Those that found Python on the stack, where they become KeyboardInterrupt. */
  kTaken,
  /** 1 while one was taken and Python has yet to see it. */
  kPending,
  /** KeyboardInterrupts of theirs that no Python code caught. */
  kEscaped,
  /** 1 while the next signal is to be taken; another one only makes system calls return. */
  kWanted,
  /** The cell that runs, by any number of its own. */
  kCell,
};
inline constexpr std::size_t kInterruptWords = 8;

enum class PythonPlace : std::int32_t { kElsewhere, kInPython, kCalledOut };

/** Has the words kept in `words` from now on; null for memory of the library's own. Any thread. */
void ShareInterruptWords(std::int32_t* words);

/**
 * While Python is started: keeps how the process handles SIGINT, which Python takes over as its signal module
 * is loaded. `Install` then readies the calling thread, which started Python and holds the GIL: Python sees
 * SIGINT handled by KeyboardInterrupt, the process handles it as before, and `signal.signal` of Python code
 * changes the former alone.
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
 * Says where the calling thread is, and goes back to where it was; nothing but on the thread that started
 * Python. The GIL is held at both ends.
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
 * Raises KeyboardInterrupt for an interrupt that Python did not come to see, in place of what is raised
 * already. False where there was none. With the GIL; whoever leaves Python calls it, so that no later call
 * meets it.
 */
bool RaiseUnseenInterrupt();

/** Tells the interrupting thread that the exception that is raised now goes on into JavaScript. */
void NoteEscape();

/** The cell that runs; calls on other threads belong to the one that began them. */
std::int32_t CurrentCell();

/** A call on another thread than JavaScript's, while it runs. With the GIL. */
class AsyncScope {
 public:
  explicit AsyncScope(std::int32_t cell);
  ~AsyncScope();
  AsyncScope(const AsyncScope&) = delete;
  AsyncScope& operator=(const AsyncScope&) = delete;

 private:
  unsigned long thread_;
};

/** Raises KeyboardInterrupt in those of this cell, at their next step in Python code. With the GIL.
 */
void InterruptAsyncCalls(std::int32_t cell);

}  // namespace stridelab::python

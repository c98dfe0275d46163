// Who may touch Python objects: a thread that holds the GIL.
#pragma once

#include <atomic>
#include <memory>

#include "python/api.h"

namespace stridelab::python {

/**
 * Holds the GIL while it lives; nests. Each thread keeps its thread state, because making one costs a hundred
 * times what a call does. Entering also lets go of the references that finalizers left.
 */
class Gil {
 public:
  Gil();
  ~Gil();
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;

  /** For the thread that started the interpreter, which holds the GIL then: keeps its state and lets go. */
  static void KeepStartingThread();
  static bool IsHeld();
  /** Has `flag` tell other threads whether the calling one is in Python, JavaScript that Python called
   * included. */
  static void Watch(std::atomic<bool>* flag);
  /** For a thread that ends and called Python: its state goes. */
  static void LeaveThread();

 private:
  bool entered_;
};

/** For a function that Python calls, on whatever thread: the GIL is held there already. */
class GilGiven {
 public:
  GilGiven();
  ~GilGiven();
  GilGiven(const GilGiven&) = delete;
  GilGiven& operator=(const GilGiven&) = delete;

 private:
  bool before_;
};

/** The opposite of Gil, around JavaScript that Python called: other threads of Python run meanwhile. */
class GilPause {
 public:
  GilPause();
  ~GilPause();
  GilPause(const GilPause&) = delete;
  GilPause& operator=(const GilPause&) = delete;
};

/** Around code that a library calls with the GIL or without, nobody knows which: without it inside, as it was
 * outside. */
class GilAside {
 public:
  GilAside();
  ~GilAside();
  GilAside(const GilAside&) = delete;
  GilAside& operator=(const GilAside&) = delete;

 private:
  bool before_;
  bool released_;
};

/** What must be destroyed with the GIL held. */
class NeedsGil {
 public:
  NeedsGil() = default;
  NeedsGil(const NeedsGil&) = delete;
  NeedsGil& operator=(const NeedsGil&) = delete;
  virtual ~NeedsGil() = default;
};

/** Drops a reference, by any thread, inside the collector too: done by whoever enters next. */
void DropLater(PyObject* object);
/** Destroys an object that needs the GIL, by any thread: done by whoever enters next. */
void DropLater(std::unique_ptr<NeedsGil> held);

}  // namespace stridelab::python

// Ownership of the GIL, which a thread needs to use Python objects.
#pragma once

#include <atomic>
#include <memory>

#include "python/api.h"

namespace stridelab::python {

/**
 * Holds the GIL while it lives; nests. Each thread keeps its thread state, because making one costs a hundred
 * times as much as a call. Entering also drops the references that finalizers queued.
 */
class Gil {
 public:
  Gil();
  ~Gil();
  Gil(const Gil&) = delete;
  Gil& operator=(const Gil&) = delete;

  /** Keeps the state of the thread that started the interpreter and releases the GIL, which it holds. */
  static void KeepStartingThread();
  /** Makes `flag` show other threads whether the calling one is in Python, including JavaScript called by
   * Python. */
  static void Watch(std::atomic<bool>* flag);
  /** Deletes the state of a thread that called Python and is about to end. */
  static void LeaveThread();

 private:
  bool entered_;
};

/** Marks the GIL as held in a function that Python calls, on any thread. */
class GilGiven {
 public:
  GilGiven();
  ~GilGiven();
  GilGiven(const GilGiven&) = delete;
  GilGiven& operator=(const GilGiven&) = delete;

 private:
  bool before_;
};

/** Releases the GIL around JavaScript that Python called, so that other Python threads can run. */
class GilPause {
 public:
  GilPause();
  ~GilPause();
  GilPause(const GilPause&) = delete;
  GilPause& operator=(const GilPause&) = delete;
};

/** Releases the GIL, if held, around code that a library calls with or without it; restores it afterwards. */
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

/** The base of objects that must be destroyed with the GIL held. */
class NeedsGil {
 public:
  NeedsGil() = default;
  NeedsGil(const NeedsGil&) = delete;
  NeedsGil& operator=(const NeedsGil&) = delete;
  virtual ~NeedsGil() = default;
};

/** Queues a reference to be dropped at the next entry into Python. Any thread, even inside the garbage
 * collector. */
void DropLater(PyObject* object);
/** Queues an object that needs the GIL to be destroyed at the next entry into Python. Any thread. */
void DropLater(std::unique_ptr<NeedsGil> held);

}  // namespace stridelab::python

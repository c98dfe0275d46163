#include "python/gil.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "python/fork.h"

namespace stridelab::python {
namespace {

/** The state of the calling thread, in one thread-local variable. */
struct ThisThread {
  PyThreadState* kept = nullptr;
  std::atomic<bool>* watched = nullptr;
  bool held = false;
  bool inside = false;

  void NoteInside(bool now) {
    inside = now;
    if (watched != nullptr) watched->store(now, std::memory_order_relaxed);
  }
};
thread_local constinit ThisThread thread;

// Never destroyed: finalizers of environments run while the process ends.
struct DropQueue {
  std::mutex mutex;
  std::vector<PyObject*> objects;
  std::vector<std::unique_ptr<NeedsGil>> held;
  std::atomic<bool> filled = false;
};
DropQueue& Queue() {
  static DropQueue& queue = *new DropQueue;
  return queue;
}

void DropQueued() {
  DropQueue& queue = Queue();
  std::vector<PyObject*> objects;
  std::vector<std::unique_ptr<NeedsGil>> held_back;
  {
    const std::lock_guard lock(queue.mutex);
    objects = std::exchange(queue.objects, {});
    held_back = std::exchange(queue.held, {});
    queue.filled.store(false, std::memory_order_relaxed);
  }
  for (PyObject* object : objects) api.Py_DecRef(object);
}

}  // namespace

void Gil::KeepStartingThread() { thread.kept = api.PyEval_SaveThread(); }

void Gil::Watch(std::atomic<bool>* flag) {
  thread.watched = flag;
  thread.NoteInside(thread.inside);
}

void Gil::LeaveThread() {
  if (thread.kept == nullptr) return;
  api.PyEval_RestoreThread(std::exchange(thread.kept, nullptr));
  // Balances PyGILState_Ensure in the thread's first Gil: its last release deletes the thread state.
  api.PyGILState_Release(1);
}

Gil::Gil() : entered_(!thread.held) {
  if (!entered_) return;
  if (thread.kept == nullptr) {
    // The state lasts as long as the thread: this call has no matching release.
    api.PyGILState_Ensure();
  } else {
    api.PyEval_RestoreThread(thread.kept);
  }
  thread.held = true;
  thread.NoteInside(true);
  if (Queue().filled.load(std::memory_order_relaxed)) DropQueued();
}

Gil::~Gil() {
  if (!entered_) return;
  if (IsForkedChild()) EndForkedChild();
  thread.held = false;
  thread.NoteInside(false);
  thread.kept = api.PyEval_SaveThread();
}

GilGiven::GilGiven() : before_(thread.held) { thread.held = true; }

GilGiven::~GilGiven() { thread.held = before_; }

GilPause::GilPause() {
  thread.held = false;
  thread.kept = api.PyEval_SaveThread();
}

GilPause::~GilPause() {
  api.PyEval_RestoreThread(thread.kept);
  thread.held = true;
}

// If a library releases the GIL itself, `thread.held` is still true here.
GilAside::GilAside() : before_(thread.held), released_(api.PyGILState_Check() == 1) {
  thread.held = false;
  if (released_) thread.kept = api.PyEval_SaveThread();
}

GilAside::~GilAside() {
  if (released_) api.PyEval_RestoreThread(thread.kept);
  thread.held = before_;
}

void DropLater(PyObject* object) {
  DropQueue& queue = Queue();
  const std::lock_guard lock(queue.mutex);
  queue.objects.push_back(object);
  queue.filled.store(true, std::memory_order_relaxed);
}

void DropLater(std::unique_ptr<NeedsGil> held) {
  DropQueue& queue = Queue();
  const std::lock_guard lock(queue.mutex);
  queue.held.push_back(std::move(held));
  queue.filled.store(true, std::memory_order_relaxed);
}

}  // namespace stridelab::python

#include "python/gil.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "python/fork.h"

namespace stridelab::python {
namespace {

thread_local PyThreadState* kept = nullptr;
thread_local bool held = false;
thread_local bool inside = false;
thread_local std::atomic<bool>* watched = nullptr;

void NoteInside(bool now) {
  inside = now;
  if (watched != nullptr) watched->store(now, std::memory_order_relaxed);
}

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

void Gil::KeepStartingThread() { kept = api.PyEval_SaveThread(); }

bool Gil::IsHeld() { return held; }

void Gil::Watch(std::atomic<bool>* flag) {
  watched = flag;
  NoteInside(inside);
}

void Gil::LeaveThread() {
  if (kept == nullptr) return;
  api.PyEval_RestoreThread(std::exchange(kept, nullptr));
  // As the first Gil of the thread got it: the last release of it is the end of the state.
  api.PyGILState_Release(1);
}

Gil::Gil() : entered_(!held) {
  if (!entered_) return;
  if (kept == nullptr) {
    // The state stays for as long as the thread: nothing releases this one.
    api.PyGILState_Ensure();
  } else {
    api.PyEval_RestoreThread(kept);
  }
  held = true;
  NoteInside(true);
  if (Queue().filled.load(std::memory_order_relaxed)) DropQueued();
}

Gil::~Gil() {
  if (!entered_) return;
  if (IsForkedChild()) EndForkedChild();
  held = false;
  NoteInside(false);
  kept = api.PyEval_SaveThread();
}

GilGiven::GilGiven() : before_(held) { held = true; }

GilGiven::~GilGiven() { held = before_; }

GilPause::GilPause() {
  held = false;
  kept = api.PyEval_SaveThread();
}

GilPause::~GilPause() {
  api.PyEval_RestoreThread(kept);
  held = true;
}

// What is released by a library itself is still noted as held here.
GilAside::GilAside() : before_(held), released_(api.PyGILState_Check() == 1) {
  held = false;
  if (released_) kept = api.PyEval_SaveThread();
}

GilAside::~GilAside() {
  if (released_) api.PyEval_RestoreThread(kept);
  held = before_;
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

#include "python/interrupts.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

#include "python/owned.h"

namespace stridelab::python {
namespace {

using Word = InterruptWord;

constexpr auto kOutside = static_cast<std::int32_t>(PythonPlace::kElsewhere);

std::array<std::int32_t, kInterruptWords> own_words{};
std::atomic<std::int32_t*> shared_words = own_words.data();
std::atomic<int> signal_number = 0;

pthread_t python_thread;
std::atomic<bool> thread_lives = false;
thread_local constinit bool is_python_thread = false;

struct ThreadEnd {
  ~ThreadEnd() {
    if (is_python_thread) thread_lives = false;
  }
};
thread_local ThreadEnd thread_end;

/** Python's C handler of all signals, which identifies handlers that Python installed. */
void (*python_handler)(int) = nullptr;
/** Whether Python handles SIGINT with the handler that records the signal as seen. */
std::atomic<bool> answers = false;

/** The cell whose call each thread runs. Never destroyed: calls may return while the process ends. */
std::map<unsigned long, std::int32_t>& AsyncThreads() {
  static auto& threads = *new std::map<unsigned long, std::int32_t>;
  return threads;
}

std::atomic_ref<std::int32_t> At32(Word word) {
  return std::atomic_ref(shared_words.load(std::memory_order_acquire)[static_cast<std::size_t>(word)]);
}

/** Signal handler: only async-signal-safe operations. */
void OnSignal(int number) {
  const int error = errno;
  if (!is_python_thread) {
    if (thread_lives) pthread_kill(python_thread, number);
  } else {
    if (At32(Word::kPlace) != kOutside && At32(Word::kWanted).exchange(0) != 0) {
      At32(Word::kPending) = 1;
      api.PyErr_SetInterrupt();
      At32(Word::kTaken) += 1;
    }
    At32(Word::kHeard) += 1;
  }
  errno = error;
}

/** Implements signal.default_int_handler. */
PyObject* OnInterruptSeen(PyObject*, PyObject* const*, Size, PyObject*) {
  At32(Word::kPending) = 0;
  api.PyErr_SetObject(api.PyExc_KeyboardInterrupt, nullptr);
  return nullptr;
}

bool IsProcessHandler(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN && action.sa_handler != python_handler;
}

struct sigaction kept_sigint{};
/** The replacement of signal.default_int_handler, null before it is made. */
PyObject* seen_handler = nullptr;

/** Implements _signal.signal, around the original `self`. */
PyObject* OnSetHandler(PyObject* self, PyObject* const* arguments, Size count, PyObject*) {
  if (count != 2) {
    api.PyErr_SetString(api.PyExc_TypeError, "signal() takes a signal and a handler");
    return nullptr;
  }
  int overflow = 0;
  const long long number = api.PyLong_AsLongLongAndOverflow(arguments[0], &overflow);
  if (number == -1 && api.PyErr_Occurred() != nullptr) return nullptr;
  struct sigaction before{};
  const bool known = overflow == 0 && sigaction(static_cast<int>(number), nullptr, &before) == 0;
  const Owned tuple(api.PyTuple_New(2));
  if (!tuple) return nullptr;
  for (Size index = 0; index < 2; ++index) {
    api.Py_IncRef(arguments[index]);
    api.PyTuple_SetItem(tuple.get(), index, arguments[index]);
  }
  Owned result(api.PyObject_Call(self, tuple.get(), nullptr));
  // Keeps the process's handlers: those of Node, which notify the program, and the default, with which Ctrl-C
  // ends it.
  if (result && known && (number == SIGINT || IsProcessHandler(before)))
    sigaction(static_cast<int>(number), &before, nullptr);
  if (result && number == SIGINT) answers = arguments[1] == seen_handler;
  return result.Release();
}

Method seen_method = {"default_int_handler", reinterpret_cast<void*>(OnInterruptSeen), kFastCallWithKeywords,
                      "Raises KeyboardInterrupt."};
Method set_method = {"signal", reinterpret_cast<void*>(OnSetHandler), kFastCallWithKeywords,
                     "Sets what Python does at a signal; how the process handles SIGINT stays."};

void SetAttribute(PyObject* object, const char* name, PyObject* value) {
  const Owned key(api.PyUnicode_InternFromString(name));
  if (key) api.PyObject_SetAttr(object, key.get(), value);
}

Owned Attribute(PyObject* object, const char* name) {
  const Owned key(api.PyUnicode_InternFromString(name));
  return Owned(key ? api.PyObject_GetAttr(object, key.get()) : nullptr);
}

}  // namespace

void ShareInterruptWords(std::int32_t* words) {
  std::int32_t* now = words != nullptr ? words : own_words.data();
  std::memcpy(now, shared_words.load(), sizeof own_words);
  shared_words = now;
}

SigintKept::SigintKept() { sigaction(SIGINT, nullptr, &kept_sigint); }

SigintKept::~SigintKept() { sigaction(SIGINT, &kept_sigint, nullptr); }

void SigintKept::Install() {
  const Owned signals(api.PyImport_ImportModule("signal"));
  const Owned core(api.PyImport_ImportModule("_signal"));
  const Owned original(core ? Attribute(core.get(), "signal") : Owned());
  if (!signals || !original) return api.PyErr_Clear();
  seen_handler = api.PyCFunction_NewEx(&seen_method, nullptr, nullptr);
  const Owned guarded(api.PyCFunction_NewEx(&set_method, original.get(), nullptr));
  // Programs compare with it, as asyncio does before it installs a different handler.
  SetAttribute(signals.get(), "default_int_handler", seen_handler);
  SetAttribute(core.get(), "default_int_handler", seen_handler);
  const Owned number(api.PyLong_FromLongLong(SIGINT));
  const Owned tuple(api.PyTuple_New(2));
  api.Py_IncRef(number.get());
  api.PyTuple_SetItem(tuple.get(), 0, number.get());
  api.Py_IncRef(seen_handler);
  api.PyTuple_SetItem(tuple.get(), 1, seen_handler);
  const Owned result(api.PyObject_Call(original.get(), tuple.get(), nullptr));
  // It fails only off Python's main thread, which this one is.
  if (!result) return api.PyErr_Clear();
  answers = true;
  struct sigaction action{};
  sigaction(SIGINT, nullptr, &action);
  python_handler = action.sa_handler;
  SetAttribute(core.get(), "signal", guarded.get());

  python_thread = pthread_self();
  is_python_thread = true;
  static_cast<void>(&thread_end);
  thread_lives = true;
  struct sigaction ours{};
  ours.sa_handler = OnSignal;
  // Without SA_RESTART: system calls return, so that Python checks for signals and restarts them.
  ours.sa_flags = SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  const int own_signal = SIGRTMIN + 5;
  sigaction(own_signal, &ours, nullptr);
  signal_number = own_signal;
  At32(Word::kSignal) = own_signal;
}

At::At(PythonPlace place) : tracked_(is_python_thread) {
  if (!tracked_) return;
  // Only this thread writes it; the signal handler, which reads it, runs on this thread.
  auto word = At32(Word::kPlace);
  before_ = word.load(std::memory_order_relaxed);
  word.store(static_cast<std::int32_t>(place), std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

At::~At() {
  if (!tracked_) return;
  At32(Word::kPlace).store(before_, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (before_ != kOutside || At32(Word::kPending).load(std::memory_order_relaxed) == 0) return;
  // The interrupt came too late for this call and must not affect the next: JavaScript is stopped instead.
  if (api.PyErr_CheckSignals() != 0) api.PyErr_Clear();
  At32(Word::kTaken) -= 1;
  At32(Word::kPending) = 0;
}

bool RaiseUnseenInterrupt() {
  if (At32(Word::kPending).load(std::memory_order_relaxed) == 0 || !is_python_thread) return false;
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  api.PyErr_Fetch(&type, &value, &traceback);
  const bool raised = api.PyErr_CheckSignals() != 0;
  At32(Word::kPending) = 0;
  if (!raised) {
    api.PyErr_Restore(type, value, traceback);
    return false;
  }
  const Owned dropped[] = {Owned(type), Owned(value), Owned(traceback)};
  return true;
}

void NoteEscape() {
  if (is_python_thread && api.PyErr_ExceptionMatches(api.PyExc_KeyboardInterrupt) != 0)
    At32(Word::kEscaped) += 1;
}

std::int32_t CurrentCell() { return At32(Word::kCell).load(std::memory_order_relaxed); }

AsyncScope::AsyncScope(std::int32_t cell) : thread_(api.PyThread_get_thread_ident()) {
  AsyncThreads()[thread_] = cell;
}

AsyncScope::~AsyncScope() {
  AsyncThreads().erase(thread_);
  // The thread is reused for other calls, which an interrupt of this one must not affect.
  api.PyThreadState_SetAsyncExc(thread_, nullptr);
}

void InterruptAsyncCalls(std::int32_t cell) {
  for (const auto& [thread, its_cell] : AsyncThreads())
    if (its_cell == cell) api.PyThreadState_SetAsyncExc(thread, api.PyExc_KeyboardInterrupt);
}

}  // namespace stridelab::python

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

/** How Python handles any signal in C, by which its handlers are told from the process's own. */
void (*python_handler)(int) = nullptr;
/** Whether Python handles SIGINT by what says that it saw the signal. */
std::atomic<bool> answers = false;

/** By thread, the cell whose call it runs. Never destroyed: threads come out of calls while the process ends.
 */
std::map<unsigned long, std::int32_t>& AsyncThreads() {
  static auto& threads = *new std::map<unsigned long, std::int32_t>;
  return threads;
}

std::atomic_ref<std::int32_t> At32(Word word) {
  return std::atomic_ref(shared_words.load(std::memory_order_acquire)[static_cast<std::size_t>(word)]);
}

/** In a signal handler: nothing but what is safe there. */
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

/** signal.default_int_handler. */
PyObject* OnInterruptSeen(PyObject*, PyObject* const*, Size, PyObject*) {
  At32(Word::kPending) = 0;
  api.PyErr_SetObject(api.PyExc_KeyboardInterrupt, nullptr);
  return nullptr;
}

bool IsProcessHandler(const struct sigaction& action) {
  return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN && action.sa_handler != python_handler;
}

struct sigaction kept_sigint{};
/** signal.default_int_handler, once there is one. */
PyObject* seen_handler = nullptr;

/** _signal.signal, around the original `self`. */
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
  // The process's own handlers stay: Node's, by which the program is told, and the default, by which Ctrl-C
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
  // Programs compare with it, as asyncio does before it puts its own in the place.
  SetAttribute(signals.get(), "default_int_handler", seen_handler);
  SetAttribute(core.get(), "default_int_handler", seen_handler);
  const Owned number(api.PyLong_FromLongLong(SIGINT));
  const Owned tuple(api.PyTuple_New(2));
  api.Py_IncRef(number.get());
  api.PyTuple_SetItem(tuple.get(), 0, number.get());
  api.Py_IncRef(seen_handler);
  api.PyTuple_SetItem(tuple.get(), 1, seen_handler);
  const Owned result(api.PyObject_Call(original.get(), tuple.get(), nullptr));
  // Refused off Python's main thread only, which this is.
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
  // System calls are to return: Python looks for signals then, and begins them again.
  ours.sa_flags = SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  const int own_signal = SIGRTMIN + 5;
  sigaction(own_signal, &ours, nullptr);
  signal_number = own_signal;
  At32(Word::kSignal) = own_signal;
}

At::At(PythonPlace place) : tracked_(is_python_thread) {
  if (!tracked_) return;
  // No other thread writes it; the signal's handler, which acts by it, runs on this one.
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
  // It came too late for this call, and is not the next one's: JavaScript is to be stopped instead.
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
  // The thread is kept for other calls, which an interrupt of this one does not concern.
  api.PyThreadState_SetAsyncExc(thread_, nullptr);
}

void InterruptAsyncCalls(std::int32_t cell) {
  for (const auto& [thread, its_cell] : AsyncThreads())
    if (its_cell == cell) api.PyThreadState_SetAsyncExc(thread, api.PyExc_KeyboardInterrupt);
}

}  // namespace stridelab::python

#include "python/interrupts.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>

#include "python/objects.h"

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
/** True if Python handles SIGINT with the handler that records the signal as seen. */
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
    // A signal may arrive late, in a cell that it is not for.
    if (At32(Word::kPlace) != kOutside && At32(Word::kWanted).exchange(0) == At32(Word::kCell) + 1) {
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
    api.PyErr_SetString(api.PyExc_TypeError, "signal() takes two arguments: a signal and a handler");
    return nullptr;
  }
  return CalledByPython([&] {
    const auto number = static_cast<int>(ToWhole(arguments[0]).value_or(0));
    struct sigaction before{};
    const bool known = sigaction(number, nullptr, &before) == 0;
    Owned result = Call(self, Owned::Borrowed(arguments[0]), Owned::Borrowed(arguments[1]));
    // Keeps the process's handlers: those of Node, which notify the program, and the default, with which
    // Ctrl-C ends it.
    if (known && (number == SIGINT || IsProcessHandler(before))) sigaction(number, &before, nullptr);
    if (number == SIGINT) answers = arguments[1] == seen_handler;
    return result;
  });
}

Method seen_method = {"default_int_handler", reinterpret_cast<void*>(OnInterruptSeen), kFastCallWithKeywords,
                      "Raises KeyboardInterrupt."};
Method set_method = {"signal", reinterpret_cast<void*>(OnSetHandler), kFastCallWithKeywords,
                     "Sets Python's handler of a signal; the process's handler of SIGINT does not change."};

/** Makes Python regard SIGINT as handled by `seen_method`, and its `signal.signal` call `set_method`. */
void InstallHandlers() {
  const Owned signals = Made(api.PyImport_ImportModule("signal"));
  const Owned core = Made(api.PyImport_ImportModule("_signal"));
  const Owned original = Made(api.PyObject_GetAttrString(core.get(), "signal"));
  const Owned guarded = Made(api.PyCFunction_NewEx(&set_method, original.get(), nullptr));
  seen_handler = Made(api.PyCFunction_NewEx(&seen_method, nullptr, nullptr)).Release();
  // Programs compare with it, as asyncio does before it installs a different handler.
  for (const Owned* module : {&signals, &core})
    Succeed(api.PyObject_SetAttrString(module->get(), "default_int_handler", seen_handler));
  // Fails only off Python's main thread, which this one is.
  Call(original.get(), Whole(SIGINT), Owned::Borrowed(seen_handler));
  answers = true;
  struct sigaction action{};
  sigaction(SIGINT, nullptr, &action);
  python_handler = action.sa_handler;
  Succeed(api.PyObject_SetAttrString(core.get(), "signal", guarded.get()));
}

}  // namespace

void ShareInterruptWords(std::int32_t* words) {
  std::int32_t* now = words != nullptr ? words : own_words.data();
  const std::int32_t cell = now[static_cast<std::size_t>(Word::kCell)];
  std::memcpy(now, shared_words.load(), sizeof own_words);
  // The kernel counts cells before Python starts.
  if (words != nullptr) now[static_cast<std::size_t>(Word::kCell)] = cell;
  shared_words = now;
}

SigintKept::SigintKept() { sigaction(SIGINT, nullptr, &kept_sigint); }

SigintKept::~SigintKept() { sigaction(SIGINT, &kept_sigint, nullptr); }

void SigintKept::Install() {
  try {
    InstallHandlers();
  } catch (const Raised&) {
    // Python's signal module is missing or changed: only JavaScript can then be interrupted.
    return api.PyErr_Clear();
  }
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
  ExceptionAside current;
  const bool raised = api.PyErr_CheckSignals() != 0;
  At32(Word::kPending) = 0;
  if (raised) current.Drop();
  return raised;
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

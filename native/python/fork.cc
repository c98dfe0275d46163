#include "python/fork.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

#include "python/objects.h"

namespace stridelab::python {
namespace {

std::atomic<bool> forked = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void Flush(PyObject* sys, const char* stream_name) {
  try {
    const Owned stream = Made(api.PyObject_GetAttrString(sys, stream_name));
    Call(Made(api.PyObject_GetAttrString(stream.get(), "flush")).get());
  } catch (const Raised&) {
    api.PyErr_Clear();
  }
}

}  // namespace

void NoticeForks() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { forked.store(true, std::memory_order_relaxed); });
  static_cast<void>(registered);
}

bool IsForkedChild() { return forked.load(std::memory_order_relaxed); }

void EndForkedChild() {
  constexpr std::string_view kMessage =
      "stridelab: a child of os.fork() returned to JavaScript, which cannot run in it, so the child exits. "
      "Call os._exit() in the child, or use subprocess or multiprocessing.\n";
  constexpr int kSoftwareError = 70;
  api.PyErr_Clear();
  const Owned sys(api.PyImport_ImportModule("sys"));
  if (sys) {
    Flush(sys.get(), "stdout");
    Flush(sys.get(), "stderr");
  }
  static_cast<void>(!write(STDERR_FILENO, kMessage.data(), kMessage.size()));
  _exit(kSoftwareError);
}

}  // namespace stridelab::python

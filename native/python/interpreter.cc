#include "python/interpreter.h"

#include <fcntl.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "core/error.h"
#include "python/fork.h"
#include "python/gil.h"
#include "python/interrupts.h"

namespace stridelab::python {
namespace {

// Never destroyed: threads may use it while the process ends.
struct State {
  std::mutex mutex;
  bool running = false;
  /** True if a start failed midway, which cannot be retried in this process. */
  bool broken = false;
  std::string library;
  std::string executable;
  std::thread::id thread;
  int stays = 0;
};
State& TheState() {
  static State& state = *new State;
  return state;
}

[[noreturn]] void Refuse(const StartRequest& request, const std::string& reason) {
  throw core::Error("Python cannot start in this process: " + reason, {request.library});
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size());
  for (std::string& text : texts) pointers.push_back(text.data());
  return pointers;
}

/** Starts CPython 3.14 or newer: options by name, errors as text. */
void StartByName(const StartRequest& request) {
  void* config = api.PyInitConfig_Create();
  if (config == nullptr) Refuse(request, "out of memory");
  const std::unique_ptr<void, void (*)(void*)> owner(config, api.PyInitConfig_Free);
  std::vector<std::string> arguments = request.arguments;
  const std::vector<char*> pointers = Pointers(arguments);
  const bool started = api.PyInitConfig_SetInt(config, "install_signal_handlers", 0) == 0 &&
                       api.PyInitConfig_SetInt(config, "parse_argv", 1) == 0 &&
                       api.PyInitConfig_SetStrList(config, "argv", pointers.size(), pointers.data()) == 0 &&
                       api.Py_InitializeFromInitConfig(config) == 0;
  if (started) return;
  const char* message = nullptr;
  api.PyInitConfig_GetError(config, &message);
  Refuse(request, message != nullptr ? message : "the interpreter gave no reason");
}

/** Storage for a PyConfig, which is never declared here: larger than it in any version, with access to its
 * ints. */
struct alignas(std::max_align_t) ConfigBlock {
  std::array<char, 65536> bytes{};

  int number(std::size_t index) const {
    int value = 0;
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
    return value;
  }
  void set_number(std::size_t index, int value) {
    std::memcpy(bytes.data() + index * sizeof value, &value, sizeof value);
  }
};

// Indices of `isolated`, `use_environment` and `install_signal_handlers` among the leading ints of PyConfig.
constexpr std::size_t kIsolated = 1;
constexpr std::size_t kUseEnvironment = 2;
constexpr std::size_t kInstallSignalHandlers = 4;

/** Checks the indices with two presets of the interpreter, whose values differ. */
bool HasExpectedLayout() {
  const auto plain = std::make_unique<ConfigBlock>();
  const auto isolated = std::make_unique<ConfigBlock>();
  api.PyConfig_InitPythonConfig(plain.get());
  api.PyConfig_InitIsolatedConfig(isolated.get());
  const bool expected = plain->number(kIsolated) == 0 && isolated->number(kIsolated) == 1 &&
                        isolated->number(kUseEnvironment) == 0 &&
                        plain->number(kInstallSignalHandlers) == 1 &&
                        isolated->number(kInstallSignalHandlers) == 0;
  api.PyConfig_Clear(plain.get());
  api.PyConfig_Clear(isolated.get());
  return expected;
}

void StartByConfig(const StartRequest& request) {
  if (!HasExpectedLayout()) {
    Refuse(request, std::string("the layout of PyConfig in ") + api.Py_GetVersion() +
                        " is unknown: use CPython 3.9 to 3.14");
  }
  const auto config = std::make_unique<ConfigBlock>();
  api.PyConfig_InitPythonConfig(config.get());
  config->set_number(kInstallSignalHandlers, 0);
  std::vector<std::string> arguments = request.arguments;
  const std::vector<char*> pointers = Pointers(arguments);
  Status status =
      api.PyConfig_SetBytesArgv(config.get(), static_cast<Size>(pointers.size()), pointers.data());
  if (api.PyStatus_Exception(status) == 0) status = api.Py_InitializeFromConfig(config.get());
  const bool failed = api.PyStatus_Exception(status) != 0;
  const std::string reason = status.message != nullptr ? status.message : "the interpreter gave no reason";
  api.PyConfig_Clear(config.get());
  if (failed) Refuse(request, reason);
}

/**
 * Makes the standard streams inheritable. Node sets close-on-exec on them and passes them to its children
 * explicitly. Python's subprocess, `os.system` and C libraries rely on inheritance.
 */
void InheritStandardStreams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    const int flags = fcntl(descriptor, F_GETFD);
    if (flags >= 0) fcntl(descriptor, F_SETFD, flags & ~FD_CLOEXEC);
  }
}

/** True if both are the same Python: all of `bin/python*` in a folder, but no links to another folder. */
bool IsSame(const State& state, const StartRequest& request) {
  const auto folder = [](const std::string& file) { return std::filesystem::path(file).parent_path(); };
  return state.library == request.library && folder(state.executable) == folder(request.arguments.at(0));
}

void RefuseAnother(const State& state, const StartRequest& request) {
  if (!IsSame(state, request))
    Refuse(request, "it already runs " + state.executable + ", and a process can run only one Python");
  if (state.stays > 0 && state.thread != std::this_thread::get_id()) {
    Refuse(request,
           "another thread started it, and only that thread can call it: send that thread messages, or start "
           "Python in a separate process");
  }
}

}  // namespace

void Start(const StartRequest& request) {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  if (state.running) return RefuseAnother(state, request);
  if (state.broken) {
    Refuse(request, "an earlier start failed midway and cannot be undone: restart the program");
  }
  const std::string failure = OpenLibrary(request.library);
  if (!failure.empty()) Refuse(request, failure);
  if (api.Py_IsInitialized() == 0) {
    SigintKept sigint;
    // Reset when the start has succeeded.
    state.broken = true;
    if (api.has_init_config()) {
      StartByName(request);
    } else {
      StartByConfig(request);
    }
    sigint.Install();
    InheritStandardStreams();
    state.broken = false;
    FindLayout();
    Gil::KeepStartingThread();
  }
  NoticeForks();
  state.running = true;
  state.library = request.library;
  state.executable = request.arguments.at(0);
}

Stay::Stay() {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  ++state.stays;
  state.thread = std::this_thread::get_id();
}

Stay::~Stay() {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  --state.stays;
}

std::string Version() { return api.Py_GetVersion(); }

}  // namespace stridelab::python

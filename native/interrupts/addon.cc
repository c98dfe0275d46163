// Interrupts JavaScript from another thread with V8 functions that Node exports, since Node-API has none. It
// is a separate addon, so that kernels whose cells use no arrays need not load the native core.
#include <dlfcn.h>
#include <node_api.h>

#include <atomic>
#include <mutex>

namespace {

using InterruptCallback = void (*)(void* isolate, void* data);

struct Engine {
  void* (*current_isolate)();
  void (*request_interrupt)(void* isolate, InterruptCallback callback, void* data);
  void (*terminate)(void* isolate);
};

template <typename Function>
void Find(Function& function, const char* symbol) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, symbol));
}

const Engine& V8() {
  static const Engine engine = [] {
    Engine found{};
    Find(found.current_isolate, "_ZN2v87Isolate10GetCurrentEv");
    Find(found.request_interrupt, "_ZN2v87Isolate16RequestInterruptEPFvPS0_PvES2_");
    Find(found.terminate, "_ZN2v87Isolate18TerminateExecutionEv");
    return found;
  }();
  return engine;
}

/** The thread whose JavaScript can be interrupted. */
struct Followed {
  void* isolate;
  napi_env env;
  napi_ref look;
};
Followed followed;
/** Held while an interrupt is requested, so that the isolate is not destroyed at the same time. */
std::mutex mutex;

/** Set from a request until V8 calls back, so that a long native call does not queue many callbacks. */
std::atomic<bool> requested = false;

/** Consecutive calls of `look` that failed, as they do when infinite recursion has filled the stack. */
int without_room = 0;
constexpr int kMostWithoutRoom = 10;

/** Calls `look`; returns true if it asks to stop the interrupted code, or has failed too often. */
bool Looks(napi_env env) {
  napi_value look = nullptr;
  napi_value global = nullptr;
  napi_value answer = nullptr;
  bool stops = false;
  if (napi_get_reference_value(env, followed.look, &look) != napi_ok) return false;
  if (napi_get_global(env, &global) != napi_ok) return false;
  if (napi_call_function(env, global, look, 0, nullptr, &answer) == napi_ok) {
    without_room = 0;
    return napi_get_value_bool(env, answer, &stops) == napi_ok && stops;
  }
  napi_value thrown = nullptr;
  napi_valuetype type = napi_undefined;
  static_cast<void>(napi_get_and_clear_last_exception(env, &thrown));
  // An earlier callback's termination, which is no object, ended this call instead of the interrupted code.
  if (napi_typeof(env, thrown, &type) != napi_ok || type != napi_object) return true;
  if (++without_room < kMostWithoutRoom) return false;
  without_room = 0;
  return true;
}

/** Interrupt callback, which V8 runs on the followed thread while that executes JavaScript. */
void OnInterrupt(void* isolate, void*) {
  requested = false;
  napi_handle_scope scope = nullptr;
  if (followed.env == nullptr || napi_open_handle_scope(followed.env, &scope) != napi_ok) return;
  const bool stops = Looks(followed.env);
  napi_close_handle_scope(followed.env, scope);
  if (stops) V8().terminate(isolate);
}

void Forget(void*) {
  const std::lock_guard lock(mutex);
  followed = {};
}

/** Makes this thread the one that `request` interrupts; its argument `look` returns whether to stop. */
napi_value Follow(napi_env env, napi_callback_info info) {
  std::size_t count = 1;
  napi_value look = nullptr;
  if (napi_get_cb_info(env, info, &count, &look, nullptr, nullptr) != napi_ok) return nullptr;
  const std::lock_guard lock(mutex);
  if (napi_create_reference(env, look, 1, &followed.look) != napi_ok) return nullptr;
  followed.env = env;
  followed.isolate = V8().current_isolate();
  napi_add_env_cleanup_hook(env, Forget, nullptr);
  return nullptr;
}

/** Requests an interrupt, from any thread; `look` is called when the followed thread runs JavaScript. */
napi_value Request(napi_env, napi_callback_info) {
  const std::lock_guard lock(mutex);
  if (followed.isolate != nullptr && !requested.exchange(true))
    V8().request_interrupt(followed.isolate, OnInterrupt, nullptr);
  return nullptr;
}

bool Export(napi_env env, napi_value exports, const char* name, napi_callback body) {
  napi_value function = nullptr;
  return napi_create_function(env, name, NAPI_AUTO_LENGTH, body, nullptr, &function) == napi_ok &&
         napi_set_named_property(env, exports, name, function) == napi_ok;
}

}  // namespace

NAPI_MODULE_INIT() {
  const Engine& engine = V8();
  if (engine.current_isolate == nullptr || engine.request_interrupt == nullptr ||
      engine.terminate == nullptr) {
    napi_throw_error(env, nullptr, "this Node.js does not export V8's functions for interrupts");
    return nullptr;
  }
  if (!Export(env, exports, "follow", Follow) || !Export(env, exports, "request", Request)) return nullptr;
  return exports;
}

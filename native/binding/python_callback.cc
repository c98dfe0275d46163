#include "binding/python_callback.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "binding/entry.h"
#include "binding/python_handle.h"
#include "binding/python_values.h"
#include "core/error.h"
#include "python/fork.h"
#include "python/gil.h"
#include "python/interrupts.h"
#include "python/raise.h"

namespace stridelab::binding {
namespace {

constexpr const char* kCapsuleName = "stridelab.javascript_function";

PyObject* Raise(const std::string& message) {
  api.PyErr_SetString(api.PyExc_RuntimeError, message.c_str());
  return nullptr;
}

PyObject* RaiseEnded() { return Raise("the JavaScript environment of this function has ended"); }

/** Raises an exception that handlers of other exceptions do not swallow. */
PyObject* RaiseStopped() {
  if (!python::RaiseUnseenInterrupt())
    api.PyErr_SetString(api.PyExc_KeyboardInterrupt, "JavaScript that Python called was interrupted");
  return nullptr;
}

/** Raises what the function threw: the exception of a handle, or RaiseStopped for any other value. */
PyObject* RaiseThrown(napi_env env) {
  napi_value thrown = nullptr;
  const bool caught = napi_get_and_clear_last_exception(env, &thrown) == napi_ok;
  PyObject* exception = caught ? PythonHandle::Find(env, thrown) : nullptr;
  if (exception == nullptr) return RaiseStopped();
  const Owned type(api.PyObject_Type(exception));
  api.PyErr_SetObject(type.get(), exception);
  return nullptr;
}

/** The number of arguments of most calls, with that for the names of keywords. */
constexpr std::size_t kFewArguments = 8;

/** Converts a tuple of str. */
napi_value NamesOf(napi_env env, PyObject* names) {
  const Napi::Array list = Napi::Array::New(env);
  for (python::Size index = 0; index < api.PyTuple_Size(names); ++index) {
    list.Set(static_cast<std::uint32_t>(index),
             FromPython(env, Owned::Borrowed(api.PyTuple_GetItem(names, index))));
  }
  return list;
}

}  // namespace

struct PythonCallbacks::Callback {
  std::shared_ptr<PythonCallbacks> home;
  napi_ref function;
  std::string name;
  bool only_told;
  python::Method method;
};

struct PythonCallbacks::Request {
  const Callback* callback;
  PyObject* const* arguments;
  python::Size count;
  /** A tuple of str, null without keywords. */
  PyObject* names;
  PyObject* result = nullptr;
  /** The exception if the call raised: its destructor sets it on the thread that waits. */
  std::unique_ptr<python::ExceptionAside> raised{};
  enum class State { kPosted, kRunning, kAnswered } state = State::kPosted;
  /** References for a caller that does not wait: the function's capsule, the arguments and the names. */
  std::vector<Owned> kept{};
  std::vector<PyObject*> pointers{};
};

std::shared_ptr<PythonCallbacks> PythonCallbacks::Make(Napi::Env env) {
  std::shared_ptr<PythonCallbacks> callbacks(new PythonCallbacks);
  callbacks->env_ = env;
  callbacks->thread_ = std::this_thread::get_id();
  callbacks->poster_.Open<OnPosted>(env, "calls from Python", callbacks);
  return callbacks;
}

Owned PythonCallbacks::Make(Napi::Function function, const std::string& name, bool only_told) {
  auto callback = std::make_unique<Callback>();
  callback->home = shared_from_this();
  callback->name = name;
  callback->only_told = only_told;
  callback->method = {callback->name.c_str(), reinterpret_cast<void*>(OnCalled),
                      python::kFastCallWithKeywords, "A JavaScript function."};
  Owned capsule = Made(api.PyCapsule_New(callback.get(), kCapsuleName, OnDropped));
  if (napi_create_reference(env_, function, 1, &callback->function) != napi_ok) {
    callback->function = nullptr;
    throw Napi::Error::New(env_);
  }
  python::Method* method = &callback.release()->method;
  return Made(api.PyCFunction_NewEx(method, capsule.get(), nullptr));
}

PyObject* PythonCallbacks::OnCalled(PyObject* self, PyObject* const* arguments, python::Size count,
                                    PyObject* names) {
  const python::GilGiven given;
  const auto* callback = static_cast<const Callback*>(api.PyCapsule_GetPointer(self, kCapsuleName));
  if (callback == nullptr) return nullptr;
  if (python::IsForkedChild()) return Raise("JavaScript functions cannot be called in a forked child");
  Request request{callback, arguments, count, names};
  PythonCallbacks& home = *callback->home;
  if (std::this_thread::get_id() == home.thread_) return home.Invoke(request);
  if (callback->only_told) return home.Tell(self, std::move(request));
  return home.InvokeElsewhere(std::make_shared<Request>(std::move(request)));
}

PyObject* PythonCallbacks::Tell(PyObject* self, Request request) {
  const python::Size keywords = request.names == nullptr ? 0 : api.PyTuple_Size(request.names);
  for (python::Size index = 0; index < request.count + keywords; ++index) {
    request.pointers.push_back(request.arguments[index]);
    request.kept.push_back(Owned::Borrowed(request.arguments[index]));
  }
  request.kept.push_back(Owned::Borrowed(self));
  request.kept.push_back(Owned::Borrowed(request.names));
  // Deleted with the GIL held, whichever thread releases it last.
  const auto drop = [](Request* told) {
    const python::Gil gil;
    delete told;
  };
  const std::shared_ptr<Request> told(new Request(std::move(request)), drop);
  told->arguments = told->pointers.data();
  const std::lock_guard lock(mutex_);
  if (closed_) return RaiseEnded();
  Post(told);
  return python::None().Release();
}

void PythonCallbacks::Post(const std::shared_ptr<Request>& request) {
  auto* posted = new std::shared_ptr<Request>(request);
  if (!poster_.Post(posted)) delete posted;
}

PyObject* PythonCallbacks::CallFunction(const Request& request) {
  const Napi::HandleScope scope(env_);
  const python::Size keywords = request.names == nullptr ? 0 : api.PyTuple_Size(request.names);
  napi_value undefined = Napi::Env(env_).Undefined();
  const auto count = static_cast<std::size_t>(request.count + keywords);
  std::array<napi_value, kFewArguments> few;
  std::vector<napi_value> many;
  if (count >= few.size()) many.resize(count + 1);
  const std::span<napi_value> values(many.empty() ? few.data() : many.data(), count + 1);
  values[0] = keywords == 0 ? undefined : NamesOf(env_, request.names);
  for (std::size_t index = 0; index < count; ++index)
    values[index + 1] = FromPython(env_, Owned::Borrowed(request.arguments[index]));
  napi_value function = nullptr;
  napi_get_reference_value(env_, request.callback->function, &function);
  napi_value result = nullptr;
  napi_status status = napi_ok;
  {
    const python::At place(python::PythonPlace::kCalledOut);
    const python::GilPause pause;
    status = CallJavaScript(env_, undefined, function, values, &result);
  }
  return status == napi_ok ? ToPython(env_, result).Release() : RaiseThrown(env_);
}

PyObject* PythonCallbacks::Invoke(const Request& request) {
  if (closed_) return RaiseEnded();
  return python::CalledByPython<PyObject*>(nullptr, [&] {
    try {
      return CallFunction(request);
    } catch (const Napi::Error& error) {
      return IsStop(error) ? RaiseStopped() : Raise(error.what());
    }
  });
}

PyObject* PythonCallbacks::InvokeElsewhere(std::shared_ptr<Request> request) {
  using State = Request::State;
  State state = State::kPosted;
  {
    const python::GilPause pause;
    std::unique_lock lock(mutex_);
    if (!closed_) Post(request);
    // A running call is waited for: it uses this thread's arguments.
    answered_.wait(lock, [&] {
      return request->state == State::kAnswered || (closed_ && request->state == State::kPosted);
    });
    state = request->state;
  }
  if (state != State::kAnswered) return RaiseEnded();
  request->raised.reset();
  return request->result;
}

void PythonCallbacks::OnPosted(napi_env env, void* context, void* data) {
  using State = Request::State;
  PythonCallbacks& home = *static_cast<PythonCallbacks*>(context);
  if (env != nullptr) home.DeleteDropped();
  if (data == nullptr) return;
  const std::unique_ptr<std::shared_ptr<Request>> posted(static_cast<std::shared_ptr<Request>*>(data));
  Request& request = **posted;
  {
    const std::lock_guard lock(home.mutex_);
    // The waiting thread has given up, or is about to.
    if (home.closed_ || env == nullptr) return;
    request.state = State::kRunning;
  }
  {
    const python::Gil gil;
    request.result = home.Invoke(request);
    if (request.callback->only_told) {
      const Owned ignored(request.result);
      if (request.result == nullptr) api.PyErr_WriteUnraisable(nullptr);
      return;
    }
    if (request.result == nullptr) request.raised = std::make_unique<python::ExceptionAside>();
  }
  const std::lock_guard lock(home.mutex_);
  request.state = State::kAnswered;
  home.answered_.notify_all();
}

void PythonCallbacks::OnDropped(PyObject* capsule) {
  const std::unique_ptr<Callback> callback(
      static_cast<Callback*>(api.PyCapsule_GetPointer(capsule, kCapsuleName)));
  if (callback == nullptr || callback->function == nullptr) return;
  PythonCallbacks& home = *callback->home;
  const std::lock_guard lock(home.mutex_);
  if (home.closed_) return;
  home.dropped_.push_back(callback->function);
  home.poster_.Post();
}

void PythonCallbacks::DeleteDropped() {
  std::vector<napi_ref> dropped;
  {
    const std::lock_guard lock(mutex_);
    dropped = std::exchange(dropped_, {});
  }
  for (napi_ref function : dropped) napi_delete_reference(env_, function);
}

void PythonCallbacks::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  answered_.notify_all();
}

napi_value PythonCallbacks::FunctionOf(napi_env env, PyObject* object) {
  PyObject* self = api.PyCFunction_GetSelf(object);
  const Owned type(self == nullptr ? nullptr : api.PyObject_Type(self));
  if (type.get() != api.PyCapsule_Type) return nullptr;
  const auto* callback = static_cast<const Callback*>(api.PyCapsule_GetPointer(self, kCapsuleName));
  if (callback == nullptr) {
    api.PyErr_Clear();  // Another extension's capsule.
    return nullptr;
  }
  napi_value function = nullptr;
  if (callback->home->env_ == env) napi_get_reference_value(env, callback->function, &function);
  return function;
}

}  // namespace stridelab::binding

#include "binding/python_scope.h"

#include "python/gil.h"
#include "python/interrupts.h"

namespace stridelab::binding {

using python::api;

Owned TakeException() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  api.PyErr_Fetch(&type, &value, &traceback);
  api.PyErr_NormalizeException(&type, &value, &traceback);
  const Owned owned_type(type);
  const Owned owned_traceback(traceback);
  if (traceback != nullptr) api.PyException_SetTraceback(value, traceback);
  return Owned(value);
}

void ThrowException(Napi::Env env) {
  python::NoteEscape();
  const Napi::Value exception(env, PythonHandle::Wrap(env, TakeException()));
  const Napi::FunctionReference& raise = Environment::Of(env).python().raise;
  const python::At place(python::PythonPlace::kElsewhere);
  const python::GilPause pause;
  napi_value argument = exception;
  napi_value error = nullptr;
  napi_status status = napi_call_function(env, env.Undefined(), raise.Value(), 1, &argument, &error);
  if (status == napi_ok) throw Napi::Error(env, error);
  // The exception that it threw instead of returning an error; none if JavaScript is being stopped, which
  // cannot be caught.
  napi_value thrown = nullptr;
  napi_valuetype type = napi_undefined;
  status = napi_get_and_clear_last_exception(env, &thrown);
  if (status == napi_ok) status = napi_typeof(env, thrown, &type);
  if (status == napi_ok && type == napi_object) throw Napi::Error(env, thrown);
  throw JavaScriptStopped{};
}

napi_value InPython(Call& call, Body body) {
  const Env env = call.env();
  if (!PythonState::IsRecent(env)) {
    if (call.environment().python().callbacks == nullptr)
      Refuse("Python was not started in this environment");
    PythonState::NoteRecent(env);
  }
  const python::Gil gil;
  const python::At place(python::PythonPlace::kInPython);
  try {
    const napi_value result = body(call);
    if (python::RaiseUnseenInterrupt()) throw PythonFailure{};
    return result;
  } catch (const PythonFailure&) {
    python::RaiseUnseenInterrupt();
    ThrowException(env);
  }
}

}  // namespace stridelab::binding

#include "binding/python_scope.h"

#include "python/gil.h"
#include "python/interrupts.h"

namespace stridelab::binding {

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
  napi_status status = CallJavaScript(env, env.Undefined(), raise.Value(), {&argument, 1}, &error);
  if (status == napi_ok) throw Napi::Error(env, error);
  // The exception that it threw instead of returning an error; none if JavaScript is being stopped, which
  // cannot be caught.
  napi_value thrown = nullptr;
  napi_valuetype type = napi_undefined;
  status = napi_get_and_clear_last_exception(env, &thrown);
  if (status == napi_ok) status = napi_typeof(env, thrown, &type);
  if (status == napi_ok && type == napi_object) throw Napi::Error(env, thrown);
  throw Napi::Error(env, nullptr);
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
    if (python::RaiseUnseenInterrupt()) throw Raised{};
    return result;
  } catch (const Raised&) {
    python::RaiseUnseenInterrupt();
    ThrowException(env);
  }
}

void PythonArguments::Add(Owned value) {
  if (count_ < kFew) {
    few_[count_] = std::move(value);
  } else {
    more_.push_back(std::move(value));
  }
  ++count_;
}

PythonArguments Read(Call& call, As<PythonArguments>) {
  PythonArguments values;
  const Rest rest = Read(call, As<Rest>{});
  for (std::size_t index = 0; index < rest.size(); ++index) values.Add(ToPython(call.env(), rest[index]));
  return values;
}

Items Convert(const Argument& argument, As<Items>) {
  Items values;
  const Napi::Array list = Convert(argument, As<Napi::Array>{});
  for (std::uint32_t index = 0; index < list.Length(); ++index)
    values.Add(ToPython(list.Env(), list.Get(index)));
  return values;
}

Owned TupleOf(PythonArguments& values) {
  Owned tuple = Made(api.PyTuple_New(static_cast<python::Size>(values.count())));
  for (std::size_t index = 0; index < values.count(); ++index)
    api.PyTuple_SetItem(tuple.get(), static_cast<python::Size>(index), values.at(index).Release());
  return tuple;
}

namespace {

Owned CallWithDict(PyObject* callable, PythonArguments& values, PyObject* names, std::size_t keywords) {
  const std::size_t positional = values.count() - keywords;
  const Owned tuple = Made(api.PyTuple_New(static_cast<python::Size>(positional)));
  for (std::size_t index = 0; index < positional; ++index)
    api.PyTuple_SetItem(tuple.get(), static_cast<python::Size>(index), values.at(index).Release());
  const Owned dict = Made(api.PyDict_New());
  for (std::size_t index = 0; index < keywords; ++index) {
    PyObject* name = api.PyTuple_GetItem(names, static_cast<python::Size>(index));
    Succeed(api.PyDict_SetItem(dict.get(), name, values.at(positional + index).get()));
  }
  return Made(api.PyObject_Call(callable, tuple.get(), dict.get()));
}

}  // namespace

Owned CallWith(PyObject* callable, PythonArguments& values, PyObject* names) {
  const std::size_t count = values.count();
  const python::Size given = names == nullptr ? 0 : api.PyTuple_Size(names);
  if (given < 0) throw Raised{};
  const auto keywords = static_cast<std::size_t>(given);
  if (keywords > count) Refuse("there are more names than values");
  if (api.PyObject_Vectorcall == nullptr) return CallWithDict(callable, values, names, keywords);
  // PY_VECTORCALL_ARGUMENTS_OFFSET: the slot before the first argument is for a method's `self`.
  constexpr std::size_t kRoomBefore = std::size_t{1} << 63;
  std::array<PyObject*, PythonArguments::kFew + 1> few;
  std::vector<PyObject*> many;
  if (count > PythonArguments::kFew) many.resize(count + 1);
  PyObject** pointers = (many.empty() ? few.data() : many.data()) + 1;
  for (std::size_t index = 0; index < count; ++index) pointers[index] = values.at(index).get();
  return Made(api.PyObject_Vectorcall(callable, pointers, (count - keywords) | kRoomBefore,
                                      keywords == 0 ? nullptr : names));
}

}  // namespace stridelab::binding

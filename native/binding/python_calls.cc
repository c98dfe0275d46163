#include <string>
#include <utility>

#include "binding/parts.h"
#include "binding/python_scope.h"
#include "python/gil.h"
#include "python/interpreter.h"
#include "python/interrupts.h"

namespace stridelab::binding {
namespace {

std::string StartPython(Env env, PythonState& state, const std::string& library,
                        const std::vector<std::string>& arguments, const Napi::Function& raise) {
  python::Start({library, arguments});
  state.stay.emplace();
  state.raise = Napi::Persistent(raise);
  if (state.callbacks == nullptr) state.callbacks = PythonCallbacks::Make(env);
  return python::Version();
}

void Execute(const std::string& source, const std::string& file, PyObject* globals) {
  constexpr int kFileInput = 257;
  const Owned code = Made(api.Py_CompileString(source.c_str(), file.c_str(), kFileInput));
  Made(api.PyEval_EvalCode(code.get(), globals, globals));
}

Handle Module(const std::string& name) {
  // Borrowed from sys.modules.
  PyObject* module = api.PyImport_AddModule(name.c_str());
  if (module == nullptr) throw Raised{};
  return {Owned::Borrowed(api.PyModule_GetDict(module))};
}

Handle Import(const std::string& name) { return {Made(api.PyImport_ImportModule(name.c_str()))}; }

/** Returns nothing if there is no such attribute. */
Owned GetAttribute(PyObject* object, const Text& name) { return python::FindAttribute(object, name.get()); }

/** Without a value, deletes the attribute. */
void SetAttribute(Env env, PyObject* object, const Text& name, const Rest& value) {
  const Owned converted = value.size() > 0 ? ToPython(env, value[0]) : Owned();
  Succeed(api.PyObject_SetAttr(object, name.get(), converted.get()));
}

Owned GetItem(PyObject* object, const Owned& key) { return Made(api.PyObject_GetItem(object, key.get())); }

/** Without a value, deletes the item. */
void SetItem(Env env, PyObject* object, const Owned& key, const Rest& value) {
  if (value.size() == 0) return Succeed(api.PyObject_DelItem(object, key.get()));
  Succeed(api.PyObject_SetItem(object, key.get(), ToPython(env, value[0]).get()));
}

Owned CallValues(PyObject* callable, PythonArguments&& values) { return CallWith(callable, values); }

Owned CallKeywords(PyObject* callable, PyObject* names, PythonArguments&& values) {
  return CallWith(callable, values, names);
}

Handle Iterate(PyObject* object) { return {Made(api.PyObject_GetIter(object))}; }

/** Returns nothing at the end. */
Owned Next(PyObject* iterator) {
  Owned value(api.PyIter_Next(iterator));
  if (!value && api.PyErr_Occurred() != nullptr) throw Raised{};
  return value;
}

bool IsCallable(PyObject* object) { return api.PyCallable_Check(object) == 1; }

Handle MakeInt(Env env, const Napi::Value& number) { return {WholeToPython(env, number)}; }

Handle MakeFloat(const Napi::Value& number) {
  if (!number.IsNumber()) Refuse("a float needs a number");
  return {Made(api.PyFloat_FromDouble(number.As<Napi::Number>().DoubleValue()))};
}

/** Wraps any value in a handle, which calls do not convert back to a JavaScript value. */
Handle MakeObject(Owned value) { return {std::move(value)}; }

Handle MakeBytes(const Napi::Value& value) {
  if (!value.IsTypedArray() && !value.IsDataView()) Refuse("bytes need a typed array or a DataView");
  const auto bytes = binding::Convert(Argument{value, "bytes"}, As<std::span<std::byte>>{});
  return {Made(api.PyBytes_FromStringAndSize(reinterpret_cast<const char*>(bytes.data()),
                                             static_cast<python::Size>(bytes.size())))};
}

Handle MakeList(Items&& items) {
  Owned list = Made(api.PyList_New(static_cast<python::Size>(items.count())));
  for (std::size_t index = 0; index < items.count(); ++index)
    api.PyList_SetItem(list.get(), static_cast<python::Size>(index), items.at(index).Release());
  return {std::move(list)};
}

Handle MakeTuple(Items&& items) { return {TupleOf(items)}; }

Handle MakeSet(Items&& items) {
  Owned set = Made(api.PySet_New(nullptr));
  for (std::size_t index = 0; index < items.count(); ++index)
    Succeed(api.PySet_Add(set.get(), items.at(index).get()));
  return {std::move(set)};
}

Handle MakeDict(Items&& keys, Items&& values) {
  Owned dict = Made(api.PyDict_New());
  for (std::size_t index = 0; index < keys.count(); ++index)
    Succeed(api.PyDict_SetItem(dict.get(), keys.at(index).get(), values.at(index).get()));
  return {std::move(dict)};
}

Handle MakeSlice(const Owned& start, const Owned& stop, const Owned& step) {
  return {Made(api.PySlice_New(start.get(), stop.get(), step.get()))};
}

Handle MakeFunction(PythonState& state, const Napi::Function& function, const std::string& name,
                    const Napi::Value& only_told) {
  return {state.callbacks->Make(function, name, only_told.ToBoolean())};
}

Napi::Uint8Array BytesOf(Env env, PyObject* bytes) {
  char* data = nullptr;
  python::Size count = 0;
  Succeed(api.PyBytes_AsStringAndSize(bytes, &data, &count));
  Napi::Uint8Array copy = Napi::Uint8Array::New(env, static_cast<std::size_t>(count));
  std::copy_n(data, count, copy.Data());
  return copy;
}

void Release(const Napi::Value& handle) { PythonHandle::Release(handle.Env(), handle); }

void CloseCallbacks(PythonState& state) { state.callbacks->Close(); }

void ShareInterruptWords(PythonState& state, const Napi::Value& given) {
  const auto words = Convert(Argument{given, "words"}, As<std::span<std::int32_t>>{});
  if (words.size() < python::kInterruptWords) Refuse("words must be an Int32Array of eight elements");
  state.interrupt_words = Napi::Persistent(given.As<Napi::Object>());
  python::ShareInterruptWords(words.data());
}

constexpr Function kPythonTable[] = {
    Bind<StartPython>("start", "library", "arguments", "raise"),
    Python<Execute>("execute", "source", "file", "globals"),
    Python<Module>("module", "name"),
    Python<Import>("import", "name"),
    Python<GetAttribute>("getAttribute", "object", "name"),
    Python<SetAttribute>("setAttribute", "object", "name"),
    Python<GetItem>("getItem", "object", "key"),
    Python<SetItem>("setItem", "object", "key"),
    Python<CallValues>("call", "callable"),
    Python<CallKeywords>("callKeywords", "callable", "names"),
    Python<CallPythonAsync>("callAsync", "callable"),
    Python<Iterate>("iterate", "object"),
    Python<Next>("next", "iterator"),
    Python<python::IsTrue>("truth", "object"),
    Python<IsCallable>("isCallable", "object"),
    Python<MakeInt>("makeInt", "number"),
    Python<MakeFloat>("makeFloat", "number"),
    Python<MakeObject>("makeObject", "value"),
    Python<MakeBytes>("makeBytes", "bytes"),
    Python<MakeList>("makeList", "items"),
    Python<MakeTuple>("makeTuple", "items"),
    Python<MakeSet>("makeSet", "items"),
    Python<MakeDict>("makeDict", "keys", "values"),
    Python<MakeSlice>("makeSlice", "start", "stop", "step"),
    Python<MakeFunction>("makeFunction", "function", "name", "onlyTold"),
    Python<BytesOf>("bytesOf", "bytes"),
    Python<Release>("release", "object"),
    Python<CloseCallbacks>("closeCallbacks"),
    Bind<PythonHandle::CountLive>("countHandles"),
};

constexpr Function kInterruptTable[] = {
    Bind<ShareInterruptWords>("share", "words"),
    Python<python::InterruptAsyncCalls>("interruptAsyncCalls", "cell"),
};

}  // namespace

const Functions kPythonCalls = kPythonTable;
const Functions kPythonInterruptCalls = kInterruptTable;

}  // namespace stridelab::binding

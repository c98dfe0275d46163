#include <algorithm>
#include <string>
#include <utility>

#include "binding/arguments.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/parts.h"
#include "binding/python_arguments.h"
#include "binding/python_async.h"
#include "binding/python_handle.h"
#include "binding/python_scope.h"
#include "binding/python_state.h"
#include "binding/python_values.h"
#include "core/error.h"
#include "python/gil.h"
#include "python/interpreter.h"

namespace stridelab::binding {
namespace {

using python::api;
using python::Owned;
using python::PyObject;

napi_value Undefined(Napi::Env env) { return env.Undefined(); }

Napi::Value Start(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  python::StartRequest request{ToText(info[0], "library"), {}};
  const Napi::Array arguments = ToList(info[1], "arguments");
  for (std::uint32_t index = 0; index < arguments.Length(); ++index)
    request.arguments.push_back(ToText(arguments.Get(index), "arguments"));
  const Napi::Function raise = ToFunction(info[2], "raise");
  PythonState& state = Environment::Of(env).python();
  python::Start(request);
  state.stay.emplace();
  state.raise = Napi::Persistent(raise);
  if (state.callbacks == nullptr) state.callbacks = PythonCallbacks::Make(env);
  return Napi::String::New(env, python::Version());
}

Napi::Value Execute(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    constexpr int kFileInput = 257;
    const std::string source = ToText(info[0], "source");
    const std::string file = ToText(info[1], "file");
    PyObject* globals = PythonHandle::Require(info.Env(), info[2], "globals");
    const Owned code = Checked(api.Py_CompileString(source.c_str(), file.c_str(), kFileInput));
    Checked(api.PyEval_EvalCode(code.get(), globals, globals));
    return Undefined(info.Env());
  });
}

Napi::Value Module(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    // Borrowed from sys.modules.
    PyObject* module = api.PyImport_AddModule(ToText(info[0], "name").c_str());
    if (module == nullptr) throw PythonFailure{};
    return PythonHandle::Wrap(info.Env(), Owned::Borrowed(api.PyModule_GetDict(module)));
  });
}

Napi::Value Import(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    Owned module = Checked(api.PyImport_ImportModule(ToText(info[0], "name").c_str()));
    return PythonHandle::Wrap(info.Env(), std::move(module));
  });
}

Napi::Value GetAttribute(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PyObject* object = PythonHandle::Require(info.Env(), info[0], "object");
    ToText(info[1], "name");
    const Owned name = TextToPython(info.Env(), info[1]);
    Owned value(api.PyObject_GetAttr(object, name.get()));
    if (value) return FromPython(info.Env(), std::move(value));
    if (api.PyErr_ExceptionMatches(api.PyExc_AttributeError) == 0) throw PythonFailure{};
    api.PyErr_Clear();
    return static_cast<napi_value>(info.Env().Null());
  });
}

Napi::Value SetAttribute(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PyObject* object = PythonHandle::Require(info.Env(), info[0], "object");
    ToText(info[1], "name");
    const Owned name = TextToPython(info.Env(), info[1]);
    // Without a value the attribute goes.
    const Owned value = info.Length() > 2 ? ToPython(info.Env(), info[2]) : Owned();
    CheckStatus(api.PyObject_SetAttr(object, name.get(), value.get()));
    return Undefined(info.Env());
  });
}

Napi::Value GetItem(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PyObject* object = PythonHandle::Require(info.Env(), info[0], "object");
    const Owned key = ToPython(info.Env(), info[1]);
    return FromPython(info.Env(), Checked(api.PyObject_GetItem(object, key.get())));
  });
}

Napi::Value SetItem(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PyObject* object = PythonHandle::Require(info.Env(), info[0], "object");
    const Owned key = ToPython(info.Env(), info[1]);
    if (info.Length() < 3) {
      CheckStatus(api.PyObject_DelItem(object, key.get()));
    } else {
      const Owned value = ToPython(info.Env(), info[2]);
      CheckStatus(api.PyObject_SetItem(object, key.get(), value.get()));
    }
    return Undefined(info.Env());
  });
}

Napi::Value Call(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PyObject* callable = PythonHandle::Require(info.Env(), info[0], "callable");
    PythonArguments values;
    for (std::size_t index = 1; index < info.Length(); ++index) values.Add(ToPython(info.Env(), info[index]));
    return FromPython(info.Env(), CallWith(callable, values));
  });
}

Napi::Value CallKeywords(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PyObject* callable = PythonHandle::Require(info.Env(), info[0], "callable");
    const Napi::Array list = ToList(info[1], "values");
    PyObject* keywords = PythonHandle::Require(info.Env(), info[2], "keywords");
    PythonArguments values;
    for (std::uint32_t index = 0; index < list.Length(); ++index)
      values.Add(ToPython(info.Env(), list.Get(index)));
    const Owned tuple = TupleOf(values);
    return FromPython(info.Env(), Checked(api.PyObject_Call(callable, tuple.get(), keywords)));
  });
}

Napi::Value Iterate(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PyObject* object = PythonHandle::Require(info.Env(), info[0], "object");
    return PythonHandle::Wrap(info.Env(), Checked(api.PyObject_GetIter(object)));
  });
}

Napi::Value Next(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    Owned value(api.PyIter_Next(PythonHandle::Require(info.Env(), info[0], "iterator")));
    if (value) return FromPython(info.Env(), std::move(value));
    if (api.PyErr_Occurred() != nullptr) throw PythonFailure{};
    return static_cast<napi_value>(info.Env().Null());
  });
}

Napi::Value Truth(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    const int truth = api.PyObject_IsTrue(PythonHandle::Require(info.Env(), info[0], "object"));
    CheckStatus(truth);
    return static_cast<napi_value>(Napi::Boolean::New(info.Env(), truth == 1));
  });
}

Napi::Value IsCallable(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    const bool callable = api.PyCallable_Check(PythonHandle::Require(info.Env(), info[0], "object")) == 1;
    return static_cast<napi_value>(Napi::Boolean::New(info.Env(), callable));
  });
}

template <typename Body>
Napi::Value Make(const Napi::CallbackInfo& info, Body body) {
  return InPython(info.Env(), [&] { return PythonHandle::Wrap(info.Env(), body()); });
}

Napi::Value MakeInt(const Napi::CallbackInfo& info) {
  return Make(info, [&] { return WholeToPython(info.Env(), info[0]); });
}

Napi::Value MakeFloat(const Napi::CallbackInfo& info) {
  return Make(info, [&] {
    if (!info[0].IsNumber()) throw core::Error(core::ErrorKind::kArgument, "a float needs a number");
    return Checked(api.PyFloat_FromDouble(info[0].As<Napi::Number>().DoubleValue()));
  });
}

/** Any value as an object of its own, which calls then do not turn into JavaScript's again. */
Napi::Value MakeObject(const Napi::CallbackInfo& info) {
  return Make(info, [&] { return ToPython(info.Env(), info[0]); });
}

Napi::Value MakeBytes(const Napi::CallbackInfo& info) {
  return Make(info, [&] {
    if (!info[0].IsTypedArray() && !info[0].IsDataView())
      throw core::Error(core::ErrorKind::kArgument, "bytes need a typed array or a DataView");
    const bool view = info[0].IsDataView();
    Napi::ArrayBuffer buffer =
        view ? info[0].As<Napi::DataView>().ArrayBuffer() : info[0].As<Napi::TypedArray>().ArrayBuffer();
    const std::size_t offset =
        view ? info[0].As<Napi::DataView>().ByteOffset() : info[0].As<Napi::TypedArray>().ByteOffset();
    const std::size_t count =
        view ? info[0].As<Napi::DataView>().ByteLength() : info[0].As<Napi::TypedArray>().ByteLength();
    const char* data = static_cast<const char*>(buffer.Data());
    return Checked(api.PyBytes_FromStringAndSize(data == nullptr ? nullptr : data + offset,
                                                 static_cast<python::Size>(count)));
  });
}

Napi::Value MakeList(const Napi::CallbackInfo& info) {
  return Make(info, [&] {
    const Napi::Array items = ToList(info[0], "items");
    Owned list = Checked(api.PyList_New(static_cast<python::Size>(items.Length())));
    for (std::uint32_t index = 0; index < items.Length(); ++index) {
      Owned item = ToPython(info.Env(), items.Get(index));
      api.PyList_SetItem(list.get(), static_cast<python::Size>(index), item.Release());
    }
    return list;
  });
}

Napi::Value MakeTuple(const Napi::CallbackInfo& info) {
  return Make(info, [&] {
    const Napi::Array items = ToList(info[0], "items");
    PythonArguments values;
    for (std::uint32_t index = 0; index < items.Length(); ++index)
      values.Add(ToPython(info.Env(), items.Get(index)));
    return TupleOf(values);
  });
}

Napi::Value MakeSet(const Napi::CallbackInfo& info) {
  return Make(info, [&] {
    const Napi::Array items = ToList(info[0], "items");
    Owned set = Checked(api.PySet_New(nullptr));
    for (std::uint32_t index = 0; index < items.Length(); ++index) {
      const Owned item = ToPython(info.Env(), items.Get(index));
      CheckStatus(api.PySet_Add(set.get(), item.get()));
    }
    return set;
  });
}

Napi::Value MakeDict(const Napi::CallbackInfo& info) {
  return Make(info, [&] {
    const Napi::Array keys = ToList(info[0], "keys");
    const Napi::Array values = ToList(info[1], "values");
    Owned dict = Checked(api.PyDict_New());
    for (std::uint32_t index = 0; index < keys.Length(); ++index) {
      const Owned key = ToPython(info.Env(), keys.Get(index));
      const Owned value = ToPython(info.Env(), values.Get(index));
      CheckStatus(api.PyDict_SetItem(dict.get(), key.get(), value.get()));
    }
    return dict;
  });
}

Napi::Value MakeSlice(const Napi::CallbackInfo& info) {
  return Make(info, [&] {
    const Owned start = ToPython(info.Env(), info[0]);
    const Owned stop = ToPython(info.Env(), info[1]);
    const Owned step = ToPython(info.Env(), info[2]);
    return Checked(api.PySlice_New(start.get(), stop.get(), step.get()));
  });
}

Napi::Value MakeFunction(const Napi::CallbackInfo& info) {
  return Make(info, [&] {
    const Napi::Function function = ToFunction(info[0], "function");
    return Environment::Of(info.Env())
        .python()
        .callbacks->Make(function, ToText(info[1], "name"), info[2].ToBoolean());
  });
}

Napi::Value BytesOf(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    char* data = nullptr;
    python::Size count = 0;
    PyObject* bytes = PythonHandle::Require(info.Env(), info[0], "bytes");
    CheckStatus(api.PyBytes_AsStringAndSize(bytes, &data, &count));
    const auto size = static_cast<std::size_t>(count);
    Napi::ArrayBuffer buffer = Napi::ArrayBuffer::New(info.Env(), size);
    std::copy_n(data, size, static_cast<char*>(buffer.Data()));
    return static_cast<napi_value>(Napi::Uint8Array::New(info.Env(), size, buffer, 0));
  });
}

Napi::Value Release(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PythonHandle::Release(info.Env(), info[0]);
    return Undefined(info.Env());
  });
}

Napi::Value CloseCallbacks(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    Environment::Of(info.Env()).python().callbacks->Close();
    return Undefined(info.Env());
  });
}

Napi::Value CountHandles(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(PythonHandle::CountLive()));
}

}  // namespace

Napi::Object DefinePython(Napi::Env env) {
  Napi::Object object = Napi::Object::New(env);
  const auto add = [&]<Napi::Value (*Function)(const Napi::CallbackInfo&)>(const char* name) {
    object.Set(name, Entry<Function>(env, name));
  };
  add.operator()<Start>("start");
  add.operator()<Execute>("execute");
  add.operator()<Module>("module");
  add.operator()<Import>("import");
  add.operator()<GetAttribute>("getAttribute");
  add.operator()<SetAttribute>("setAttribute");
  add.operator()<GetItem>("getItem");
  add.operator()<SetItem>("setItem");
  add.operator()<Call>("call");
  add.operator()<CallKeywords>("callKeywords");
  add.operator()<CallPythonAsync>("callAsync");
  add.operator()<Iterate>("iterate");
  add.operator()<Next>("next");
  add.operator()<Truth>("truth");
  add.operator()<IsCallable>("isCallable");
  add.operator()<MakeInt>("makeInt");
  add.operator()<MakeFloat>("makeFloat");
  add.operator()<MakeObject>("makeObject");
  add.operator()<MakeBytes>("makeBytes");
  add.operator()<MakeList>("makeList");
  add.operator()<MakeTuple>("makeTuple");
  add.operator()<MakeSet>("makeSet");
  add.operator()<MakeDict>("makeDict");
  add.operator()<MakeSlice>("makeSlice");
  add.operator()<MakeFunction>("makeFunction");
  add.operator()<BytesOf>("bytesOf");
  add.operator()<Release>("release");
  add.operator()<CloseCallbacks>("closeCallbacks");
  add.operator()<CountHandles>("countHandles");
  return object;
}

}  // namespace stridelab::binding

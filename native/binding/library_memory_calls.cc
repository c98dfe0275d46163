#include <dlfcn.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "binding/arguments.h"
#include "binding/device_object.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/library_memory_server.h"
#include "binding/parts.h"
#include "binding/python_handle.h"
#include "binding/python_scope.h"
#include "binding/storage_object.h"
#include "python/library_memory.h"

namespace stridelab::binding {
namespace {

using python::api;
using python::LibraryMemory;
using python::MemoryAnswer;
using python::Owned;
using python::PyObject;

/** By environment, those of this thread that serve: several loads of the package have one each. */
thread_local std::unordered_map<napi_env, std::weak_ptr<LibraryMemoryServer>> serving;

std::shared_ptr<LibraryMemoryServer> ServerOf(napi_env env) {
  const auto found = serving.find(env);
  return found == serving.end() ? nullptr : found->second.lock();
}

Napi::Value Open(const Napi::CallbackInfo& info) {
  const Napi::Array list = ToList(info[0], "devices");
  std::vector<core::Device*> devices;
  devices.reserve(list.Length());
  for (std::uint32_t index = 0; index < list.Length(); ++index)
    devices.push_back(&ToObject<DeviceObject>(list.Get(index), "devices").native());
  auto server =
      LibraryMemoryServer::Make(info.Env(), ToFunction(info[1], "serve"), ToFunction(info[2], "freed"));
  const bool opened = LibraryMemory::Instance().Open(server, std::move(devices));
  if (opened) serving[info.Env()] = server;
  return Napi::Boolean::New(info.Env(), opened);
}

Napi::Value Close(const Napi::CallbackInfo& info) {
  if (const auto server = ServerOf(info.Env())) LibraryMemory::Instance().Close(server.get());
  return info.Env().Undefined();
}

Napi::Value Keep(const Napi::CallbackInfo& info) {
  const auto server = ServerOf(info.Env());
  if (server == nullptr) throw core::Error(core::ErrorKind::kArgument, "this environment serves no memory");
  auto storage = ToObject<StorageObject>(info[0], "storage").native().shared_from_this();
  LibraryMemory::Instance().Keep(server, std::move(storage), server->asked_stream());
  return info.Env().Undefined();
}

/** Whole arguments of a function that Python calls; false with TypeError set. */
template <std::size_t Count>
bool ReadWhole(PyObject* const* arguments, python::Size count, PyObject* names, long long (&values)[Count]) {
  if (count != static_cast<python::Size>(Count) || names != nullptr) {
    api.PyErr_SetString(api.PyExc_TypeError, "this function takes whole numbers by position");
    return false;
  }
  for (std::size_t index = 0; index < Count; ++index) {
    int overflow = 0;
    values[index] = api.PyLong_AsLongLongAndOverflow(arguments[index], &overflow);
    if (overflow != 0) api.PyErr_SetString(api.PyExc_TypeError, "a number is beyond 64 bits");
    if (api.PyErr_Occurred() != nullptr) return false;
  }
  return true;
}

PyObject* AllocateForPython(PyObject*, PyObject* const* arguments, python::Size count, PyObject* names) {
  const python::GilGiven given;
  long long values[3];
  if (!ReadWhole(arguments, count, names, values)) return nullptr;
  const auto [ordinal, bytes, stream] = values;
  const MemoryAnswer answer = LibraryMemory::Instance().Allocate(
      {static_cast<int>(ordinal), static_cast<std::size_t>(bytes), static_cast<std::uint64_t>(stream)});
  if (answer.error.empty()) return api.PyLong_FromLongLong(static_cast<long long>(answer.pointer));
  api.PyErr_SetString(answer.out_of_memory ? api.PyExc_MemoryError : api.PyExc_RuntimeError,
                      answer.error.c_str());
  return nullptr;
}

PyObject* NoteUseForPython(PyObject*, PyObject* const* arguments, python::Size count, PyObject* names) {
  const python::GilGiven given;
  long long values[2];
  if (!ReadWhole(arguments, count, names, values)) return nullptr;
  LibraryMemory::Instance().NoteUse(static_cast<std::uint64_t>(values[0]),
                                    static_cast<std::uint64_t>(values[1]));
  return Owned::Borrowed(api._Py_NoneStruct).Release();
}

PyObject* FreeForPython(PyObject*, PyObject* const* arguments, python::Size count, PyObject* names) {
  const python::GilGiven given;
  long long values[2];
  if (!ReadWhole(arguments, count, names, values)) return nullptr;
  LibraryMemory::Instance().Free(static_cast<std::uint64_t>(values[0]),
                                 static_cast<std::uint64_t>(values[1]));
  return Owned::Borrowed(api._Py_NoneStruct).Release();
}

python::Method allocate_method = {
    "allocate", reinterpret_cast<void*>(AllocateForPython), python::kFastCallWithKeywords,
    "allocate(ordinal, bytes, stream): an address; -1 stands for every stream."};
python::Method free_method = {
    "free", reinterpret_cast<void*>(FreeForPython), python::kFastCallWithKeywords,
    "free(address, stream): after the work of the stream; -1 stands for every stream."};
python::Method note_use_method = {
    "note_use", reinterpret_cast<void*>(NoteUseForPython), python::kFastCallWithKeywords,
    "note_use(address, stream): the block outlasts the work of the stream too."};

Napi::Value Functions(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&]() -> napi_value {
    const Napi::Env env = info.Env();
    Napi::Object functions = Napi::Object::New(env);
    for (python::Method* method : {&allocate_method, &free_method, &note_use_method}) {
      Owned function = Checked(api.PyCFunction_NewEx(method, nullptr, nullptr));
      functions.Set(method == &note_use_method ? "noteUse" : method->name,
                    Napi::Value(env, PythonHandle::Wrap(env, std::move(function))));
    }
    return functions;
  });
}

/** Of the addon, which the loader knows by it. */
Napi::Value Path(const Napi::CallbackInfo& info) {
  Dl_info found{};
  dladdr(reinterpret_cast<void*>(&DefineLibraryMemory), &found);
  return Napi::String::New(info.Env(), found.dli_fname == nullptr ? "" : found.dli_fname);
}

Napi::Value Counts(const Napi::CallbackInfo& info) {
  LibraryMemory& memory = LibraryMemory::Instance();
  const python::BesideManager beside = memory.beside();
  Napi::Object counts = Napi::Object::New(info.Env());
  counts.Set("held", static_cast<double>(memory.CountHeld()));
  counts.Set("besideCount", static_cast<double>(beside.count));
  counts.Set("besideBytes", static_cast<double>(beside.bytes));
  return counts;
}

}  // namespace

Napi::Object DefineLibraryMemory(Napi::Env env) {
  Napi::Object object = Napi::Object::New(env);
  const auto add = [&]<Napi::Value (*Function)(const Napi::CallbackInfo&)>(const char* name) {
    object.Set(name, Entry<Function>(env, name));
  };
  add.operator()<Open>("open");
  add.operator()<Close>("close");
  add.operator()<Keep>("keep");
  add.operator()<Functions>("functions");
  add.operator()<Path>("path");
  add.operator()<Counts>("counts");
  return object;
}

}  // namespace stridelab::binding

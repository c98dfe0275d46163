#include <dlfcn.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "binding/device_object.h"
#include "binding/library_memory_server.h"
#include "binding/parts.h"
#include "binding/python_scope.h"
#include "binding/storage_object.h"
#include "python/library_memory.h"

namespace stridelab::binding {
namespace {

using python::api;
using python::LibraryMemory;
using python::MemoryAnswer;

/** The servers of this thread by environment: several loads of the package have one each. */
thread_local std::unordered_map<napi_env, std::weak_ptr<LibraryMemoryServer>> serving;

std::shared_ptr<LibraryMemoryServer> ServerOf(napi_env env) {
  const auto found = serving.find(env);
  return found == serving.end() ? nullptr : found->second.lock();
}

bool Open(Env env, std::vector<core::Device*> devices, const Napi::Function& serve,
          const Napi::Function& freed) {
  auto server = LibraryMemoryServer::Make(env, serve, freed);
  const bool opened = LibraryMemory::Instance().Open(server, std::move(devices));
  if (opened) serving[env] = server;
  return opened;
}

void Close(Env env) {
  if (const auto server = ServerOf(env)) LibraryMemory::Instance().Close(server.get());
}

void Keep(Env env, const std::shared_ptr<core::Storage>& storage) {
  const auto server = ServerOf(env);
  if (server == nullptr) Refuse("this environment serves no memory");
  LibraryMemory::Instance().Keep(server, storage, server->asked_stream());
}

/** Reads the integer arguments of a function called by Python; false with TypeError set. */
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

Fields MakeFunctions(Env env) {
  const auto function = [](python::Method& method) {
    return Handle{Checked(api.PyCFunction_NewEx(&method, nullptr, nullptr))};
  };
  return Fields(env)
      .Set("allocate", function(allocate_method))
      .Set("free", function(free_method))
      .Set("noteUse", function(note_use_method));
}

/** Returns the path of the addon, with which the loader finds it again. */
const char* Path() {
  Dl_info found{};
  dladdr(reinterpret_cast<void*>(&ServerOf), &found);
  return found.dli_fname == nullptr ? "" : found.dli_fname;
}

Fields Counts(Env env) {
  LibraryMemory& memory = LibraryMemory::Instance();
  const python::BesideManager beside = memory.beside();
  return Fields(env)
      .Set("held", memory.CountHeld())
      .Set("besideCount", beside.count)
      .Set("besideBytes", beside.bytes);
}

constexpr Function kTable[] = {
    Bind<Open>("open", "devices", "serve", "freed"),
    Bind<Close>("close"),
    Bind<Keep>("keep", "storage"),
    Python<MakeFunctions>("functions"),
    Bind<Path>("path"),
    Bind<Counts>("counts"),
};

}  // namespace

const Functions kLibraryMemoryCalls = kTable;

}  // namespace stridelab::binding

#include "python/api.h"

#include <dlfcn.h>

#include <type_traits>

#include "python/library_file.h"

namespace stridelab::python {

Api api;

namespace {

/** Returns the libpython that the process has already loaded; empty if there is none, or if it is `file`. */
std::string OtherLibrary(const std::string& file) {
  void* version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
  if (version == nullptr) return "";
  if (void* same = dlopen(file.c_str(), RTLD_NOW | RTLD_NOLOAD); same != nullptr) {
    const bool first = dlsym(same, "Py_GetVersion") == version;
    dlclose(same);
    if (first) return "";
  }
  Dl_info info{};
  return dladdr(version, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "of an unknown file";
}

}  // namespace

std::string OpenLibrary(const std::string& file) {
  std::string damage = DamageOfLibrary(file);
  if (!damage.empty()) return damage;
  const std::string other = OtherLibrary(file);
  if (!other.empty()) {
    return "another libpython, " + other +
           ", was loaded before, and one process holds one; start the program again";
  }
  // Extension modules do not link libpython: they find its symbols in the process.
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) {
    const char* reason = dlerror();
    return reason != nullptr ? reason : file + " cannot be opened";
  }
  Api found;
  std::string missing;
  const auto load = [&](const char* name, auto& slot, bool needed) {
    slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(dlsym(handle, name));
    if (slot == nullptr && needed) missing += missing.empty() ? name : std::string(", ") + name;
  };
#define STRIDELAB_LOAD(name, result, parameters) load(#name, found.name, true);
  STRIDELAB_PYTHON_FUNCTIONS(STRIDELAB_LOAD)
#undef STRIDELAB_LOAD
#define STRIDELAB_LOAD(name, result, parameters) load(#name, found.name, false);
  STRIDELAB_PYTHON_OPTIONAL_FUNCTIONS(STRIDELAB_LOAD)
#undef STRIDELAB_LOAD
#define STRIDELAB_LOAD(name) load(#name, found.name, true);
  STRIDELAB_PYTHON_OBJECTS(STRIDELAB_LOAD)
#undef STRIDELAB_LOAD
#define STRIDELAB_LOAD(name)                     \
  {                                              \
    PyObject** holder = nullptr;                 \
    load(#name, holder, true);                   \
    if (holder != nullptr) found.name = *holder; \
  }
  STRIDELAB_PYTHON_EXCEPTIONS(STRIDELAB_LOAD)
#undef STRIDELAB_LOAD
  if (!missing.empty()) return file + " lacks " + missing;
  api = found;
  return "";
}

void FindLayout() {
  PyObject* const known[] = {api._Py_NoneStruct, api.PyBool_Type, api.PyExc_TypeError};
  bool follows = true;
  for (PyObject* object : known) {
    PyObject* type = api.PyObject_Type(object);
    follows = follows && reinterpret_cast<PyObject**>(object)[1] == type;
    api.Py_DecRef(type);
  }
  api.type_follows_count = follows;
}

}  // namespace stridelab::python

#include "python/api.h"

#include <dlfcn.h>

#include <type_traits>

namespace stridelab::python {

Api api;

std::string OpenLibrary(const std::string& file) {
  // Extension modules have no dependency on libpython of their own: they find its symbols in the process.
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

}  // namespace stridelab::python

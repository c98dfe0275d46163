#include "python/api.h"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <type_traits>
#include <vector>

namespace stridelab::python {

Api api;

namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
#endif

/** Returns what is wrong with a shared library file, with its path; empty if it is intact. The loader itself
 * crashes on a truncated one. */
std::string DamageOfLibrary(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) return file + " cannot be read";
  std::string cut = file + " is truncated: reinstall this Python";
  input.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(input.tellg());
  input.seekg(0);
  Elf64_Ehdr header{};
  if (!input.read(reinterpret_cast<char*>(&header), sizeof header)) return cut;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return file + " is not a shared library";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine)
    return file + " was built for another processor architecture";
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  input.seekg(static_cast<std::streamoff>(header.e_phoff));
  const auto bytes = static_cast<std::streamsize>(segments.size() * sizeof(Elf64_Phdr));
  if (!input.read(reinterpret_cast<char*>(segments.data()), bytes)) return cut;
  const bool whole = std::ranges::all_of(segments, [&](const Elf64_Phdr& segment) {
    return segment.p_type != PT_LOAD || segment.p_offset + segment.p_filesz <= size;
  });
  return whole ? "" : cut;
}

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
  return dladdr(version, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "from an unknown file";
}

}  // namespace

std::string OpenLibrary(const std::string& file) {
  std::string damage = DamageOfLibrary(file);
  if (!damage.empty()) return damage;
  const std::string other = OtherLibrary(file);
  if (!other.empty()) {
    return "another libpython, " + other +
           ", is already loaded, and a process can hold only one: restart the program";
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

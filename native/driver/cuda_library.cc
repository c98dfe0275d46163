#include "driver/cuda_library.h"

#include <dlfcn.h>

#include <cstdlib>

namespace stridelab::driver {
namespace {

template <typename Function>
void Load(void* library, const std::string& file, const char* symbol, Function& slot) {
  slot = reinterpret_cast<Function>(dlsym(library, symbol));
  if (slot == nullptr)
    throw LibraryUnavailable(file + " is not a CUDA driver: it has no function " + symbol, {file});
}

/** Loads a function; the slot stays null if the driver is too old to have it. */
template <typename Function>
void LoadOptional(void* library, const char* symbol, Function& slot) {
  slot = reinterpret_cast<Function>(dlsym(library, symbol));
}

void RequireVersion(void* library, const std::string& file) {
  CUresult (*get_version)(int*) = nullptr;
  Load(library, file, "cuDriverGetVersion", get_version);
  int version = 0;
  if (get_version(&version) != kSuccess || version >= kLeastDriverVersion) return;
  throw LibraryUnavailable("the CUDA driver in " + file + " is version " + VersionText(version) +
                               ", and stridelab needs " + VersionText(kLeastDriverVersion) +
                               " or newer: update the NVIDIA driver",
                           {file});
}

DriverTable Fill(void* library, const std::string& file) {
  RequireVersion(library, file);
  DriverTable table;
#define STRIDELAB_REQUIRED(name, suffix, parameters) Load(library, file, #name #suffix, table.name);
#define STRIDELAB_OPTIONAL(name, suffix, parameters) LoadOptional(library, #name #suffix, table.name);
#include "driver/driver_functions.h"
  return table;
}

}  // namespace

std::string VersionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::vector<std::string> CudaLibraryNames() {
  if (const char* named = std::getenv("STRIDELAB_LIBCUDA"); named != nullptr && *named != '\0')
    return {named};
  // The loader's search path first; then the directories outside it that containers, WSL and NixOS use.
  return {
      "libcuda.so.1",
      "/usr/local/nvidia/lib64/libcuda.so.1",
      "/usr/lib/wsl/lib/libcuda.so.1",
      "/run/opengl-driver/lib/libcuda.so.1",
  };
}

DriverTable OpenCudaLibrary() {
  std::string reasons;
  for (const std::string& name : CudaLibraryNames()) {
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return Fill(library, name);
    const char* reason = dlerror();
    reasons += "\n  " + (reason != nullptr ? std::string(reason) : name);
  }
  throw LibraryUnavailable("the CUDA driver library could not be opened; looked for:" + reasons,
                           CudaLibraryNames());
}

}  // namespace stridelab::driver

// Libraries of NVIDIA's that are opened when they are first needed.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "driver/cuda_library.h"

namespace stridelab::driver {

/** Fills slots with the functions of an opened library. */
class SymbolLoader {
 public:
  explicit SymbolLoader(void* handle) : handle_(handle) {}

  template <typename Function>
  void operator()(const char* symbol, Function& slot) {
    slot = reinterpret_cast<Function>(dlsym(handle_, symbol));
    complete_ = complete_ && slot != nullptr;
  }
  /** False once a function was missing. */
  bool complete() const { return complete_; }

 private:
  void* handle_;
  bool complete_ = true;
};

/**
 * `Library` has a member `path` and slots for functions. `Fill` loads them and says whether the library will
 * do. What was opened stays open: others may have it too.
 */
template <typename Library, bool (*Fill)(SymbolLoader& load, Library& library)>
class OptionalLibrary {
 public:
  /** `what` it is, for people, and the least version, for a file that has less. */
  OptionalLibrary(std::string what, std::string least) : what_(std::move(what)), least_(std::move(least)) {}

  /** The first file of the list that will do; later calls give the same one. Throws LibraryUnavailable. */
  const Library& Open(const std::vector<std::string>& files) {
    const std::lock_guard lock(mutex_);
    if (opened_ != nullptr) return *opened_;
    std::string reasons;
    for (const std::string& file : files) {
      void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle == nullptr) {
        const char* reason = dlerror();
        reasons += "\n  " + (reason != nullptr ? std::string(reason) : file);
        continue;
      }
      auto library = std::make_unique<Library>();
      library->path = file;
      SymbolLoader load(handle);
      if (Fill(load, *library)) {
        opened_ = std::move(library);
        return *opened_;
      }
      reasons += "\n  " + file + " lacks functions of " + least_;
      dlclose(handle);
    }
    throw LibraryUnavailable(what_ + " could not be opened; looked for:" + reasons, files);
  }

  /** Null where it was not opened. */
  const Library* opened() {
    const std::lock_guard lock(mutex_);
    return opened_.get();
  }

 private:
  std::string what_;
  std::string least_;
  std::mutex mutex_;
  std::unique_ptr<const Library> opened_;
};

}  // namespace stridelab::driver

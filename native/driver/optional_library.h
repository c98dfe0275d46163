// Opens NVIDIA libraries when they are first needed.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "driver/cuda_library.h"

namespace stridelab::driver {

/** Loads functions of an opened library into slots. */
class SymbolLoader {
 public:
  explicit SymbolLoader(void* handle) : handle_(handle) {}

  template <typename Function>
  void operator()(const char* symbol, Function& slot) {
    slot = reinterpret_cast<Function>(dlsym(handle_, symbol));
    complete_ = complete_ && slot != nullptr;
  }
  /** False if any function was missing. */
  bool complete() const { return complete_; }

 private:
  void* handle_;
  bool complete_ = true;
};

/**
 * A library that is opened on demand. `Library` has a member `path` and slots for functions; `Fill` loads
 * them and returns whether the library is usable. An opened library is never closed.
 */
template <typename Library, bool (*Fill)(SymbolLoader& load, Library& library)>
class OptionalLibrary {
 public:
  /** `what` names the library and `least` its minimum version, for messages. */
  OptionalLibrary(std::string what, std::string least) : what_(std::move(what)), least_(std::move(least)) {}

  /** Opens the first usable file of the list; later calls return the same one. Throws LibraryUnavailable. */
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

  /** The opened library; null before. */
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

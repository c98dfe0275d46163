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

/** Base class of a table of an opened library's functions: members that `Find` initializes. */
class OpenedLibrary {
 public:
  OpenedLibrary(void* handle, std::string file) : path(std::move(file)), handle_(handle) {}

  std::string path;
  /** False if any function was missing. */
  bool complete() const { return complete_; }

 protected:
  /** An address that converts to a pointer to any type of function. */
  struct Address {
    void* value;
    template <typename Function>
    operator Function*() const {
      return reinterpret_cast<Function*>(value);
    }
  };

  Address Find(const char* symbol) {
    const Address found = FindOptional(symbol);
    complete_ = complete_ && found.value != nullptr;
    return found;
  }
  /** Returns null for a function that this version of the library lacks. */
  Address FindOptional(const char* symbol) { return {dlsym(handle_, symbol)}; }

 private:
  void* handle_;
  bool complete_ = true;
};

/** A library that is opened on demand and never closed. `Library` is an OpenedLibrary; its `Usable` returns
 * whether all functions were found, in a version that is new enough. */
template <typename Library>
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
      auto library = std::make_unique<Library>(handle, file);
      if (library->Usable()) {
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

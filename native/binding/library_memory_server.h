// Memory for Python libraries, allocated by JavaScript functions.
#pragma once

#include <napi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>

#include "binding/release_table.h"
#include "python/library_memory.h"

namespace stridelab::binding {

/** Serves requests with two functions of one environment, while it lives. */
class LibraryMemoryServer final : public python::MemoryServer,
                                  public std::enable_shared_from_this<LibraryMemoryServer> {
 public:
  static std::shared_ptr<LibraryMemoryServer> Make(Napi::Env env, Napi::Function serve, Napi::Function freed);

  python::MemoryAnswer Serve(const python::MemoryRequest& request) override;
  void Wake() override;
  void Freed(std::uint64_t pointer, bool elsewhere) override;
  void DropLater(std::shared_ptr<core::Storage> storage) override;

  /** Called by MakePoster when the environment has ended. */
  void OnPosterGone();

  /** The stream of the request being served. */
  std::uint64_t asked_stream() const { return asked_stream_; }

 private:
  explicit LibraryMemoryServer(Napi::Env env);

  python::MemoryAnswer Ask(Napi::Env env, const python::MemoryRequest& request, Napi::Value stream);
  void TellFreed(std::uint64_t pointer, bool elsewhere);
  static void OnPosted(napi_env env, void* context, void* data);

  const std::shared_ptr<ReleaseTable> releases_;
  const std::thread::id thread_ = std::this_thread::get_id();
  Napi::FunctionReference serve_;
  Napi::FunctionReference freed_;
  std::uint64_t asked_stream_ = python::kEveryStream;
  std::mutex mutex_;
  napi_threadsafe_function poster_ = nullptr;
  std::atomic<bool> gone_{false};
};

}  // namespace stridelab::binding

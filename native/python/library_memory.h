// Memory that Python libraries request from any thread, allocated by JavaScript's memory manager.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "core/storage.h"

namespace stridelab::python {

/** Stands for all streams of a device, if a library names none. */
inline constexpr std::uint64_t kEveryStream = UINT64_MAX;

struct MemoryRequest {
  /** Ordinal of the CUDA device. */
  int ordinal;
  std::size_t bytes;
  /** Handle of the stream that orders the use, 0 and 1 for the legacy default one; or kEveryStream. */
  std::uint64_t stream;
};

struct MemoryAnswer {
  /** 0 if the request failed, and for zero bytes, which is no error. */
  std::uint64_t pointer = 0;
  std::string error;
  bool out_of_memory = false;
};

/** Serves requests on the JavaScript thread. */
class MemoryServer {
 public:
  virtual ~MemoryServer() = default;
  /** Serves a request on the home thread; calls Keep for the block. */
  virtual MemoryAnswer Serve(const MemoryRequest& request) = 0;
  /** Schedules a call of ServePosted in the event loop. Any thread. */
  virtual void Wake() = 0;
  /** Returns the block to the manager. Any thread, never waits. `elsewhere`: streams other than that of the
   * request used it. */
  virtual void Freed(std::uint64_t pointer, bool elsewhere) = 0;
  /** Drops the reference where freeing may wait. Any thread, never waits. */
  virtual void DropLater(std::shared_ptr<core::Storage> storage) = 0;
};

/** Allocations that bypassed the manager, because the JavaScript thread was waiting for Python. */
struct BesideManager {
  std::uint64_t count;
  std::uint64_t bytes;
};

/**
 * Serves the allocations of libraries. One environment of the process serves it. Callers may hold the GIL or
 * not. Requests of other threads wait for a turn of the event loop; if the JavaScript thread is in Python,
 * perhaps waiting for the requesting thread, the driver allocates the memory directly.
 */
class LibraryMemory {
 public:
  /** Returns the instance, never destroyed: libraries free memory until the process has exited. */
  static LibraryMemory& Instance();

  /** Makes the calling thread serve requests with `server`, which replaces its previous one. Returns false if
   * another thread serves. */
  bool Open(std::shared_ptr<MemoryServer> server, std::vector<core::Device*> devices);
  /** Makes pending and later requests fail; frees are ignored. Does nothing unless `server` serves. */
  void Close(const MemoryServer* server);
  void ServePosted();
  /** Registers a block that the server allocated for a request with that stream. Home thread. */
  void Keep(std::shared_ptr<MemoryServer> server, std::shared_ptr<core::Storage> storage,
            std::uint64_t stream);

  MemoryAnswer Allocate(const MemoryRequest& request);
  /** Frees the block after the work submitted so far to `stream`. Ignores unknown addresses. */
  void Free(std::uint64_t pointer, std::uint64_t stream) noexcept;
  /** Keeps the block until the work submitted so far to another stream is done. */
  void NoteUse(std::uint64_t pointer, std::uint64_t stream) noexcept;

  BesideManager beside() const { return {beside_count_, beside_bytes_}; }
  /** Returns the number of blocks that libraries hold. */
  std::size_t CountHeld();

 private:
  struct Block {
    std::shared_ptr<core::Storage> storage;
    /** The server that allocated it, which is notified when it is freed. */
    std::shared_ptr<MemoryServer> server;
    std::uint64_t stream = 0;
    bool elsewhere = false;
    bool beside = false;
  };
  struct Posted;

  LibraryMemory() = default;
  MemoryAnswer AllocateElsewhere(const MemoryRequest& request);
  MemoryAnswer AllocateBeside(const MemoryRequest& request);
  /** Registers work of a stream that must complete before the block is freed. */
  static void Use(core::Storage& storage, std::uint64_t stream);

  std::mutex mutex_;
  std::condition_variable answered_;
  std::shared_ptr<MemoryServer> server_;
  std::thread::id home_;
  std::vector<core::Device*> devices_;
  std::deque<std::shared_ptr<Posted>> posted_;
  /** True if requests went unanswered since the home thread last served. */
  bool stuck_ = false;
  int depth_ = 0;
  std::atomic<bool> home_in_python_{false};
  std::atomic<std::uint64_t> beside_count_{0};
  std::atomic<std::uint64_t> beside_bytes_{0};

  std::mutex blocks_mutex_;
  std::unordered_map<std::uint64_t, Block> blocks_;
};

}  // namespace stridelab::python

// Memory that libraries of Python ask for from any thread, and that the memory manager of JavaScript gives.
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

/** Stands for every stream of a device, where a library names none. */
inline constexpr std::uint64_t kEveryStream = UINT64_MAX;

struct MemoryRequest {
  /** Of the device, as CUDA counts. */
  int ordinal;
  std::size_t bytes;
  /** Handle of the stream whose order suffices, 0 and 1 for the legacy default one; or kEveryStream. */
  std::uint64_t stream;
};

struct MemoryAnswer {
  /** 0 where the request failed, and for no bytes, which is no error. */
  std::uint64_t pointer = 0;
  std::string error;
  bool out_of_memory = false;
};

/** What does the work on the thread of JavaScript. */
class MemoryServer {
 public:
  virtual ~MemoryServer() = default;
  /** Home thread. Has Keep called for what it gives. */
  virtual MemoryAnswer Serve(const MemoryRequest& request) = 0;
  /** Any thread: has ServePosted called in a turn of the event loop. */
  virtual void Wake() = 0;
  /** Any thread, never waits: the block goes back. `elsewhere`: other streams than that of the request used
   * it. */
  virtual void Freed(std::uint64_t pointer, bool elsewhere) = 0;
  /** Any thread, never waits: drops the reference where freeing may wait. */
  virtual void DropLater(std::shared_ptr<core::Storage> storage) = 0;
};

/** Allocations that were made beside the manager, since the thread of JavaScript waited for Python. */
struct BesideManager {
  std::uint64_t count;
  std::uint64_t bytes;
};

/**
 * One for the process, and one environment serves it. The library may hold the GIL or not. Requests of other
 * threads wait for a turn of the event loop; where that cannot come, because the thread of JavaScript is in
 * Python and waits perhaps for the very thread that asks, the driver gives the memory itself.
 */
class LibraryMemory {
 public:
  /** Never destroyed: libraries free until the process has gone. */
  static LibraryMemory& Instance();

  /** The calling thread serves from now on, instead of what it served by before. False where another thread
   * does. */
  bool Open(std::shared_ptr<MemoryServer> server, std::vector<core::Device*> devices);
  /** Requests fail from now on, those that wait too; frees are dropped. Nothing unless `server` serves. */
  void Close(const MemoryServer* server);
  void ServePosted();
  /** Notes a block that the server gives for a request with that stream. Home thread. */
  void Keep(std::shared_ptr<MemoryServer> server, std::shared_ptr<core::Storage> storage,
            std::uint64_t stream);

  MemoryAnswer Allocate(const MemoryRequest& request);
  /** After the work on `stream` so far. Nothing for an address that is not known. */
  void Free(std::uint64_t pointer, std::uint64_t stream) noexcept;
  /** Has the block outlast the work on a further stream so far. */
  void NoteUse(std::uint64_t pointer, std::uint64_t stream) noexcept;

  BesideManager beside() const { return {beside_count_, beside_bytes_}; }
  /** Blocks that libraries hold. */
  std::size_t CountHeld();

 private:
  struct Block {
    std::shared_ptr<core::Storage> storage;
    /** Who gave it, and is told when it is free. */
    std::shared_ptr<MemoryServer> server;
    std::uint64_t stream = 0;
    bool elsewhere = false;
    bool beside = false;
  };
  struct Posted;

  LibraryMemory() = default;
  MemoryAnswer AllocateElsewhere(const MemoryRequest& request);
  MemoryAnswer AllocateBeside(const MemoryRequest& request);
  /** Notes work of a stream that the block has to outlast. */
  static void Use(core::Storage& storage, std::uint64_t stream);

  std::mutex mutex_;
  std::condition_variable answered_;
  std::shared_ptr<MemoryServer> server_;
  std::thread::id home_;
  std::vector<core::Device*> devices_;
  std::deque<std::shared_ptr<Posted>> posted_;
  /** Requests went unanswered since the home thread last served. */
  bool stuck_ = false;
  int depth_ = 0;
  std::atomic<bool> home_in_python_{false};
  std::atomic<std::uint64_t> beside_count_{0};
  std::atomic<std::uint64_t> beside_bytes_{0};

  std::mutex blocks_mutex_;
  std::unordered_map<std::uint64_t, Block> blocks_;
};

}  // namespace stridelab::python

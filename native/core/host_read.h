// A copy to the host that a worker thread makes.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>

#include "core/event_pool.h"
#include "core/trace.h"
#include "core/wait.h"
#include "hazards/report.h"

namespace stridelab::core {

class Device;
class Storage;
class Stream;

/**
 * The bytes are those at the time of the request, in the order of the stream it was made on: a later writer
 * first calls Run itself. Whoever comes first makes the copy, so a writer never waits for a free worker
 * thread.
 */
class HostRead {
 public:
  /** What to read, and where to. `storage` keeps the memory. */
  struct Request {
    std::shared_ptr<const Storage> storage;
    std::uint64_t pointer;
    void* target;
    std::size_t bytes;
    /** The stream that asks, the number of the read on it, and the tail of the work to read after. */
    std::shared_ptr<Stream> stream;
    std::uint64_t sequence;
    WorkMark ready;
    /** Where in the program it was asked for. */
    TraceTag tag;
    /** Where it was asked for. */
    hazards::Site site;
    /** Whether a look asked for it. */
    bool looks;
  };

  explicit HostRead(Request request) : request_(std::move(request)) {}

  /** Returns when the copy is made, by this call or another; throws what it failed with. Any thread. */
  void Run(const InterruptFlag& interrupt);
  /** Returns when the copy is over, however it ended: Run reports a failure. Any thread. */
  void Finish(const InterruptFlag& interrupt);

 private:
  enum class State { kWaiting, kRunning, kDone };

  void Copy(const InterruptFlag& interrupt);

  Request request_;
  std::mutex mutex_;
  std::condition_variable done_;
  State state_ = State::kWaiting;
  std::exception_ptr failure_;
};

/** Device bytes that go to pageable host memory on a stream, on whose earlier work the caller has waited. */
struct HostCopy {
  std::uint64_t source;
  void* target;
  std::size_t bytes;
  driver::CUstream stream;
};

/** Whose read it is, for reports of hazards. */
struct ReadLabel {
  int stream_id;
  std::uint64_t sequence;
  hazards::Site site;
};

/** Made in pieces, since the driver cannot be interrupted inside one. `trace` is told where the last one
 * ends. */
void CopyToHost(Device& device, const HostCopy& copy, const ReadLabel& label, const InterruptFlag& interrupt,
                TraceScope& trace);

}  // namespace stridelab::core

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
 * A requested copy to the host. It reads the bytes as of its place in the stream's order: a later writer
 * first calls Finish. The first caller, worker thread or writer, makes the copy, so a writer never waits for
 * a free worker thread.
 */
class HostRead {
 public:
  /** What to read, and where to. `storage` keeps the memory alive. */
  struct Request {
    std::shared_ptr<const Storage> storage;
    std::uint64_t pointer;
    void* target;
    std::size_t bytes;
    /** The stream of the request, the read's number on it, and a mark after the work that precedes it. */
    std::shared_ptr<Stream> stream;
    std::uint64_t sequence;
    WorkMark ready;
    /** The place of the request in the program, for traces. */
    TraceTag tag;
    /** The place of the request in the program, for hazard reports. */
    hazards::Site site;
    /** True if an inspection (hazards/look.h) requested it. */
    bool looks;
  };

  explicit HostRead(Request request) : request_(std::move(request)) {}

  /** Makes the copy, or waits for the caller that makes it; throws if the copy failed. Any thread. */
  void Run(const InterruptFlag& interrupt);
  /** Makes the copy, or waits for the caller that makes it; only Run reports a failure. Any thread. */
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

/** A copy to pageable host memory, on a stream whose earlier work is done. */
struct HostCopy {
  std::uint64_t source;
  void* target;
  std::size_t bytes;
  driver::CUstream stream;
};

/** The operation that a read belongs to, for hazard reports. */
struct ReadLabel {
  int stream_id;
  std::uint64_t sequence;
  hazards::Site site;
};

/** Copies in pieces, because a driver call cannot be interrupted. Marks the end of the last piece in `trace`.
 */
void CopyToHost(Device& device, const HostCopy& copy, const ReadLabel& label, const InterruptFlag& interrupt,
                TraceScope& trace);

}  // namespace stridelab::core

// What is before what: clocks of streams, events, captures and the host.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "hazards/clock.h"
#include "hazards/shadow.h"

namespace stridelab::hazards {

/** A stream as the driver tells them apart: default streams belong to a context, the per-thread ones to a
 * thread as well; others have a handle of their own, and 0 for both. */
struct StreamKey {
  std::uint64_t context;
  std::uint64_t handle;
  std::uint64_t thread;

  auto operator<=>(const StreamKey&) const = default;
};

/**
 * The host is one clock for all threads: what one of them waited for is before what any submits later, which
 * may hide a race between threads, and never makes one up. For the same reason an event that somebody else
 * recorded, or another process may have, is taken to stand for everything.
 */
class Order {
 public:
  /** Shadow of the work that a capture keeps: none of it has met what runs outside. */
  struct Capture {
    Shadow shadow;
  };

  struct Stream {
    std::size_t slot;
    std::uint64_t context;
    bool blocking;
    /** Made by somebody else, who may have it wait for what no call of ours tells of. */
    bool foreign;
    Clock clock;
    std::shared_ptr<Capture> capture = nullptr;
    /** The clock outside the capture, to go on with after it. */
    Clock outside = {};
  };

  struct Position {
    std::size_t slot;
    std::uint64_t epoch;
    const Clock* clock;
    /** Null outside captures. */
    Capture* capture;
  };

  /** A stream that is not known yet. */
  void Add(const StreamKey& key, std::uint64_t context, bool blocking, bool foreign);
  bool Knows(const StreamKey& key) const { return streams_.contains(key); }
  void Destroy(const StreamKey& key);

  /** The place of one more access. The clock is good until the next call. */
  Position Submit(const StreamKey& key);

  /** Other processes may record one that is `shared`. */
  void CreateEvent(std::uint64_t event, bool shared) { events_[event] = {.shared = shared}; }
  void DestroyEvent(std::uint64_t event) { events_.erase(event); }
  void Record(const StreamKey& key, std::uint64_t event);
  void Wait(const StreamKey& key, std::uint64_t event);

  /** The host knows that everything before is done. */
  void HostPassedStream(const StreamKey& key);
  void HostPassedEvent(std::uint64_t event);
  void HostPassedContext(std::uint64_t context);

  /** Consumers that read a descriptor are after the stream it names. */
  void Export(const StreamKey& key) { exported_.Join(streams_.at(key).clock); }

  void BeginCapture(const StreamKey& key);
  void EndCapture(const StreamKey& key);

  const Clock& host() const { return host_; }

 private:
  struct Event {
    bool shared = false;
    bool recorded = false;
    Clock clock = {};
    bool captured = false;
    std::weak_ptr<Capture> capture = {};
  };
  struct RetiredSlot {
    std::size_t slot;
    std::uint64_t last;
  };

  std::size_t TakeSlot(Clock& clock);
  static void Join(Stream& stream, std::shared_ptr<Capture> capture);
  /** Brings in what precedes everything that is submitted to the stream now. */
  void JoinImplicit(const StreamKey& key, Stream& stream);
  /** What is before all that was submitted so far. */
  Clock Everything() const;

  std::map<StreamKey, Stream> streams_;
  std::unordered_map<std::uint64_t, Event> events_;
  Clock host_;
  Clock exported_;
  /** Of destroyed streams, whose work goes on. */
  Clock retired_;
  std::vector<RetiredSlot> retired_slots_;
  std::size_t slots_ = 0;
};

}  // namespace stridelab::hazards

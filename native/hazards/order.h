// The happens-before order of work: vector clocks of streams, events, captures and the host.
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

/** The identity of a stream. Default streams are identified by context, per-thread ones by thread as well;
 * other streams by their handle alone, with 0 for both. */
struct StreamKey {
  std::uint64_t context;
  std::uint64_t handle;
  std::uint64_t thread;

  auto operator<=>(const StreamKey&) const = default;
};

/**
 * The order of accesses. The host has one clock for all threads: work that one thread waited for precedes all
 * later submissions of any thread, which may hide a race between threads but never reports a false one. For
 * the same reason, an event recorded externally, or possibly by another process, is taken to cover all work.
 */
class Order {
 public:
  /** The shadow of captured work, which is separate because that work is not ordered with work outside. */
  struct Capture {
    Shadow shadow;
  };

  struct Stream {
    std::size_t slot;
    std::uint64_t context;
    bool blocking;
    /** Created externally: it may have waits that detection does not see. */
    bool foreign;
    Clock clock;
    std::shared_ptr<Capture> capture = nullptr;
    /** The clock outside the capture, restored after it. */
    Clock outside = {};
  };

  struct Position {
    std::size_t slot;
    std::uint64_t epoch;
    const Clock* clock;
    /** Null outside captures. */
    Capture* capture;
  };

  /** Adds a stream that is not known yet. */
  void Add(const StreamKey& key, std::uint64_t context, bool blocking, bool foreign);
  bool Knows(const StreamKey& key) const { return streams_.contains(key); }
  void Destroy(const StreamKey& key);

  /** Returns the position of a new access. The clock is valid until the next call. */
  Position Submit(const StreamKey& key);

  /** Adds an event; other processes may record it if it is `shared`. */
  void CreateEvent(std::uint64_t event, bool shared) { events_[event] = {.shared = shared}; }
  void DestroyEvent(std::uint64_t event) { events_.erase(event); }
  void Record(const StreamKey& key, std::uint64_t event);
  void Wait(const StreamKey& key, std::uint64_t event);

  /** Orders all later work after the stream's, because the host knows that it is done. */
  void HostPassedStream(const StreamKey& key);
  void HostPassedEvent(std::uint64_t event);
  void HostPassedContext(std::uint64_t context);

  /** Orders consumers of a descriptor after the stream that it names. */
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
  /** Joins the clocks that precede all work submitted to the stream now. */
  void JoinImplicit(const StreamKey& key, Stream& stream);
  /** Returns a clock that covers all work submitted so far. */
  Clock Everything() const;

  std::map<StreamKey, Stream> streams_;
  std::unordered_map<std::uint64_t, Event> events_;
  Clock host_;
  Clock exported_;
  /** The clock of destroyed streams, whose work may still run. */
  Clock retired_;
  std::vector<RetiredSlot> retired_slots_;
  std::size_t slots_ = 0;
};

}  // namespace stridelab::hazards

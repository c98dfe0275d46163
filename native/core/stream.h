// A stream and what is known about its progress.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/event_pool.h"
#include "core/wait.h"
#include "driver/types.h"

namespace stridelab::core {

class Capture;
class Device;
class Event;
class Graph;

/**
 * Work is numbered as it is submitted through this object; `completed` is the last one known to be done. A
 * number has two parts: the operation, from 1, and below it how many looks were submitted since. So looks
 * have their place in the order, and no operation's number changes by them. A stream that is destroyed with
 * work pending keeps an event recorded at its tail, so that storages it used can still be ordered after it
 * and freed after it. So does one that is being captured, whose tail cannot be asked for meanwhile.
 */
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  /** Handle 1 or 2. Never destroyed. */
  static std::shared_ptr<Stream> Default(Device& device, std::uint64_t handle);
  static std::shared_ptr<Stream> Create(Device& device, bool blocking, int priority);
  /** The object that already stands for the handle, or a new one that does not own it. */
  static std::shared_ptr<Stream> Wrap(Device& device, std::uint64_t handle);
  /**
   * Stands for a stream of somebody else, who may destroy it at any time, so that the driver must not be
   * asked for it. It passes for destroyed, and its tail is that of its whole context.
   */
  static std::shared_ptr<Stream> Unnamed(Device& device);
  /** Whether the driver can tell the tail of a context. */
  static bool CanBeUnnamed(Device& device);

  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device& device() const { return device_; }
  driver::CUstream handle() const { return handle_; }
  int id() const { return id_; }
  int priority() const { return priority_; }
  /** Whether it synchronises with the legacy default stream. */
  bool blocking() const { return blocking_; }
  bool owned() const { return owned_; }
  /** Made elsewhere, and perhaps destroyed there without a word. */
  bool foreign() const { return !owned_ && !default_; }
  bool destroyed() const { return destroyed_; }
  bool unnamed() const { return unnamed_; }
  std::uint64_t sequence() const { return sequence_; }
  /** The operation that a sequence number belongs to, as people count them. */
  static std::uint64_t OperationOf(std::uint64_t sequence) { return sequence >> kLookBits; }
  /** Whether a sequence number is that of a look. */
  static bool IsLook(std::uint64_t sequence) { return sequence != FirstOf(OperationOf(sequence)); }
  /** The number that the next operation will have, as people count them. */
  std::uint64_t NextOperation() const { return OperationOf(sequence_) + 1; }
  std::uint64_t completed() const { return completed_; }
  /** How many waits for other streams were submitted here. */
  std::uint64_t waits() const { return waits_; }
  /** Throws kind `freed` once destroyed, by its owner too where that can be told. */
  void RequireAlive();

  /** True where this stream's owner has destroyed it, as far as its memory tells, which is noted then. */
  bool NoticeIfDead();
  /** True where an error says that this stream's owner has destroyed it, which is noted then. */
  bool NoticeIfGone(const Error& error);

  /** Counts an operation, or a look, that was just submitted. */
  std::uint64_t NoteOperation();
  /** The work up to `sequence` is done. */
  void NoteCompletion(std::uint64_t sequence);

  /** True when idle; brings `completed` up to date. Works on destroyed streams too. */
  bool Query();
  void Synchronize(const InterruptFlag& interrupt);

  /** Records at the tail, without counting as an operation. */
  void Record(driver::CUevent event);
  /** `other_id` is that of the stream that recorded the event, where it is known. */
  void Wait(driver::CUevent event, int other_id = 0);
  /** Waits for an event of ours; one that was recorded in a capture takes this stream into it. */
  void WaitFor(const Event& event);
  /** Marks the tail of all work so far; null for a destroyed or capturing stream that had none left. */
  WorkMark MarkTail();
  /** Waits for all work of another stream so far, as WaitFor does for an event recorded there. */
  void WaitForStream(Stream& other);
  /** Later work of this stream runs after `other`'s operation `sequence`; free where that is already so. */
  void OrderAfter(Stream& other, std::uint64_t sequence);
  /** Has later work run after `other`'s operation `sequence` once the capture ends; false where none is under way. */
  bool OrderAfterCapture(const std::shared_ptr<Stream>& other, std::uint64_t sequence);
  /** True where a wait submitted before already orders later work of this stream after that operation. */
  bool IsOrderedAfter(const Stream& other, std::uint64_t sequence);
  /** Ids of streams, and the last operation of each that later work here waits for, as far as it is
   * remembered. */
  std::vector<std::pair<int, std::uint64_t>> OrderedAfter();

  /** Work submitted from here on is kept for a graph instead of being done. */
  void BeginCapture();
  /** The work that was kept. Throws what the driver says where the capture was broken; it is over then too.
   */
  std::shared_ptr<Graph> EndCapture();
  /** What this stream's work is captured into; null outside a capture. */
  std::shared_ptr<Capture> capture();
  bool capturing() const { return capturing_; }
  /** For Capture: its end. */
  void LeaveCapture();
  /** Throws kind `argument` while capturing: `what` cannot be kept for later. */
  void RequireNoCapture(const char* what) const;

  /** Idempotent. Default streams stay. */
  void Destroy();

 private:
  static constexpr int kLookBits = 24;
  static std::uint64_t FirstOf(std::uint64_t operation) { return operation << kLookBits; }

  Stream(Device& device, driver::CUstream handle, bool owned, bool is_default);

  Device& device_;
  driver::CUstream handle_;
  int id_;
  int priority_ = 0;
  bool blocking_ = false;
  bool owned_;
  bool default_;
  bool unnamed_ = false;
  std::atomic<bool> destroyed_{false};
  std::atomic<std::uint64_t> sequence_{0};
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<std::uint64_t> waits_{0};

  /** A stream in a capture waits for nothing outside it. */
  void RequireSameCapture(const std::shared_ptr<Capture>& own, const std::shared_ptr<Capture>& other) const;
  /** Throws kind `argument` for a device that this stream can never wait for. */
  void RequireSameDriver(const Device& device) const;
  void WaitAcross(driver::CUevent event, const std::shared_ptr<Capture>& other, int other_id);
  void SubmitWait(driver::CUevent event);
  /** Later work of this stream runs after that operation of the other one: a wait was submitted. */
  void RememberOrder(int other, std::uint64_t sequence);
  /** Null while a stream of the context is being captured. */
  WorkMark MarkContext();
  /** Notes that its owner destroyed it, and waits for what it may have left. */
  void BecomeGone();
  /** Marks the tail before MarkTail can no longer ask for it. */
  void KeepTail();
  void JoinCapture(const std::shared_ptr<Capture>& capture);

  std::atomic<bool> capturing_{false};
  std::mutex mutex_;
  std::shared_ptr<Capture> capture_;
  WorkMark last_work_;
  std::vector<std::pair<std::shared_ptr<Stream>, std::uint64_t>> after_capture_;
  /** By stream id: the last operation of that stream which this one already waits for. */
  std::unordered_map<int, std::uint64_t> ordered_after_;
};

}  // namespace stridelab::core

// A stream and its known progress.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
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
 * A stream whose work is numbered as it is submitted through this object; `completed` is the last number
 * known to be done. A number has two parts: the operation, from 1, in the high bits, and the count of
 * inspections (hazards/look.h) since then in the low bits, so that inspections have their place in the order
 * without changing the numbers of operations. A stream that was destroyed with work pending, or that is being
 * captured and so cannot be queried, keeps an event at its tail: later uses and frees are ordered after that.
 */
class Stream : public std::enable_shared_from_this<Stream> {
 public:
  /** Creates the object of a default stream: handle 1 or 2. Default streams are never destroyed. */
  static std::shared_ptr<Stream> Default(Device& device, std::uint64_t handle);
  static std::shared_ptr<Stream> Create(Device& device, bool blocking, int priority);
  /** Returns the existing object for the handle, or a new one that does not own the stream. */
  static std::shared_ptr<Stream> Wrap(Device& device, std::uint64_t handle);
  /**
   * Creates a stand-in for an external stream that is not known, or may be destroyed at any time. It counts
   * as destroyed, so it is never passed to the driver; its tail is that of its whole context.
   */
  static std::shared_ptr<Stream> Unnamed(Device& device);
  /** True if the driver can record an event at the tail of a context. */
  static bool CanBeUnnamed(Device& device);

  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  Device& device() const { return device_; }
  driver::CUstream handle() const { return handle_; }
  int id() const { return id_; }
  int priority() const { return priority_; }
  /** True if it synchronises with the legacy default stream. */
  bool blocking() const { return blocking_; }
  bool owned() const { return owned_; }
  /** True for a stream created externally, which may be destroyed without notice. */
  bool foreign() const { return !owned_ && !default_; }
  bool destroyed() const { return destroyed_; }
  bool unnamed() const { return unnamed_; }
  std::uint64_t sequence() const { return sequence_; }
  /** The operation number, as shown to users, of a sequence number. */
  static std::uint64_t OperationOf(std::uint64_t sequence) { return sequence >> kLookBits; }
  /** True if a sequence number is that of an inspection. */
  static bool IsLook(std::uint64_t sequence) { return sequence != FirstOf(OperationOf(sequence)); }
  /** The number of the next operation, as shown to users. */
  std::uint64_t NextOperation() const { return OperationOf(sequence_) + 1; }
  std::uint64_t completed() const { return completed_; }
  /** Number of waits for other streams that were submitted to this one. */
  std::uint64_t waits() const { return waits_; }
  /** Throws kind `freed` once the stream is destroyed, also by an external owner if that can be detected. */
  void RequireAlive() {
    if (destroyed_ || (foreign() && NoticeDestroyed())) RefuseDestroyed();
  }

  /** Marks the stream destroyed, and returns true, if its handle's memory shows that its owner did so. */
  bool NoticeDestroyed();
  /** Marks the stream destroyed, and returns true, if `error` shows that its external owner did so. */
  bool NoticeDestroyed(const Error& error);

  /** Counts an operation, or an inspection, that was just submitted; returns its sequence number. */
  std::uint64_t NoteOperation();
  /** Notes that the work up to `sequence` is done. */
  void NoteCompletion(std::uint64_t sequence);

  /** Returns true if the stream is idle; updates `completed`. Works on destroyed streams too. */
  bool Query();
  void Synchronize(const InterruptFlag& interrupt);

  /** Records an event at the tail, without counting as an operation. */
  void Record(driver::CUevent event);
  /** Makes the stream wait for an event; `other_id` is the stream that recorded it, 0 if unknown. */
  void Wait(driver::CUevent event, int other_id = 0);
  /** Makes the stream wait for an event; if it was recorded in a capture, this stream joins the capture. */
  void WaitFor(const Event& event);
  /** Marks the tail of all work so far; null for a destroyed or capturing stream with no pending work. */
  WorkMark MarkTail();
  /** Makes the stream wait for all work of another one so far, like WaitFor for an event recorded there. */
  void WaitForStream(Stream& other);
  /** Orders later work of this stream after `other`'s operation `sequence`; free if it is already ordered. */
  void OrderAfter(Stream& other, std::uint64_t sequence);
  /** Defers OrderAfter until the capture of this stream ends; false if none is under way. */
  bool OrderAfterCapture(const std::shared_ptr<Stream>& other, std::uint64_t sequence);
  /** True if later work of this stream is already ordered after that operation, as far as is remembered. */
  bool IsOrderedAfter(const Stream& other, std::uint64_t sequence);
  /** Pairs of a stream id and that stream's last operation that later work here waits for, as far as is
   * remembered. */
  std::vector<std::pair<int, std::uint64_t>> OrderedAfter();

  /** Begins a capture: work submitted from here on is recorded into a graph instead of being run. */
  void BeginCapture();
  /** Ends the capture and returns its graph. Throws the driver's error if the capture was invalidated; the
   * capture is over in that case too. */
  std::shared_ptr<Graph> EndCapture();
  /** The capture that this stream is part of; null outside a capture. */
  std::shared_ptr<Capture> capture() { return capturing_ ? CaptureUnderWay() : nullptr; }
  bool capturing() const { return capturing_; }
  /** Called by Capture when it ends. */
  void LeaveCapture();
  /** Throws kind `argument` while capturing: `what` cannot be captured. */
  void RequireNoCapture(const char* what) const;

  /** Destroys the stream. Idempotent; does nothing for default streams. */
  void Destroy();

 private:
  [[noreturn]] void RefuseDestroyed() const;
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

  /** Throws kind `argument` if a capturing stream would wait for work outside its capture. */
  void RequireSameCapture(const std::shared_ptr<Capture>& own, const std::shared_ptr<Capture>& other) const;
  /** Throws kind `argument` for a device of another driver, which this stream cannot wait for. */
  void RequireSameDriver(const Device& device) const;
  void WaitAcross(driver::CUevent event, const std::shared_ptr<Capture>& other, int other_id);
  void SubmitWait(driver::CUevent event);
  /** Remembers that a submitted wait orders later work of this stream after that operation of the other. */
  void RememberOrder(int other, std::uint64_t sequence);
  /** Marks the tail of the whole context; null while a stream of the context is being captured. */
  WorkMark MarkContext();
  /** Marks the stream as destroyed by its owner, and waits for any work that is left. */
  void BecomeDestroyed();
  /** Keeps a mark of the tail, for when MarkTail can no longer record one. */
  void KeepTail();
  std::shared_ptr<Capture> CaptureUnderWay();
  void JoinCapture(const std::shared_ptr<Capture>& capture);

  std::atomic<bool> capturing_{false};
  std::mutex mutex_;
  std::shared_ptr<Capture> capture_;
  WorkMark last_work_;
  std::vector<std::pair<std::shared_ptr<Stream>, std::uint64_t>> after_capture_;
  /** Returns the last operation of that stream that this one already waits for; 0 if none is remembered. The
   * lock is held. */
  std::uint64_t OrderedAfterOf(int other) const;
  /** Stream ids with what OrderedAfterOf returns: a list, because most streams wait for few others. */
  std::vector<std::pair<int, std::uint64_t>> ordered_after_;
};

}  // namespace stridelab::core

// Storage: a block of memory, together with its uses by submitted work.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/capture.h"
#include "core/host_read.h"
#include "core/parked_blocks.h"
#include "core/use_list.h"
#include "core/wait.h"

namespace stridelab::core {

class Device;

/** A range of bytes of a block; by default the whole block. */
struct ByteRange {
  std::size_t offset = 0;
  std::size_t bytes = SIZE_MAX;
};

struct LiveBlocks {
  std::uint64_t count;
  std::uint64_t bytes;
};

/**
 * A block of memory, reference-counted by shared_ptr: freed after the last release, once every noted use is
 * done. Work that was not noted is safe as well, because the driver's free waits for the whole device. Copies
 * and fills order themselves and note their uses; other work calls Prepare and RecordUse. Any thread may use
 * it.
 */
class Storage : public std::enable_shared_from_this<Storage> {
 public:
  /** Allocates a block; zero bytes make no driver call and have pointer 0. If the device is full, it frees
   * parked blocks and tries again. */
  static std::shared_ptr<Storage> Allocate(Device& device, std::size_t bytes, MemoryKind kind);
  /**
   * Adopts an externally owned block, from its first byte. `native_release` runs exactly once, after the last
   * reference is released and every noted use is done: on any thread, never inside the garbage collector or
   * a driver callback, and not at all if the process exits first. Registers host memory that a simulated
   * device does not know.
   */
  static std::shared_ptr<Storage> Adopt(Device& device, std::uint64_t pointer, std::size_t bytes,
                                        MemoryKind kind, std::function<void()> native_release);
  /** Adopts an externally owned block whose `release` specifies where it may run. */
  static std::shared_ptr<Storage> Adopt(Device& device, std::uint64_t pointer, std::size_t bytes,
                                        MemoryKind kind, Release release);
  /** Counts the blocks that are referenced; parked blocks do not count. */
  static LiveBlocks CountLive();

  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  Device& device() const { return device_; }
  MemoryKind kind() const { return kind_; }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t pointer() const { return pointer_; }
  /** True if the memory is externally owned. */
  bool adopted() const { return release_.has_value(); }
  /** Number of exported tensors that are not deleted yet; exporters call AddExport and EndExport. */
  std::uint32_t exports() const { return exports_.load(std::memory_order_relaxed); }
  void AddExport() { exports_.fetch_add(1, std::memory_order_relaxed); }
  void EndExport() { exports_.fetch_sub(1, std::memory_order_relaxed); }

  /** Throws kind `bounds` unless the block has those bytes. */
  void CheckRange(std::size_t offset, std::size_t bytes) const;
  /** Orders `stream` after conflicting uses. Before a write, also completes pending reads to the host. */
  void Prepare(Stream& stream, Access access, const InterruptFlag& interrupt);
  void RecordUse(const std::shared_ptr<Stream>& stream, Access access);
  /** Notes a use by another library on an unknown stream, which may be destroyed afterwards. Does nothing if
   * the driver cannot detect when such work is done. */
  void RecordUnnamedUse(Access access);
  /**
   * Reports a submitted operation to hazard detection, before it gets its number: after that, other threads
   * may find it done. Detection must know all operands of an operation before NoteUse makes other streams
   * wait for it. Costs nothing while detection is off.
   */
  void NoteAccess(Stream& stream, Access access, const ByteRange& range = {}) const;
  /** Notes a use by an operation that already has its number. */
  void NoteUse(const std::shared_ptr<Stream>& stream, Access access, std::uint64_t sequence);
  /** Replaces uses by the calling thread's default stream, whose handle names another stream elsewhere, with
   * uses by the legacy stream, which is made to wait for them (rule 70). */
  void LeaveThread();
  /** Notes earlier external work on a stream that may since have been destroyed: later uses wait for what is
   * left of it. */
  void NotePending(const std::shared_ptr<Stream>& stream);
  /**
   * Makes `producer`, the stream on which the owner keeps working on the same memory, wait for every later
   * use once it is submitted (rule 73). Null ends that. Captured work counts as a use when it is launched.
   */
  void SetProducer(std::shared_ptr<Stream> producer);
  std::vector<Use> Uses();
  std::shared_ptr<Stream> Join(bool read_only);

  void WriteFromHost(std::size_t offset, std::span<const std::byte> source,
                     const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt);
  void ReadToHost(std::size_t offset, std::span<std::byte> target, const std::shared_ptr<Stream>& stream,
                  const InterruptFlag& interrupt);
  /** Requests a copy to the host. `target` must stay valid until Run of the result has returned. */
  std::shared_ptr<HostRead> BeginReadToHost(std::size_t offset, std::span<std::byte> target,
                                            const std::shared_ptr<Stream>& stream);
  /** Returns the number of the operation. */
  std::uint64_t CopyFrom(std::size_t offset, Storage& source, std::size_t source_offset, std::size_t bytes,
                         const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt);
  /** Fills `count` elements of `width` bytes (1, 2 or 4); `offset` is a multiple of `width`. */
  void Fill(std::size_t offset, unsigned width, std::uint32_t pattern, std::size_t count,
            const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt);

 private:
  Storage(Device& device, std::uint64_t pointer, std::size_t bytes, MemoryKind kind,
          std::optional<Release> release);

  /** Throws `error`, the loss of a device, with this block's last write (rule 88) in the message if known. */
  void ThrowWithLastWriter(const Error& error);
  /** Adds a use, with the lock held; returns the producer stream that has to wait for it, or null. */
  std::shared_ptr<Stream> AddUse(const std::shared_ptr<Stream>& stream, Access access,
                                 std::uint64_t sequence);
  /** Completes pending reads to the host. */
  void FinishReads(const InterruptFlag& interrupt);
  void CheckStream(Stream& stream) const;
  void CheckDriver(const Stream& stream) const;

  Device& device_;
  std::uint64_t pointer_;
  std::size_t bytes_;
  MemoryKind kind_;
  /** Allocated by an inspection (hazards/look.h), so not traced. */
  bool of_look_;
  std::optional<Release> release_;
  std::atomic<std::uint32_t> exports_{0};
  /** Guards the members below: environments on several threads may share a block. */
  std::mutex mutex_;
  UseList uses_;
  std::shared_ptr<Stream> producer_;
  /** The capture whose work used the block last. */
  std::weak_ptr<Capture> capture_;
  std::vector<std::weak_ptr<HostRead>> reads_;
};

}  // namespace stridelab::core

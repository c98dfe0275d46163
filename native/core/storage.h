// A block of memory and the work that uses it.
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

/** A part of a block; the whole of it, unless told. */
struct ByteRange {
  std::size_t offset = 0;
  std::size_t bytes = SIZE_MAX;
};

struct LiveBlocks {
  std::uint64_t count;
  std::uint64_t bytes;
};

/**
 * Reference-counted by shared_ptr. When the last reference goes the memory goes too, once every known use is
 * done. Work that was never noted here is safe as well: the driver's free waits for the whole device. Copies
 * and fills order themselves and note their uses; other work does so through Prepare and RecordUse. Any
 * thread may use it.
 */
class Storage : public std::enable_shared_from_this<Storage> {
 public:
  /** Zero bytes make no driver call and have pointer 0. A full device is asked again once parked blocks are
   * freed. */
  static std::shared_ptr<Storage> Allocate(Device& device, std::size_t bytes, MemoryKind kind);
  /**
   * A block that somebody else owns, from its first byte. `release` runs exactly once, after the last
   * reference is gone and every noted use is done: on any thread, never inside a collector or a driver
   * callback, and not at all where the process ends first. A simulated device is told of host memory it does
   * not know.
   */
  static std::shared_ptr<Storage> Adopt(Device& device, std::uint64_t pointer, std::size_t bytes,
                                        MemoryKind kind, std::function<void()> native_release);
  /** Adopts memory whose `release` names the place where it may run. */
  static std::shared_ptr<Storage> Adopt(Device& device, std::uint64_t pointer, std::size_t bytes,
                                        MemoryKind kind, Release release);
  /** Blocks that something references; parked ones no longer count. */
  static LiveBlocks CountLive();

  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  Device& device() const { return device_; }
  MemoryKind kind() const { return kind_; }
  std::size_t bytes() const { return bytes_; }
  std::uint64_t pointer() const { return pointer_; }
  /** True where somebody else owns the memory. */
  bool adopted() const { return release_.has_value(); }
  /** Tensors over it that somebody else holds or may take: whoever makes one counts it, and its end. */
  std::uint32_t exports() const { return exports_.load(std::memory_order_relaxed); }
  void AddExport() { exports_.fetch_add(1, std::memory_order_relaxed); }
  void EndExport() { exports_.fetch_sub(1, std::memory_order_relaxed); }

  /** Also makes the host reads under way, where a writer comes. */
  void Prepare(Stream& stream, Access access, const InterruptFlag& interrupt);
  void RecordUse(const std::shared_ptr<Stream>& stream, Access access);
  /** Notes use by work that another library submits to a stream of its own, which it may destroy then.
   * Nothing where the driver cannot tell when such work is done. */
  void RecordUnnamedUse(Access access);
  /**
   * Notes an operation that was submitted for hazard detection, before it gets its number: from then on other
   * threads may find it done. Detection has to know all operands of an operation before NoteUse makes anybody
   * wait for it. Free unless it is on.
   */
  void NoteAccess(Stream& stream, Access access, const ByteRange& range = {}) const;
  /** For an operation that has its number already. */
  void NoteUse(const std::shared_ptr<Stream>& stream, Access access, std::uint64_t sequence);
  /** Has uses by the calling thread's default stream, whose handle means another one elsewhere, stand as uses
   * of the legacy stream, made to wait for them (rule 70). */
  void LeaveThread();
  /** Tells of work by somebody else on a stream that may be destroyed by now: what is left of it is waited
   * for. */
  void NotePending(const std::shared_ptr<Stream>& stream);
  /**
   * Has every later use, once submitted, waited for by `producer`: the stream on which somebody else goes on
   * to work on the same memory (rule 73). Null ends that. Work inside a capture counts at its launch.
   */
  void SetProducer(std::shared_ptr<Stream> producer);
  std::vector<Use> Uses();
  std::shared_ptr<Stream> Join(bool read_only);

  void WriteFromHost(std::size_t offset, std::span<const std::byte> source,
                     const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt);
  void ReadToHost(std::size_t offset, std::span<std::byte> target, const std::shared_ptr<Stream>& stream,
                  const InterruptFlag& interrupt);
  /** `target` must stay in place until the read's Run has returned. */
  std::shared_ptr<HostRead> BeginReadToHost(std::size_t offset, std::span<std::byte> target,
                                            const std::shared_ptr<Stream>& stream);
  void CopyFrom(std::size_t offset, Storage& source, std::size_t source_offset, std::size_t bytes,
                const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt);
  /** `width` is 1, 2 or 4; `offset` is a multiple of it. */
  void Fill(std::size_t offset, unsigned width, std::uint32_t pattern, std::size_t count,
            const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt);

 private:
  Storage(Device& device, std::uint64_t pointer, std::size_t bytes, MemoryKind kind,
          std::optional<Release> release);

  /** Throws the loss of a device with what was written to this block last (rule 88), where that is known. */
  void ThrowWithLastWriter(const Error& error);
  /** Adds to the list, under the lock, and gives the stream that has to wait for it; null where none has. */
  std::shared_ptr<Stream> AddUse(const std::shared_ptr<Stream>& stream, Access access,
                                 std::uint64_t sequence);
  void SubmitWrite(const std::shared_ptr<Stream>& stream, const ByteRange& range);
  void CheckRange(std::size_t offset, std::size_t bytes) const;
  void CheckStream(Stream& stream) const;
  void CheckDriver(const Stream& stream) const;

  Device& device_;
  std::uint64_t pointer_;
  std::size_t bytes_;
  MemoryKind kind_;
  /** Made by a look, and so in no trace. */
  bool of_look_;
  std::optional<Release> release_;
  std::atomic<std::uint32_t> exports_{0};
  /** Guards what follows: a block may be shared by the environments of several threads. */
  std::mutex mutex_;
  UseList uses_;
  std::shared_ptr<Stream> producer_;
  /** The capture whose work used it last. */
  std::weak_ptr<Capture> capture_;
  std::vector<std::weak_ptr<HostRead>> reads_;
};

}  // namespace stridelab::core

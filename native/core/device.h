// One device of a driver: its properties, retained primary context, streams, events and parked blocks.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/context_scope.h"
#include "core/event_pool.h"
#include "core/exit.h"
#include "core/parked_blocks.h"
#include "core/wait.h"

namespace stridelab::core {

class Driver;
class Stream;

struct MemoryInfo {
  std::size_t free;
  std::size_t total;
};

/** Stream priorities: `greatest` is the lower number. */
struct PriorityRange {
  int least;
  int greatest;
};

class Device {
 public:
  Device(Driver& driver, int ordinal);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  Driver& driver() const { return driver_; }
  const driver::DriverTable& table() const { return table_; }
  int ordinal() const { return ordinal_; }
  driver::CUdevice handle() const { return handle_; }
  const std::string& name() const { return name_; }
  const std::string& uuid() const { return uuid_; }
  const std::string& pci_bus_id() const { return pci_bus_id_; }
  int compute_major() const { return compute_major_; }
  int compute_minor() const { return compute_minor_; }
  std::size_t total_memory() const { return total_memory_; }

  /** Makes the device current for a scope. The first call retains the primary context, which is never
   * released. Throws kind `lost` in a process that was forked after a driver was opened. */
  ContextScope Enter();
  /** Calls a function of the driver with the device current. Throws kind `driver` or `lost` if it fails. */
  template <auto kSlot, typename... Arguments>
  void Call(Arguments... arguments) {
    const ContextScope scope = Enter();
    CallDriver<kSlot>(table_, arguments...);
  }
  /** Calls a function of the driver that frees a resource. Ignores failures: a driver that is shutting down
   * frees everything itself. */
  template <auto kSlot, typename Handle>
  void Dispose(Handle handle) noexcept {
    if (ProcessIsExiting()) return;
    try {
      const ContextScope scope = Enter();
      (table_.*kSlot)(handle);
    } catch (const std::exception&) {
      return;
    }
  }
  /** True if everything before the event's last record is done. */
  bool IsDone(driver::CUevent event);
  /** Blocks the host until everything before the event's last record, or on the stream, is done. */
  void WaitFor(driver::CUevent event, const InterruptFlag& interrupt);
  void WaitFor(driver::CUstream stream, const InterruptFlag& interrupt);
  MemoryInfo QueryMemory();
  /** Returns the attribute with that number; nullopt if the driver has no such attribute. */
  std::optional<int> Attribute(int attribute) const;
  /** The device's primary context. */
  driver::CUcontext Context();
  /** True if work on this device can access the other device's memory directly. */
  bool CanAccessPeer(const Device& peer) const;
  /** Enables direct copies to and from `peer` where supported; later calls for the same peer are free. */
  void EnablePeerAccess(Device& peer);
  PriorityRange StreamPriorities();
  /** Blocks the host until all submitted work is done. It waits for this library's streams first, and that
   * wait can be interrupted. */
  void Synchronize(const InterruptFlag& interrupt);

  std::shared_ptr<Stream> LegacyStream();
  /** The calling thread's default stream: handle 2 names a different stream on each thread. */
  std::shared_ptr<Stream> PerThreadStream();
  /** The live stream object with that handle, or null. */
  std::shared_ptr<Stream> FindStream(driver::CUstream handle);
  /** All live stream objects, except per-thread default streams. */
  std::vector<std::shared_ptr<Stream>> LiveStreams();
  void AddStream(const std::shared_ptr<Stream>& stream);
  void RemoveStream(const Stream& stream) noexcept;

  /** A non-blocking stream for the copies to the host that worker threads make. */
  driver::CUstream TransferStream();

  /** Total bytes of the blocks that are still referenced. */
  std::atomic<std::uint64_t>& live_bytes() { return live_bytes_; }
  EventPool& events() { return events_; }
  ParkedBlocks& parked() { return parked_; }

 private:
  Driver& driver_;
  const driver::DriverTable& table_;
  int ordinal_;
  driver::CUdevice handle_ = 0;
  std::string name_;
  std::string uuid_;
  std::string pci_bus_id_;
  int compute_major_ = 0;
  int compute_minor_ = 0;
  std::size_t total_memory_ = 0;

  std::atomic<std::uint64_t> live_bytes_{0};
  std::mutex mutex_;
  std::atomic<driver::CUcontext> context_{nullptr};
  /** One bit for each peer for which EnablePeerAccess has run, whether or not access is possible. */
  std::atomic<std::uint64_t> peers_asked_{0};
  driver::CUstream transfer_stream_ = nullptr;
  std::shared_ptr<Stream> legacy_;
  std::unordered_map<std::uint64_t, std::weak_ptr<Stream>> streams_;
  EventPool events_{*this};
  ParkedBlocks parked_{*this};
};

}  // namespace stridelab::core

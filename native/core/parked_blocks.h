// Memory that nobody references any more but that submitted work still uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "core/event_pool.h"

namespace stridelab::core {

class Device;

enum class MemoryKind { kDevice, kPinned, kManaged };

/** Gives memory back to the driver; a driver that is shutting down takes its memory with it, so failures are
 * ignored. */
void FreeBlock(Device& device, std::uint64_t pointer, MemoryKind kind) noexcept;

/**
 * Blocks wait here, each with events recorded at the tails of the streams that used it, until those are done.
 * So neither `release` nor a finalizer ever blocks on the device, and no memory is freed under work that uses
 * it.
 */
class ParkedBlocks {
 public:
  explicit ParkedBlocks(Device& device) : device_(device) {}

  void Park(std::uint64_t pointer, MemoryKind kind, std::vector<WorkMark> uses);
  /** Frees from the oldest on, up to the first block still in use. */
  void FreeFinished();
  /** Waits for all and frees them: what an allocation does before it fails. False where none was parked. */
  bool WaitAndFreeAll();

 private:
  struct Block {
    std::uint64_t pointer;
    MemoryKind kind;
    std::vector<WorkMark> uses;
  };

  Device& device_;
  std::mutex mutex_;
  std::deque<Block> blocks_;
};

}  // namespace stridelab::core

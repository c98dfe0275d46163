// Memory that is no longer referenced but that submitted work still uses.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "core/event_pool.h"
#include "core/release.h"
#include "generated/words.h"

namespace stridelab::core {

class Device;

using stridelab::MemoryKind;

/** Memory and how to free it: with the driver's function for its kind, or with its owner's `release`. */
struct Block {
  std::uint64_t pointer;
  MemoryKind kind;
  std::optional<Release> release;
};

/** Frees a block. Failures are ignored: a driver that is shutting down frees its memory itself. */
void FreeBlock(Device& device, Block block) noexcept;

/**
 * Blocks to be freed, each once the events at the tails of the streams that used it are done. So neither
 * `release` nor a finalizer ever blocks on the device, and no memory is freed while work still uses it.
 * Releases run without a lock held.
 */
class ParkedBlocks {
 public:
  /** How many blocks in use FreeFinished skips before it stops: none in an allocation, some elsewhere. */
  static constexpr int kQuick = 0;
  static constexpr int kThorough = 16;

  explicit ParkedBlocks(Device& device) : device_(device) {}

  void Park(Block block, std::vector<WorkMark> uses);
  /** Frees blocks that are no longer in use, oldest first. */
  void FreeFinished(int patience = kQuick);
  /** Waits for all blocks and frees them, for an allocation that would fail. False if none was parked. */
  bool WaitAndFreeAll();
  bool HoldsAdopted() const { return adopted_ > 0; }

 private:
  struct Parked {
    Block block;
    std::vector<WorkMark> uses;
  };

  Device& device_;
  std::mutex mutex_;
  std::deque<Parked> blocks_;
  std::atomic<int> adopted_{0};
};

}  // namespace stridelab::core

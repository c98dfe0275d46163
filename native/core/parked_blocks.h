// Memory that nobody references any more but that submitted work still uses.
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

/** Memory and how it goes: by the driver's free for its kind, or by the release of whoever lent it. */
struct Block {
  std::uint64_t pointer;
  MemoryKind kind;
  std::optional<Release> release;
};

/** Gives memory back. A driver that is shutting down takes its memory with it, so failures are ignored. */
void FreeBlock(Device& device, Block block) noexcept;

/**
 * Blocks wait here, each with events recorded at the tails of the streams that used it, until those are done.
 * So neither `release` nor a finalizer ever blocks on the device, and no memory is freed under work that uses
 * it. Releases run without a lock held.
 */
class ParkedBlocks {
 public:
  /** How many blocks still in use FreeFinished looks past: none on the way to an allocation, some elsewhere.
   */
  static constexpr int kQuick = 0;
  static constexpr int kThorough = 16;

  explicit ParkedBlocks(Device& device) : device_(device) {}

  void Park(Block block, std::vector<WorkMark> uses);
  /** Frees from the oldest on what is no longer in use. */
  void FreeFinished(int patience = kQuick);
  /** Waits for all and frees them: what an allocation does before it fails. False where none was parked. */
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

// The last accesses to each byte of memory, by address.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "hazards/clock.h"
#include "hazards/report.h"

namespace stridelab::hazards {

/** An access, with its number `epoch` on the stream in `slot`. */
struct Stamp {
  std::size_t slot;
  std::uint64_t epoch;
  AccessPointer access;

  bool IsBefore(const Clock& clock) const { return clock.At(slot) >= epoch; }
};

/**
 * Shadow memory, by address rather than by block, because two storages may share memory. For each range it
 * has the last write and the reads since then, except reads that precede another read.
 */
class Shadow {
 public:
  /** Adds an access that is ordered after `clock`. Returns the unordered pairs that it forms with others. */
  std::vector<Report> Add(std::uint64_t start, std::uint64_t bytes, const Stamp& stamp, const Clock& clock);
  /** Forgets freed memory. */
  void Forget(std::uint64_t start, std::uint64_t bytes);
  bool Knows(std::uint64_t start, std::uint64_t bytes) const;
  /** Forgets accesses that precede `clock`, once there are many ranges. */
  void Prune(const Clock& clock);

 private:
  struct Cell {
    std::uint64_t end;
    std::optional<Stamp> write;
    std::vector<Stamp> reads;
  };
  using Cells = std::map<std::uint64_t, Cell>;

  /** Splits the cell that spans `address`, so that one begins there. */
  void Split(std::uint64_t address);

  static constexpr std::size_t kFirstPrune = 4096;

  Cells cells_;
  std::size_t prune_at_ = kFirstPrune;
};

}  // namespace stridelab::hazards

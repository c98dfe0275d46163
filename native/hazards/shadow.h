// The last accesses to each byte of memory, by address.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "hazards/clock.h"
#include "hazards/report.h"

namespace stridelab::hazards {

/** An access as the `epoch`th of the stream in `slot`. */
struct Stamp {
  std::size_t slot;
  std::uint64_t epoch;
  AccessPointer access;

  bool IsBefore(const Clock& clock) const { return clock.At(slot) >= epoch; }
};

/**
 * Addresses, not blocks: two storages over the same memory are the same bytes. A range has one last write and
 * the reads since, of which those that others follow are left out.
 */
class Shadow {
 public:
  /** Notes an access by a stream that comes after `clock`. Returns the unordered pairs it completes. */
  std::vector<Report> Add(std::uint64_t start, std::uint64_t bytes, const Stamp& stamp, const Clock& clock);
  /** The memory was freed. */
  void Forget(std::uint64_t start, std::uint64_t bytes);
  bool Knows(std::uint64_t start, std::uint64_t bytes) const;
  /** Forgets what lies before `clock`, when much has come together. */
  void Prune(const Clock& clock);

 private:
  struct Cell {
    std::uint64_t end;
    std::optional<Stamp> write;
    std::vector<Stamp> reads;
  };
  using Cells = std::map<std::uint64_t, Cell>;

  /** Has a cell begin at `address` where one spans it. */
  void Split(std::uint64_t address);

  static constexpr std::size_t kFirstPrune = 4096;

  Cells cells_;
  std::size_t prune_at_ = kFirstPrune;
};

}  // namespace stridelab::hazards

// The last accesses of each element of some memory, from which races are found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace stridelab::kernels {

enum class AccessKind : std::uint8_t { kRead, kWrite, kAtomic };

/** An access: by which thread of the grid, when, and where in the program. */
struct Mark {
  std::uint64_t thread = 0;
  /** 0 for no access. */
  std::uint32_t clock = 0;
  std::int32_t place = 0;
};

/** What orders accesses: barriers of blocks, of warps and of the grid. Time passes with each of them. */
class Clock {
 public:
  explicit Clock(std::size_t threads) : threads_(threads), warps_((threads + 31) / 32) {}

  /** Forgets the barriers of earlier blocks: `blocks` of them from `first` run now. */
  void Start(std::uint64_t first, std::size_t blocks);
  void SyncBlock(std::uint64_t block) { block_[block - first_] = now_++; }
  void SyncWarp(std::uint64_t block, std::size_t warp) { warp_[(block - first_) * warps_ + warp] = now_++; }
  void SyncGrid() { grid_ = now_++; }

  std::uint32_t now() const { return now_; }
  std::uint64_t BlockOf(std::uint64_t thread) const { return thread / threads_; }
  /** True if an access is ordered before whatever `thread` of a running block does now. */
  bool Before(const Mark& mark, std::uint64_t thread) const;

 private:
  std::size_t threads_;
  std::size_t warps_;
  std::uint64_t first_ = 0;
  std::uint32_t now_ = 1;
  /** When the last barrier was; 0 for none. */
  std::uint32_t grid_ = 0;
  std::vector<std::uint32_t> block_;
  std::vector<std::uint32_t> warp_;
};

/** The shadow of a range of memory. */
class Shadow {
 public:
  /** Accesses that overlap in a granule count as accesses of one element. */
  Shadow(std::uint64_t start, std::size_t bytes, std::size_t granule);

  /** Notes an access. Returns an earlier one that races with it, if any: of another thread, not ordered before this one, and at least
   * one of the two a write that is not atomic. */
  std::optional<Mark> Touch(std::uint64_t address, std::size_t bytes, AccessKind kind, const Mark& mark,
                            const Clock& clock);
  /** True if nothing was written to an element. */
  bool Untouched(std::uint64_t address);
  void Clear();

 private:
  struct Cell {
    Mark write;
    /** The last read or atomic access, the last of another thread, and the last of another block than the first's. */
    std::array<Mark, 3> reads;
    bool written = false;
  };
  static constexpr std::size_t kPage = 512;

  Cell& At(std::size_t number);
  static std::optional<Mark> TouchCell(Cell& cell, AccessKind kind, const Mark& mark, const Clock& clock);

  std::uint64_t start_;
  std::size_t granule_;
  std::vector<std::unique_ptr<std::array<Cell, kPage>>> pages_;
};

}  // namespace stridelab::kernels

// The record of a checked run for a picture: which lanes of each warp accessed what, and where warps split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/mask.h"
#include "kernels/program.h"
#include "kernels/shadow.h"

namespace stridelab::kernels {

/** What to record: the first blocks of the grid, in at most so many numbers. Blocks that need more are left out, the last first. */
struct RecordOptions {
  std::size_t blocks = 0;
  std::size_t most_words = 0;
};

class Batch;

/** An access by the lanes of a batch; null as mask for all from `low` to `high`. */
struct LaneAccess {
  const Batch& batch;
  const Instruction& instruction;
  AccessKind kind;
  std::size_t array;
  std::byte* base;
  const std::int64_t* offsets;
  const std::uint8_t* mask;
  std::size_t low;
  std::size_t high;
};

/** The numbers of a record are described in src/native/kernels-binding.ts. */
class Recorder {
 public:
  Recorder(const RecordOptions& options, const Program& program, std::size_t threads)
      : most_words_(options.most_words), program_(program), threads_(threads), words_(options.blocks) {}

  /** `apart` is the distance in bytes of the shared memories of two blocks. */
  void Access(const LaneAccess& access, std::uint64_t first, std::size_t apart);
  /** Lanes arrive at a branch; `taken` has those of them that go into the first arm, or into the next round. */
  void Branch(const Instruction& instruction, const Mask& active, const std::uint8_t* taken,
              std::uint64_t first);
  std::string ToJson() const;

 private:
  /** Calls `visit` with the block, its warp, the warp's first lane and its lanes in `mask`, for each warp that has any and is
   * recorded. */
  template <typename Visit>
  void EachWarp(std::size_t low, std::size_t high, const std::uint8_t* mask, std::uint64_t first,
                Visit visit) const;
  /** Adds an entry of a block. Makes room by leaving the last blocks out, but never the first. */
  void Add(std::uint64_t block, const std::vector<std::int64_t>& entry);

  std::size_t most_words_;
  const Program& program_;
  std::size_t threads_;
  /** The numbers of each recorded block. */
  std::vector<std::vector<std::int64_t>> words_;
  std::size_t size_ = 0;
  bool complete_ = true;
};

}  // namespace stridelab::kernels

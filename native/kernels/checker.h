// The checks of accesses during an execution, and the record of them for a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/fault.h"
#include "kernels/mask.h"
#include "kernels/program.h"
#include "kernels/record.h"
#include "kernels/shadow.h"

namespace stridelab::kernels {

struct Launch;

/** One for an execution, whose batches run one after another. */
class Checker {
 public:
  Checker(const Launch& launch, Report& report, const RecordOptions& record);

  /** A batch of blocks starts; each has `bytes` of the shared memory. */
  void Start(std::byte* shared, std::size_t bytes, std::uint64_t first, std::size_t blocks);
  void Access(const LaneAccess& access);
  /** Active lanes arrive at a branch with these conditions. */
  void Branch(const Instruction& instruction, const Mask& active, const std::uint8_t* condition) {
    recorder_.Branch(instruction, active, condition, first_);
  }
  void SyncBlock(std::uint64_t block) { clock_.SyncBlock(block); }
  void SyncWarp(std::uint64_t block, std::size_t warp) { clock_.SyncWarp(block, warp); }
  void SyncGrid() { clock_.SyncGrid(); }
  std::string record() const { return recorder_.ToJson(); }

 private:
  void CheckRace(const LaneAccess& access, Shadow& shadow, std::size_t lane);
  void CheckLocal(const LaneAccess& access, std::size_t lane);
  void AddFault(const char* kind, const LaneAccess& access, std::size_t lane, const Mark* other);

  const Launch& launch_;
  const Program& program_;
  Report& report_;
  std::size_t threads_;
  std::uint64_t first_ = 0;
  Clock clock_;
  Recorder recorder_;
  /** Of arrays in global memory, several of which may share memory. */
  std::vector<std::shared_ptr<Shadow>> shadows_;
  std::unique_ptr<Shadow> shared_;
  std::size_t shared_bytes_ = 0;
  /** Which elements of local memory were written: by array, then at the element's offset. */
  std::vector<std::vector<bool>> local_;
};

}  // namespace stridelab::kernels

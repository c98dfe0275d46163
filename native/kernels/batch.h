// Some blocks of a launch that run together: each register is an array of lanes, one for each thread, and every instruction runs for
// all active lanes before the next one. So a lane that loops until another lane of its batch has done something loops until it is
// interrupted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compute/scratch.h"
#include "kernels/launch.h"
#include "kernels/mask.h"

namespace stridelab::kernels {

inline constexpr std::size_t kWarp = 32;

class Batch {
 public:
  /** Holds up to `blocks` blocks. `checker` is null without checks. */
  Batch(const Launch& launch, std::size_t blocks, Report& report, Checker* checker);

  /** Runs blocks of the grid from `first`. */
  void Run(std::uint64_t first, std::size_t blocks);

  /** The index of a lane's access, one number for each axis. */
  std::vector<std::int64_t> IndexAt(const Instruction& instruction, std::size_t lane) const;

 private:
  template <typename T>
  T* Held(std::int32_t number) {
    return reinterpret_cast<T*>(registers_[static_cast<std::size_t>(number)]);
  }
  ValueType TypeOf(std::int32_t number) const {
    return program_.registers()[static_cast<std::size_t>(number)].type;
  }
  /** The active lanes for a loop over the range: null if they are all of it. */
  const std::uint8_t* active() const { return now_.full() ? nullptr : now_.lanes; }
  template <typename Visit>
  void EachActive(Visit visit) const {
    for (std::size_t lane = now_.low; lane < now_.high; ++lane) {
      if (now_.lanes[lane] != 0) visit(lane);
    }
  }
  Actor ActorOf(std::size_t lane, const Instruction& instruction) const {
    return {first_ + lane / threads_, static_cast<std::uint32_t>(lane % threads_), instruction.place};
  }
  void AddFault(const char* kind, std::size_t lane, const Instruction& instruction);
  /** Makes this instruction the last one. */
  void End();
  /** Looks at the interrupt flag now and then; stops the execution if it is raised. */
  bool StopIfInterrupted(const Instruction& instruction);

  // Values from the start.
  void FillOnce();
  void FillBlocks();
  template <typename T, typename Value>
  void FillLanes(std::int32_t number, Value value);
  void FillSpecial(std::int32_t number, Special special);
  std::uint32_t SpecialOf(Special special, std::uint64_t block, std::size_t thread) const;

  void RunOne(const Instruction& instruction);
  void Compute(const Instruction& instruction);

  // Control flow. A jump sets `next_`.
  void If(const Instruction& instruction);
  void Else(const Instruction& instruction);
  void Merge(KeptMask& kept);
  void Split(const std::uint8_t* condition, KeptMask& others);
  void Clear();
  void Leave(const Instruction& instruction);
  void Test(const Instruction& instruction);
  void Back(const Instruction& instruction);
  void JumpIfNone(std::int32_t target) {
    if (now_.none()) next_ = static_cast<std::size_t>(target);
  }
  KeptMask& KeptAt(std::int32_t number) { return masks_[static_cast<std::size_t>(number)]; }

  // Memory.
  struct Access {
    std::byte* base;
    /** Null if all lanes of the range access an element. */
    const std::uint8_t* mask;
  };
  /** Returns the memory of an array, and sets the offsets of each lane's first element. */
  std::byte* BaseOf(std::size_t number);
  Access Find(const Instruction& instruction, AccessKind kind);
  template <typename Index>
  std::uint64_t AddAxis(std::int32_t number, std::int64_t extent, std::int64_t stride);
  void RefuseOutside(const Instruction& instruction, std::size_t number);
  std::int64_t ValueAt(std::int32_t number, std::size_t lane) const;
  /** Moves elements that follow each other in the order of the lanes; returns false, without an effect, for others. */
  bool MoveDense(const Instruction& instruction);
  void Load(const Instruction& instruction);
  void Store(const Instruction& instruction);
  void Atomic(const Instruction& instruction);
  /** Finds the first of several elements that follow each other on the last axis. */
  Access FindVector(const Instruction& instruction, AccessKind kind);
  /** Sets `inside_` to the active lanes whose elements are inside and aligned, and reports the others. */
  void RefuseVectors(const Instruction& instruction, const std::byte* base);
  void LoadVector(const Instruction& instruction);
  void StoreVector(const Instruction& instruction);

  // Operations of warps and blocks.
  void Warp(const Instruction& instruction);
  void WarpOf(const Instruction& instruction, std::size_t start, std::size_t size);
  void Shuffle(const Instruction& instruction, std::size_t start, std::size_t size);
  std::uint32_t Vote(const Instruction& instruction, std::size_t start, std::size_t lane,
                     std::uint32_t members);
  std::uint32_t ActiveBits(std::size_t start, std::size_t size) const;
  void CheckWarp(const Instruction& instruction, std::size_t start, std::size_t size, std::uint32_t bits);
  void Barrier(const Instruction& instruction);
  void BarrierOf(const Instruction& instruction, std::size_t start);
  void CheckBarrier(const Instruction& instruction, std::size_t start, std::size_t arrived);

  // Other effects.
  void Print(const Instruction& instruction);
  void AppendValue(std::string& line, std::int32_t number, std::size_t lane);
  void Assert(const Instruction& instruction);
  void Nonzero(const Instruction& instruction);
  void Fail(const Instruction& instruction);

  const Launch& launch_;
  const Program& program_;
  Report& report_;
  Checker* checker_;
  /** Threads of a block. */
  std::size_t threads_;
  /** Lanes that there is room for, and that are in use. */
  std::size_t capacity_;
  std::size_t lanes_ = 0;
  std::uint64_t first_ = 0;

  compute::Scratch memory_{0};
  std::vector<std::byte*> registers_;
  /** The first is that of threads that ended. */
  std::vector<KeptMask> masks_;
  /** A result before the blend with a variable, and the element offsets of an access. */
  std::byte* blend_ = nullptr;
  std::int64_t* offsets_ = nullptr;
  std::uint8_t* inside_ = nullptr;
  std::byte* shared_ = nullptr;
  std::byte* local_ = nullptr;
  std::size_t shared_bytes_;
  /** Offset of the shared memory of each lane's block. */
  std::vector<std::int64_t> block_offsets_;
  std::vector<std::uint8_t> active_;
  Mask now_;
  std::size_t next_ = 0;
  unsigned rounds_ = 0;
};

}  // namespace stridelab::kernels

// Operations of warps and of blocks.
#include <algorithm>
#include <bit>
#include <cstring>

#include "kernels/batch.h"

namespace stridelab::kernels {
namespace {

constexpr bool Shuffles(WarpOperation operation) { return operation <= WarpOperation::kShflXor; }

/** Returns the lane whose value `lane` gets; its own if there is none in its part of the warp. */
std::size_t SourceOf(WarpOperation operation, std::size_t lane, std::int32_t by, std::int32_t given_width) {
  const auto width = static_cast<std::uint32_t>(given_width);
  const std::size_t part = std::has_single_bit(width) && width <= kWarp ? width : kWarp;
  const std::size_t start = lane & ~(part - 1);
  const std::size_t distance = static_cast<std::uint32_t>(by);
  switch (operation) {
    case WarpOperation::kShfl:
      return start | (distance & (part - 1));
    case WarpOperation::kShflUp:
      return distance <= lane - start ? lane - distance : lane;
    case WarpOperation::kShflDown:
      return distance < start + part - lane ? lane + distance : lane;
    default: {
      const std::size_t source = lane ^ distance;
      return source < start + part ? source : lane;
    }
  }
}

}  // namespace

std::uint32_t Batch::ActiveBits(std::size_t start, std::size_t size) const {
  std::uint32_t bits = 0;
  for (std::size_t lane = 0; lane < size; ++lane) bits |= std::uint32_t{now_.lanes[start + lane]} << lane;
  return bits;
}

void Batch::Warp(const Instruction& instruction) {
  if (now_.none()) return;
  for (std::size_t block = now_.low / threads_; block * threads_ < now_.high; ++block) {
    for (std::size_t thread = 0; thread < threads_; thread += kWarp)
      WarpOf(instruction, block * threads_ + thread, std::min(kWarp, threads_ - thread));
  }
}

/** Runs the operation for the warp of `size` lanes from `start`. */
void Batch::WarpOf(const Instruction& instruction, std::size_t start, std::size_t size) {
  const std::uint32_t bits = ActiveBits(start, size);
  if (bits == 0) return;
  const auto operation = static_cast<WarpOperation>(instruction.fields[0]);
  const std::int32_t out = instruction.fields[2];
  const std::uint32_t* named =
      operation == WarpOperation::kActiveMask ? nullptr : Held<std::uint32_t>(instruction.fields[3]) + start;
  if (checker_ != nullptr && named != nullptr) CheckWarp(instruction, start, size, bits);
  if (Shuffles(operation)) return Shuffle(instruction, start, size);
  for (std::size_t lane = 0; lane < size && out >= 0; ++lane) {
    if ((bits >> lane & 1) == 0) continue;
    const std::uint32_t members = named == nullptr ? bits : bits & named[lane];
    const std::uint32_t vote = named == nullptr ? bits : Vote(instruction, start, lane, members);
    if (TypeOf(out) == ValueType::kBool) {
      Held<std::uint8_t>(out)[start + lane] = vote != 0 ? 1 : 0;
    } else {
      Held<std::uint32_t>(out)[start + lane] = vote;
    }
  }
}

/** Returns the result of a vote or a match among the lanes `members`. */
std::uint32_t Batch::Vote(const Instruction& instruction, std::size_t start, std::size_t lane,
                          std::uint32_t members) {
  const auto operation = static_cast<WarpOperation>(instruction.fields[0]);
  const std::int32_t value = instruction.fields[4];
  if (value < 0) return 0;
  const std::size_t size = SizeOf(TypeOf(value));
  const std::byte* values = Held<std::byte>(value) + start * size;
  const bool matches = operation == WarpOperation::kMatchAny || operation == WarpOperation::kMatchAll;
  std::uint32_t found = 0;
  for (std::size_t other = 0; other < kWarp; ++other) {
    if ((members >> other & 1) == 0) continue;
    const bool is = matches ? std::memcmp(values + other * size, values + lane * size, size) == 0
                            : values[other] != std::byte{0};
    found |= std::uint32_t{is} << other;
  }
  if (operation == WarpOperation::kAll) return found == members ? 1 : 0;
  return operation == WarpOperation::kMatchAll && found != members ? 0 : found;
}

void Batch::Shuffle(const Instruction& instruction, std::size_t start, std::size_t size) {
  const auto operation = static_cast<WarpOperation>(instruction.fields[0]);
  const std::int32_t out = instruction.fields[2];
  const std::int32_t value = instruction.fields[4];
  const std::int32_t* by = Held<std::int32_t>(instruction.fields[5]) + start;
  const std::int32_t* width = Held<std::int32_t>(instruction.fields[6]) + start;
  const std::size_t bytes = SizeOf(TypeOf(value));
  // The result may be the register of the value.
  std::byte before[kWarp * 8];
  std::memcpy(before, Held<std::byte>(value) + start * bytes, size * bytes);
  for (std::size_t lane = 0; lane < size; ++lane) {
    if (now_.lanes[start + lane] == 0) continue;
    std::size_t source = SourceOf(operation, lane, by[lane], width[lane]);
    if (source >= size || now_.lanes[start + source] == 0) {
      if (checker_ != nullptr) AddFault("shuffle", start + lane, instruction);
      source = lane;
    }
    if (out >= 0) std::memcpy(Held<std::byte>(out) + (start + lane) * bytes, before + source * bytes, bytes);
  }
}

/** Reports lanes whose mask names lanes that are not there or do not take part, or not the lane itself. */
void Batch::CheckWarp(const Instruction& instruction, std::size_t start, std::size_t size,
                      std::uint32_t bits) {
  const std::uint32_t* named = Held<std::uint32_t>(instruction.fields[3]) + start;
  const std::uint8_t* ended = masks_[0].lanes + start;
  std::uint32_t gone = 0;
  for (std::size_t lane = 0; lane < size; ++lane) gone |= std::uint32_t{ended[lane]} << lane;
  for (std::size_t lane = 0; lane < size; ++lane) {
    if ((bits >> lane & 1) == 0) continue;
    const bool own = (named[lane] >> lane & 1) != 0;
    if (!own || (named[lane] & ~(bits | gone)) != 0) return AddFault("warpMask", start + lane, instruction);
  }
  if (static_cast<WarpOperation>(instruction.fields[0]) == WarpOperation::kSyncWarp)
    checker_->SyncWarp(first_ + start / threads_, start % threads_ / kWarp);
}

void Batch::Barrier(const Instruction& instruction) {
  if (now_.none()) return;
  const bool grid = static_cast<BarrierOperation>(instruction.fields[0]) == BarrierOperation::kGridSync;
  for (std::size_t start = 0; start < lanes_; start += threads_) BarrierOf(instruction, start);
  if (checker_ != nullptr && grid) checker_->SyncGrid();
}

/** Runs the barrier for the block whose first lane is `start`. */
void Batch::BarrierOf(const Instruction& instruction, std::size_t start) {
  const auto operation = static_cast<BarrierOperation>(instruction.fields[0]);
  const std::int32_t out = instruction.fields[1];
  const std::uint8_t* given =
      instruction.fields[2] < 0 ? nullptr : Held<std::uint8_t>(instruction.fields[2]) + start;
  const std::uint8_t* here = now_.lanes + start;
  std::int32_t arrived = 0;
  std::int32_t count = 0;
  for (std::size_t thread = 0; thread < threads_; ++thread) {
    arrived += here[thread];
    if (given != nullptr) count += here[thread] & given[thread];
  }
  if (checker_ != nullptr) CheckBarrier(instruction, start, static_cast<std::size_t>(arrived));
  if (out < 0) return;
  const bool all = operation == BarrierOperation::kSyncThreadsAnd;
  const bool truth = all ? count == arrived : count != 0;
  for (std::size_t lane = start; lane < start + threads_; ++lane) {
    if (now_.lanes[lane] == 0) continue;
    if (operation == BarrierOperation::kSyncThreadsCount) {
      Held<std::int32_t>(out)[lane] = count;
    } else {
      Held<std::uint8_t>(out)[lane] = truth ? 1 : 0;
    }
  }
}

/** Reports a barrier that some live threads of the block do not reach; for the grid, also one that a whole block does not reach. */
void Batch::CheckBarrier(const Instruction& instruction, std::size_t start, std::size_t arrived) {
  const bool grid = static_cast<BarrierOperation>(instruction.fields[0]) == BarrierOperation::kGridSync;
  if (arrived == 0 && !grid) return;
  const std::uint8_t* ended = masks_[0].lanes + start;
  for (std::size_t thread = 0; thread < threads_; ++thread) {
    if (now_.lanes[start + thread] != 0 || ended[thread] != 0) continue;
    AddFault("divergentBarrier", start + thread, instruction);
    break;
  }
  checker_->SyncBlock(first_ + start / threads_);
}

}  // namespace stridelab::kernels

#include "kernels/batch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/interrupt.h"

namespace stridelab::kernels {
namespace {

/** Rounds of loops, or batches, between two looks at the interrupt flag. */
constexpr unsigned kRoundsBetweenPolls = 64;
constexpr std::size_t kAlign = 64;

std::size_t Aligned(std::size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

template <typename T>
void BlendLoop(std::byte* out, const std::byte* values, const std::uint8_t* mask, std::size_t count) {
  T* target = reinterpret_cast<T*>(out);
  const T* source = reinterpret_cast<const T*>(values);
#pragma GCC ivdep
  for (std::size_t i = 0; i < count; ++i) {
    const T kept = target[i];
    const T made = source[i];
    target[i] = mask[i] != 0 ? made : kept;
  }
}

void Blend(std::size_t size, std::byte* out, const std::byte* values, const std::uint8_t* mask,
           std::size_t count) {
  if (size == 1) return BlendLoop<std::uint8_t>(out, values, mask, count);
  if (size == 4) return BlendLoop<std::uint32_t>(out, values, mask, count);
  BlendLoop<std::uint64_t>(out, values, mask, count);
}

}  // namespace

Batch::Batch(const Launch& launch, std::size_t blocks, Report& report, Checker* checker)
    : launch_(launch),
      program_(*launch.program),
      report_(report),
      checker_(checker),
      threads_(launch.config.threads()),
      capacity_(Aligned(blocks * threads_)),
      shared_bytes_(Aligned(launch.shared_bytes())) {
  std::size_t bytes = (program_.masks() + 1) * capacity_ + 16 * capacity_;
  for (const Register& one : program_.registers()) bytes += SizeOf(one.type) * capacity_;
  bytes += shared_bytes_ * blocks + Aligned(program_.local_bytes() * capacity_);
  memory_ = compute::Scratch(bytes);
  std::memset(memory_.data(), 0, bytes);
  std::byte* next = memory_.data();
  const auto take = [&](std::size_t size) { return std::exchange(next, next + size); };
  for (const Register& one : program_.registers()) registers_.push_back(take(SizeOf(one.type) * capacity_));
  blend_ = take(8 * capacity_);
  offsets_ = reinterpret_cast<std::int64_t*>(take(8 * capacity_));
  for (std::size_t number = 0; number < program_.masks(); ++number)
    masks_.push_back({reinterpret_cast<std::uint8_t*>(take(capacity_))});
  inside_ = reinterpret_cast<std::uint8_t*>(take(capacity_));
  shared_ = take(shared_bytes_ * blocks);
  local_ = take(Aligned(program_.local_bytes() * capacity_));
  active_.resize(capacity_);
  now_.lanes = active_.data();
  block_offsets_.resize(capacity_);
  for (std::size_t lane = 0; lane < blocks * threads_; ++lane)
    block_offsets_[lane] = static_cast<std::int64_t>(lane / threads_ * shared_bytes_);
  FillOnce();
}

void Batch::Run(std::uint64_t first, std::size_t blocks) {
  first_ = first;
  lanes_ = blocks * threads_;
  FillBlocks();
  // What is in these memories when a kernel starts is not defined: all bits set, so that it is not mistaken for a result.
  std::memset(shared_, 0xff, shared_bytes_ * blocks);
  std::memset(local_, 0xff, program_.local_bytes() * capacity_);
  for (KeptMask& mask : masks_) mask.any = false;
  std::memset(masks_[0].lanes, 0, capacity_);
  std::memset(now_.lanes, 0, capacity_);
  std::memset(now_.lanes, 1, lanes_);
  now_.count = now_.high = lanes_;
  now_.low = 0;
  if (checker_ != nullptr) checker_->Start(shared_, shared_bytes_, first, blocks);
  const std::vector<Instruction>& instructions = program_.instructions();
  if (instructions.empty() || StopIfInterrupted(instructions[0])) return;
  for (next_ = 0; next_ < instructions.size();) RunOne(instructions[next_++]);
}

void Batch::End() { next_ = program_.instructions().size(); }

void Batch::AddFault(const char* kind, std::size_t lane, const Instruction& instruction) {
  report_.Add({.kind = kind, .actor = ActorOf(lane, instruction)});
  if (report_.stopped()) End();
}

template <typename T, typename Value>
void Batch::FillLanes(std::int32_t number, Value value) {
  for (std::size_t lane = 0; lane < capacity_; ++lane) Held<T>(number)[lane] = value(lane);
}

void Batch::FillOnce() {
  for (const Fill& fill : program_.fills()) {
    const auto first = static_cast<std::size_t>(fill.first);
    if (fill.kind == FillKind::kSpecial) {
      FillSpecial(fill.target, static_cast<Special>(fill.first));
      continue;
    }
    std::uint64_t bits = 0;
    if (fill.kind == FillKind::kConstant) std::memcpy(&bits, program_.constants().data() + 8 * first, 8);
    if (fill.kind == FillKind::kParameter) bits = launch_.scalars[first];
    if (fill.kind == FillKind::kExtent)
      bits = static_cast<std::uint64_t>(launch_.arrays[first].extents[static_cast<std::size_t>(fill.second)]);
    const std::size_t size = SizeOf(TypeOf(fill.target));
    if (size == 1) FillLanes<std::uint8_t>(fill.target, [&](std::size_t) { return bits & 0xff ? 1 : 0; });
    if (size == 4)
      FillLanes<std::uint32_t>(fill.target, [&](std::size_t) { return static_cast<std::uint32_t>(bits); });
    if (size == 8) FillLanes<std::uint64_t>(fill.target, [&](std::size_t) { return bits; });
  }
}

void Batch::FillBlocks() {
  for (const Fill& fill : program_.fills()) {
    const auto special = static_cast<Special>(fill.first);
    if (fill.kind == FillKind::kSpecial && special >= Special::kBlockIdxX && special <= Special::kBlockIdxZ)
      FillSpecial(fill.target, special);
  }
}

void Batch::FillSpecial(std::int32_t number, Special special) {
  std::uint32_t* out = Held<std::uint32_t>(number);
  const bool of_thread = special <= Special::kThreadIdxZ || special == Special::kLaneId;
  for (std::size_t start = 0; start < capacity_; start += threads_) {
    std::uint32_t* const end = out + std::min(start + threads_, capacity_);
    if (of_thread) {
      for (std::size_t lane = start; out + lane < end; ++lane)
        out[lane] = SpecialOf(special, 0, lane - start);
    } else {
      std::fill(out + start, end, SpecialOf(special, first_ + start / threads_, 0));
    }
  }
}

std::uint32_t Batch::SpecialOf(Special special, std::uint64_t block, std::size_t thread) const {
  const auto& [grid, extents, dynamic] = launch_.config;
  const auto part = [](std::uint64_t linear, const std::array<std::uint32_t, 3>& of, std::size_t axis) {
    const std::uint64_t before = axis == 0 ? 1 : axis == 1 ? of[0] : std::uint64_t{of[0]} * of[1];
    return static_cast<std::uint32_t>(axis == 2 ? linear / before : linear / before % of[axis]);
  };
  const auto number = static_cast<std::size_t>(special);
  const std::size_t axis = number % 3;
  if (special == Special::kLaneId) return static_cast<std::uint32_t>(thread % kWarp);
  if (special <= Special::kThreadIdxZ) return part(thread, extents, axis);
  if (special <= Special::kBlockIdxZ) return part(block, grid, axis);
  return special <= Special::kBlockDimZ ? extents[axis] : grid[axis];
}

void Batch::RunOne(const Instruction& instruction) {
  const std::span<const std::int32_t> fields = instruction.fields;
  switch (instruction.kind) {
    case InstructionKind::kLoad:
      return Load(instruction);
    case InstructionKind::kStore:
      return Store(instruction);
    case InstructionKind::kLoadVector:
      return LoadVector(instruction);
    case InstructionKind::kStoreVector:
      return StoreVector(instruction);
    case InstructionKind::kAtomic:
      return Atomic(instruction);
    case InstructionKind::kWarp:
      return Warp(instruction);
    case InstructionKind::kBarrier:
      return Barrier(instruction);
    case InstructionKind::kPrint:
      return Print(instruction);
    case InstructionKind::kAssert:
      return Assert(instruction);
    case InstructionKind::kNonzero:
      return Nonzero(instruction);
    case InstructionKind::kFail:
      return Fail(instruction);
    case InstructionKind::kIf:
      return If(instruction);
    case InstructionKind::kElse:
      return Else(instruction);
    case InstructionKind::kMerge:
      return Merge(KeptAt(fields[0]));
    case InstructionKind::kBegin:
      KeptAt(fields[0]).any = false;
      return;
    case InstructionKind::kLeave:
      return Leave(instruction);
    case InstructionKind::kTest:
      return Test(instruction);
    case InstructionKind::kBack:
      return Back(instruction);
    case InstructionKind::kSkip:
      return JumpIfNone(fields[0]);
    default:
      return Compute(instruction);
  }
}

void Batch::Compute(const Instruction& instruction) {
  if (now_.none()) return;
  const auto at = [&](std::int32_t number) -> std::byte* {
    if (number < 0) return nullptr;
    return registers_[static_cast<std::size_t>(number)] + now_.low * SizeOf(TypeOf(number));
  };
  const std::size_t count = now_.high - now_.low;
  const auto& [a, b, c] = instruction.operands;
  const Register& target = program_.registers()[static_cast<std::size_t>(instruction.out)];
  std::byte* out = at(instruction.out);
  const bool blends = target.variable && !now_.full();
  if (blends && instruction.kind == InstructionKind::kMove)
    return Blend(SizeOf(target.type), out, at(a), now_.lanes + now_.low, count);
  instruction.loop(at(a), at(b), at(c), blends ? blend_ : out, count);
  if (blends) Blend(SizeOf(target.type), out, blend_, now_.lanes + now_.low, count);
}

/** Keeps the active lanes that do not have a condition in `others`, and goes on with those that do. */
void Batch::Split(const std::uint8_t* condition, KeptMask& others) {
  const std::size_t staying = now_.CountOf(condition);
  if (staying == now_.count) return;
  if (staying == 0) {
    others.Add(now_.lanes, lanes_);
    Clear();
    return;
  }
  std::uint8_t* leaving = reinterpret_cast<std::uint8_t*>(blend_);
  for (std::size_t lane = 0; lane < lanes_; lane += 8) {
    const std::uint64_t here = EightLanes(now_.lanes + lane);
    const std::uint64_t stays = here & EightLanes(condition + lane);
    const std::uint64_t leaves = here ^ stays;
    std::memcpy(now_.lanes + lane, &stays, 8);
    std::memcpy(leaving + lane, &leaves, 8);
  }
  others.Add(leaving, lanes_);
  now_.Measure(lanes_);
}

void Batch::Clear() {
  std::memset(now_.lanes, 0, lanes_);
  now_.count = now_.low = now_.high = 0;
}

void Batch::If(const Instruction& instruction) {
  const std::uint8_t* condition = Held<std::uint8_t>(instruction.fields[0]);
  KeptMask& others = KeptAt(instruction.fields[1]);
  if (checker_ != nullptr) checker_->Branch(instruction, now_, condition);
  others.any = false;
  Split(condition, others);
  JumpIfNone(instruction.fields[2]);
}

void Batch::Else(const Instruction& instruction) {
  KeptMask& others = KeptAt(instruction.fields[0]);
  KeptMask& kept = KeptAt(instruction.fields[1]);
  kept.any = false;
  if (!now_.none()) kept.Add(now_.lanes, lanes_);
  Clear();
  Merge(others);
  JumpIfNone(instruction.fields[2]);
}

void Batch::Merge(KeptMask& kept) {
  if (!kept.any) return;
  if (!now_.none()) kept.Add(now_.lanes, lanes_);
  kept.any = false;
  std::memcpy(now_.lanes, kept.lanes, lanes_);
  now_.Measure(lanes_);
}

void Batch::Leave(const Instruction& instruction) {
  if (!now_.none()) KeptAt(instruction.fields[0]).Add(now_.lanes, lanes_);
  Clear();
  JumpIfNone(instruction.fields[1]);
}

void Batch::Test(const Instruction& instruction) {
  const std::uint8_t* condition = Held<std::uint8_t>(instruction.fields[0]);
  if (checker_ != nullptr) checker_->Branch(instruction, now_, condition);
  Split(condition, KeptAt(instruction.fields[1]));
  JumpIfNone(instruction.fields[2]);
}

bool Batch::StopIfInterrupted(const Instruction& instruction) {
  if (++rounds_ % kRoundsBetweenPolls != 0 || !Interrupted()) return false;
  AddFault(kInterruptedKind, now_.low, instruction);
  report_.Stop();
  return true;
}

void Batch::Back(const Instruction& instruction) {
  if (now_.none()) return;
  if (report_.stopped() || StopIfInterrupted(instruction)) return End();
  next_ = static_cast<std::size_t>(instruction.fields[0]);
}

}  // namespace stridelab::kernels

// Loads, stores and atomic operations of a batch.
#include <algorithm>
#include <cstring>

#include "kernels/batch.h"

namespace stridelab::kernels {

/** Adds an axis to the offsets. Returns other than 0 if an index of the range is outside, perhaps of a lane that is not active. */
template <typename Index>
std::uint64_t Batch::AddAxis(std::int32_t number, std::int64_t extent, std::int64_t stride) {
  const Index* index = Held<Index>(number);
  std::uint64_t outside = 0;
#pragma GCC ivdep
  for (std::size_t lane = now_.low; lane < now_.high; ++lane) {
    const auto at = static_cast<std::uint64_t>(static_cast<std::int64_t>(index[lane]));
    outside |= at >= static_cast<std::uint64_t>(extent) ? 1 : 0;
    offsets_[lane] += static_cast<std::int64_t>(at * static_cast<std::uint64_t>(stride));
  }
  return outside;
}

template std::uint64_t Batch::AddAxis<std::int32_t>(std::int32_t, std::int64_t, std::int64_t);
template std::uint64_t Batch::AddAxis<std::int64_t>(std::int32_t, std::int64_t, std::int64_t);

std::byte* Batch::BaseOf(std::size_t number) {
  const Array& array = program_.arrays()[number];
  switch (array.space) {
    case Space::kShared:
      for (std::size_t lane = now_.low; lane < now_.high; ++lane) offsets_[lane] = block_offsets_[lane];
      return shared_ + launch_.OffsetOf(array);
    case Space::kLocal:
      for (std::size_t lane = now_.low; lane < now_.high; ++lane)
        offsets_[lane] = static_cast<std::int64_t>(lane * SizeOf(array.element));
      return local_ + array.offset * capacity_;
    default:
      std::fill(offsets_ + now_.low, offsets_ + now_.high, 0);
      return launch_.arrays[number].base;
  }
}

Batch::Access Batch::Find(const Instruction& instruction, AccessKind kind) {
  const auto number = static_cast<std::size_t>(instruction.fields[0]);
  const BoundArray& bound = launch_.arrays[number];
  const std::int64_t apart =
      program_.arrays()[number].space == Space::kLocal ? static_cast<std::int64_t>(capacity_) : 1;
  Access access{BaseOf(number), active()};
  std::uint64_t outside = 0;
  for (std::size_t axis = 0; axis < instruction.index.size(); ++axis) {
    const std::int32_t index = instruction.index[axis];
    const std::int64_t stride = bound.strides[axis] * apart;
    outside |= SizeOf(TypeOf(index)) == 4 ? AddAxis<std::int32_t>(index, bound.extents[axis], stride)
                                          : AddAxis<std::int64_t>(index, bound.extents[axis], stride);
  }
  if (outside != 0) {
    RefuseOutside(instruction, number);
    access.mask = inside_;
  }
  if (checker_ != nullptr) {
    checker_->Access(
        {*this, instruction, kind, number, access.base, offsets_, access.mask, now_.low, now_.high});
  }
  return access;
}

std::int64_t Batch::ValueAt(std::int32_t number, std::size_t lane) const {
  const std::byte* held = registers_[static_cast<std::size_t>(number)];
  return SizeOf(TypeOf(number)) == 4 ? reinterpret_cast<const std::int32_t*>(held)[lane]
                                     : reinterpret_cast<const std::int64_t*>(held)[lane];
}

std::vector<std::int64_t> Batch::IndexAt(const Instruction& instruction, std::size_t lane) const {
  std::vector<std::int64_t> index;
  for (const std::int32_t number : instruction.index) index.push_back(ValueAt(number, lane));
  return index;
}

/** Sets `inside_` to the active lanes whose index is inside, and reports the others. */
void Batch::RefuseOutside(const Instruction& instruction, std::size_t number) {
  const BoundArray& bound = launch_.arrays[number];
  for (std::size_t lane = now_.low; lane < now_.high; ++lane) {
    inside_[lane] = now_.lanes[lane];
    for (std::size_t axis = 0; axis < instruction.index.size() && inside_[lane] != 0; ++axis) {
      const std::int64_t index = ValueAt(instruction.index[axis], lane);
      if (index >= 0 && index < bound.extents[axis]) continue;
      inside_[lane] = 0;
      report_.Add({.kind = "bounds",
                   .actor = ActorOf(lane, instruction),
                   .array = static_cast<std::int32_t>(number),
                   .index = IndexAt(instruction, lane),
                   .axis = static_cast<int>(axis),
                   .length = bound.extents[axis]});
      if (report_.stopped()) End();
    }
  }
}

bool Batch::MoveDense(const Instruction& instruction) {
  const auto number = static_cast<std::size_t>(instruction.fields[0]);
  const BoundArray& bound = launch_.arrays[number];
  const Array& array = program_.arrays()[number];
  const bool simple = instruction.index.size() == 1 && SizeOf(TypeOf(instruction.index[0])) == 4 &&
                      bound.base != nullptr && now_.full() && checker_ == nullptr &&
                      bound.strides[0] == static_cast<std::int64_t>(SizeOf(array.element));
  if (!simple) return false;
  const std::int32_t* index = Held<std::int32_t>(instruction.index[0]);
  const std::int64_t first = index[now_.low];
  const std::size_t count = now_.high - now_.low;
  if (first < 0 || first + static_cast<std::int64_t>(count) > bound.extents[0]) return false;
  std::uint32_t differs = 0;
  for (std::size_t i = 0; i < count; ++i) {
    differs |= static_cast<std::uint32_t>(index[now_.low + i]) ^
               (static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(i));
  }
  if (differs != 0) return false;
  std::byte* held = Held<std::byte>(instruction.fields[1]);
  instruction.dense(bound.base + first * bound.strides[0],
                    held + now_.low * SizeOf(TypeOf(instruction.fields[1])), count);
  return true;
}

void Batch::Load(const Instruction& instruction) {
  if (now_.none() || MoveDense(instruction)) return;
  const std::int32_t out = instruction.fields[1];
  const auto [base, mask] = Find(instruction, AccessKind::kRead);
  instruction.transfer(base, offsets_, mask, Held<std::byte>(out), now_.low, now_.high);
  if (mask != inside_) return;
  const std::size_t size = SizeOf(TypeOf(out));
  EachActive([&](std::size_t lane) {
    if (inside_[lane] == 0) std::memset(Held<std::byte>(out) + lane * size, 0, size);
  });
}

void Batch::Store(const Instruction& instruction) {
  if (now_.none() || MoveDense(instruction)) return;
  const auto [base, mask] = Find(instruction, AccessKind::kWrite);
  instruction.transfer(base, offsets_, mask, Held<std::byte>(instruction.fields[1]), now_.low, now_.high);
}

void Batch::Atomic(const Instruction& instruction) {
  if (now_.none()) return;
  const auto [base, mask] = Find(instruction, AccessKind::kAtomic);
  const auto held = [&](std::int32_t number) { return number < 0 ? nullptr : Held<std::byte>(number); };
  instruction.atomic(base, offsets_, mask, held(instruction.fields[3]), held(instruction.fields[4]),
                     held(instruction.fields[2]), now_.low, now_.high);
}

}  // namespace stridelab::kernels

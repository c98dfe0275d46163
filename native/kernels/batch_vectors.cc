// Loads and stores of several elements at once.
#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/batch.h"

namespace stridelab::kernels {

Batch::Access Batch::FindVector(const Instruction& instruction, AccessKind kind) {
  const auto number = static_cast<std::size_t>(instruction.fields[0]);
  const BoundArray& bound = launch_.arrays[number];
  const std::size_t last = instruction.index.size() - 1;
  const auto more = static_cast<std::int64_t>(instruction.vector.size()) - 1;
  Access access{BaseOf(number), active()};
  std::uint64_t refused = 0;
  for (std::size_t axis = 0; axis <= last; ++axis) {
    const std::int32_t index = instruction.index[axis];
    const std::int64_t extent =
        axis == last ? std::max<std::int64_t>(bound.extents[axis] - more, 0) : bound.extents[axis];
    refused |= SizeOf(TypeOf(index)) == 4 ? AddAxis<std::int32_t>(index, extent, bound.strides[axis])
                                          : AddAxis<std::int64_t>(index, extent, bound.strides[axis]);
  }
  const std::uint64_t step = program_.BytesOf(instruction);
  const auto address = reinterpret_cast<std::uintptr_t>(access.base);
  for (std::size_t lane = now_.low; lane < now_.high; ++lane)
    refused |= (address + static_cast<std::uint64_t>(offsets_[lane])) & (step - 1);
  if (refused != 0) {
    RefuseVectors(instruction, access.base);
    access.mask = inside_;
  }
  if (checker_ != nullptr) {
    checker_->Access(
        {*this, instruction, kind, number, access.base, offsets_, access.mask, now_.low, now_.high});
  }
  return access;
}

void Batch::RefuseVectors(const Instruction& instruction, const std::byte* base) {
  const auto number = static_cast<std::size_t>(instruction.fields[0]);
  const BoundArray& bound = launch_.arrays[number];
  const std::size_t last = instruction.index.size() - 1;
  const auto count = static_cast<std::int64_t>(instruction.vector.size());
  const std::uint64_t bytes = program_.BytesOf(instruction);
  for (std::size_t lane = now_.low; lane < now_.high; ++lane) {
    inside_[lane] = now_.lanes[lane];
    if (inside_[lane] == 0) continue;
    Fault fault{.kind = "misaligned",
                .actor = ActorOf(lane, instruction),
                .array = static_cast<std::int32_t>(number),
                .index = IndexAt(instruction, lane)};
    for (std::size_t axis = 0; axis <= last && fault.axis < 0; ++axis) {
      const std::int64_t extent = bound.extents[axis];
      std::int64_t& index = fault.index[axis];
      const std::int64_t end = axis == last ? count : 1;
      if (index >= 0 && index <= extent - end) continue;
      // The first element outside is the one to name.
      if (index >= 0) index = std::max(index, extent);
      fault.kind = "bounds";
      fault.axis = static_cast<int>(axis);
      fault.length = extent;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(base) + static_cast<std::uint64_t>(offsets_[lane]);
    if (fault.axis < 0 && address % bytes == 0) continue;
    if (fault.axis < 0) fault.bytes = bytes;
    inside_[lane] = 0;
    report_.Add(std::move(fault));
    if (report_.stopped()) End();
  }
}

void Batch::LoadVector(const Instruction& instruction) {
  if (now_.none()) return;
  const auto [base, mask] = FindVector(instruction, AccessKind::kRead);
  const std::size_t step = program_.BytesOf(instruction) / instruction.vector.size();
  for (std::size_t element = 0; element < instruction.vector.size(); ++element) {
    const std::int32_t out = instruction.vector[element];
    instruction.transfer(base + element * step, offsets_, mask, Held<std::byte>(out), now_.low, now_.high);
    if (mask != inside_) continue;
    const std::size_t size = SizeOf(TypeOf(out));
    EachActive([&](std::size_t lane) {
      if (inside_[lane] == 0) std::memset(Held<std::byte>(out) + lane * size, 0, size);
    });
  }
}

void Batch::StoreVector(const Instruction& instruction) {
  if (now_.none()) return;
  const auto [base, mask] = FindVector(instruction, AccessKind::kWrite);
  const std::size_t step = program_.BytesOf(instruction) / instruction.vector.size();
  for (std::size_t element = 0; element < instruction.vector.size(); ++element) {
    instruction.transfer(base + element * step, offsets_, mask, Held<std::byte>(instruction.vector[element]),
                         now_.low, now_.high);
  }
}

}  // namespace stridelab::kernels

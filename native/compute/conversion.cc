#include "compute/conversion.h"

#include <stdexcept>

#include "compute/layout.h"

namespace stridelab::compute {

Reader::Reader(Type from, Type to)
    : from_(from),
      gathered_(kMostAtOnce * SizeOf(from)),
      decoded_(kMostAtOnce * RegisterSize(from)),
      cast_block_(kMostAtOnce * SizeOf(to)) {
  if (IsSmallFloat(from)) decode_ = Vector().decode(from);
  if (RegisterType(from) == to) return;
  cast_ = FindKernel(Opcode::kCast, from, to);
  if (cast_ == nullptr)
    throw std::invalid_argument("the operation has no cast between its input and output types");
}

const std::byte* Reader::Read(const std::byte* row, std::int64_t stride, std::size_t count) {
  const std::size_t size = SizeOf(from_);
  if (stride != static_cast<std::int64_t>(size) ||
      (reinterpret_cast<std::uintptr_t>(row) & (size - 1)) != 0) {
    CopyRow(size, gathered_.data(), static_cast<std::int64_t>(size), row, stride, count);
    row = gathered_.data();
  }
  return Convert(row, count);
}

const std::byte* Reader::Convert(const std::byte* elements, std::size_t count) {
  if (decode_ != nullptr) {
    decode_(elements, nullptr, nullptr, decoded_.data(), count);
    elements = decoded_.data();
  }
  if (cast_ != nullptr) {
    cast_(elements, nullptr, nullptr, cast_block_.data(), count);
    elements = cast_block_.data();
  }
  return elements;
}

Writer::Writer(Type to)
    : to_(to), rounded_(kMostAtOnce * RegisterSize(to)), encoded_(kMostAtOnce * SizeOf(to)) {}

void Writer::Write(std::byte* row, std::int64_t stride, const std::byte* block, std::size_t count) {
  if (IsSmallFloat(to_)) {
    Vector().round(to_)(block, nullptr, nullptr, rounded_.data(), count);
    Vector().encode(to_)(rounded_.data(), nullptr, nullptr, encoded_.data(), count);
    block = encoded_.data();
  }
  const std::size_t size = SizeOf(to_);
  CopyRow(size, row, stride, block, static_cast<std::int64_t>(size), count);
}

}  // namespace stridelab::compute

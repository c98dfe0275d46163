#include "compute/layout.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace stridelab::compute {
namespace {

template <typename Item>
void CopyRow(std::byte* target, std::int64_t target_stride, const std::byte* source,
             std::int64_t source_stride, std::size_t count) {
  // With memcpy, since elements may be unaligned.
  for (std::size_t i = 0; i < count; ++i) {
    Item item;
    std::memcpy(&item, source, sizeof(item));
    std::memcpy(target, &item, sizeof(item));
    target += target_stride;
    source += source_stride;
  }
}

}  // namespace

void CopyRow(std::size_t itemsize, std::byte* target, std::int64_t target_stride, const std::byte* source,
             std::int64_t source_stride, std::size_t count) {
  const auto plain = static_cast<std::int64_t>(itemsize);
  if (target_stride == plain && source_stride == plain) {
    std::memmove(target, source, itemsize * count);
    return;
  }
  switch (itemsize) {
    case 1:
      return CopyRow<std::uint8_t>(target, target_stride, source, source_stride, count);
    case 2:
      return CopyRow<std::uint16_t>(target, target_stride, source, source_stride, count);
    case 4:
      return CopyRow<std::uint32_t>(target, target_stride, source, source_stride, count);
    case 8:
      return CopyRow<std::uint64_t>(target, target_stride, source, source_stride, count);
    default:
      return CopyRow<std::array<std::uint64_t, 2>>(target, target_stride, source, source_stride, count);
  }
}

std::vector<std::int64_t> Arranged(const std::vector<std::int64_t>& values,
                                   const std::vector<std::size_t>& order) {
  std::vector<std::int64_t> arranged(order.size());
  std::ranges::transform(order, arranged.begin(), [&](std::size_t axis) { return values[axis]; });
  return arranged;
}

Layout::Layout(std::vector<std::int64_t> shape, std::vector<Operand> operands)
    : shape_(std::move(shape)),
      operands_(std::move(operands)),
      size_(static_cast<std::size_t>(
          std::accumulate(shape_.begin(), shape_.end(), std::int64_t{1}, std::multiplies<>()))) {}

void Layout::Order() {
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    if (operands_[0].strides[axis] >= 0) continue;
    for (Operand& operand : operands_) {
      operand.first += operand.strides[axis] * (shape_[axis] - 1);
      operand.strides[axis] = -operand.strides[axis];
    }
  }
  std::vector<std::size_t> order(shape_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t left, std::size_t right) {
    for (const Operand& operand : operands_) {
      const std::int64_t difference = std::abs(operand.strides[left]) - std::abs(operand.strides[right]);
      if (difference != 0) return difference > 0;
    }
    return false;
  });
  shape_ = Arranged(shape_, order);
  for (Operand& operand : operands_) operand.strides = Arranged(operand.strides, order);
  Join();
}

void Layout::Join() {
  std::size_t kept = 0;
  for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
    if (shape_[axis] == 1) continue;
    const bool joined = kept > 0 && std::ranges::all_of(operands_, [&](const Operand& operand) {
                          return operand.strides[kept - 1] == operand.strides[axis] * shape_[axis];
                        });
    if (joined) {
      shape_[kept - 1] *= shape_[axis];
    } else {
      shape_[kept++] = shape_[axis];
    }
    for (Operand& operand : operands_) operand.strides[kept - 1] = operand.strides[axis];
  }
  shape_.resize(kept);
  for (Operand& operand : operands_) operand.strides.resize(kept);
  if (kept > 0) return;
  shape_.push_back(1);
  for (Operand& operand : operands_) operand.strides.push_back(static_cast<std::int64_t>(operand.itemsize));
}

bool Layout::IsPlain(std::size_t index, std::size_t alignment) const {
  const Operand& operand = operands_[index];
  if (reinterpret_cast<std::uintptr_t>(operand.first) % alignment != 0) return false;
  auto expected = static_cast<std::int64_t>(operand.itemsize);
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    if (operand.strides[axis] != expected) return false;
    expected *= shape_[axis];
  }
  return true;
}

bool Layout::IsScalar(std::size_t index) const {
  return std::ranges::all_of(operands_[index].strides, [](std::int64_t stride) { return stride == 0; });
}

template <typename Copy>
void Layout::ForRows(const Operand& operand, std::size_t start, std::size_t count, Copy copy) const {
  const std::size_t last = shape_.size() - 1;
  std::array<std::int64_t, 32> index;
  std::byte* at = operand.first;
  std::size_t rest = start;
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    const auto length = static_cast<std::size_t>(shape_[axis]);
    index[axis] = static_cast<std::int64_t>(rest % length);
    rest /= length;
    at += index[axis] * operand.strides[axis];
  }
  while (count > 0) {
    const std::size_t part = std::min(count, static_cast<std::size_t>(shape_[last] - index[last]));
    copy(at, operand.strides[last], part);
    count -= part;
    if (count == 0) return;
    at -= index[last] * operand.strides[last];
    index[last] = 0;
    for (std::size_t axis = last; axis-- > 0;) {
      at += operand.strides[axis];
      if (++index[axis] < shape_[axis]) break;
      at -= operand.strides[axis] * shape_[axis];
      index[axis] = 0;
    }
  }
}

void Layout::Gather(std::size_t index, std::size_t start, std::size_t count, void* block,
                    std::ptrdiff_t shift) const {
  const Operand& operand = operands_[index];
  auto* target = static_cast<std::byte*>(block);
  const auto plain = static_cast<std::int64_t>(operand.itemsize);
  ForRows(operand, start, count, [&](const std::byte* at, std::int64_t stride, std::size_t part) {
    CopyRow(operand.itemsize, target, plain, at + shift, stride, part);
    target += part * operand.itemsize;
  });
}

void Layout::Scatter(std::size_t index, std::size_t start, std::size_t count, const void* block) const {
  const Operand& operand = operands_[index];
  const auto* source = static_cast<const std::byte*>(block);
  const auto plain = static_cast<std::int64_t>(operand.itemsize);
  ForRows(operand, start, count, [&](std::byte* at, std::int64_t stride, std::size_t part) {
    CopyRow(operand.itemsize, at, stride, source, plain, part);
    source += part * operand.itemsize;
  });
}

}  // namespace stridelab::compute

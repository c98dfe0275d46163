#include "compute/layout.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace stridelab::compute {
namespace {

/** `count` elements with a stride on either side; the compiler makes moves of known size of it. */
template <std::size_t kBytes>
void MoveElements(std::byte* target, std::int64_t target_stride, const std::byte* source,
                  std::int64_t source_stride, std::size_t count) {
  for (std::size_t index = 0; index < count; ++index) {
    std::memcpy(target, source, kBytes);
    target += target_stride;
    source += source_stride;
  }
}

void Move(std::byte* target, std::int64_t target_stride, const std::byte* source, std::int64_t source_stride,
          std::size_t itemsize, std::size_t count) {
  const auto dense = static_cast<std::int64_t>(itemsize);
  if (target_stride == dense && source_stride == dense) {
    std::memcpy(target, source, count * itemsize);
    return;
  }
  switch (itemsize) {
    case 1:
      return MoveElements<1>(target, target_stride, source, source_stride, count);
    case 2:
      return MoveElements<2>(target, target_stride, source, source_stride, count);
    case 4:
      return MoveElements<4>(target, target_stride, source, source_stride, count);
    case 8:
      return MoveElements<8>(target, target_stride, source, source_stride, count);
    case 16:
      return MoveElements<16>(target, target_stride, source, source_stride, count);
    default:
      for (std::size_t index = 0; index < count; ++index) {
        std::memcpy(target, source, itemsize);
        target += target_stride;
        source += source_stride;
      }
  }
}

}  // namespace

std::int64_t Space::Size() const {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Space Space::Simplified() const {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1) axes.push_back(axis);
  }
  const auto leading = [&](std::size_t axis) { return std::abs(operands[0].strides[axis]); };
  std::stable_sort(axes.begin(), axes.end(),
                   [&](std::size_t a, std::size_t b) { return leading(a) > leading(b); });
  Space simple;
  simple.operands.resize(operands.size());
  for (std::size_t which = 0; which < operands.size(); ++which)
    simple.operands[which].offset = operands[which].offset;
  for (const std::size_t axis : axes) {
    const std::int64_t length = shape[axis];
    const bool turned = operands[0].strides[axis] < 0;
    bool merges = !simple.shape.empty();
    for (std::size_t which = 0; which < operands.size(); ++which) {
      Strided& target = simple.operands[which];
      std::int64_t stride = operands[which].strides[axis];
      if (turned) {
        target.offset += stride * (length - 1);
        stride = -stride;
      }
      merges = merges && target.strides.back() == stride * length;
      target.strides.push_back(stride);
    }
    simple.shape.push_back(length);
    if (!merges) continue;
    simple.shape.pop_back();
    simple.shape.back() *= length;
    for (Strided& target : simple.operands) {
      const std::int64_t inner = target.strides.back();
      target.strides.pop_back();
      target.strides.back() = inner;
    }
  }
  return simple;
}

Cursor::Cursor(const Extents& shape, const Strided& operand)
    : shape_(shape), strides_(operand.strides), index_(shape.size(), 0), offset_(operand.offset) {}

template <typename Move>
void Cursor::Walk(std::size_t count, Move move) {
  const std::size_t rank = shape_.size();
  if (rank == 0) {
    move(offset_, std::int64_t{0}, count);
    return;
  }
  const std::size_t inner = rank - 1;
  while (count > 0) {
    const auto left = static_cast<std::size_t>(shape_[inner] - index_[inner]);
    const std::size_t run = std::min(count, left);
    move(offset_, strides_[inner], run);
    count -= run;
    index_[inner] += static_cast<std::int64_t>(run);
    offset_ += static_cast<std::int64_t>(run) * strides_[inner];
    for (std::size_t axis = inner; index_[axis] == shape_[axis];) {
      offset_ -= shape_[axis] * strides_[axis];
      index_[axis] = 0;
      if (axis == 0) break;
      --axis;
      ++index_[axis];
      offset_ += strides_[axis];
    }
  }
}

void Cursor::Skip(std::size_t count) {
  Walk(count, [](std::int64_t, std::int64_t, std::size_t) {});
}

void Cursor::Gather(const std::byte* base, std::size_t itemsize, void* target, std::size_t count) {
  auto* out = static_cast<std::byte*>(target);
  Walk(count, [&](std::int64_t offset, std::int64_t stride, std::size_t run) {
    Move(out, static_cast<std::int64_t>(itemsize), base + offset, stride, itemsize, run);
    out += run * itemsize;
  });
}

void Cursor::Scatter(std::byte* base, std::size_t itemsize, const void* source, std::size_t count) {
  const auto* in = static_cast<const std::byte*>(source);
  Walk(count, [&](std::int64_t offset, std::int64_t stride, std::size_t run) {
    Move(base + offset, stride, in, static_cast<std::int64_t>(itemsize), itemsize, run);
    in += run * itemsize;
  });
}

}  // namespace stridelab::compute

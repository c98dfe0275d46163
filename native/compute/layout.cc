#include "compute/layout.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace stridelab::compute {
namespace {

/** Minimum stride along the last axis for which reading another axis first saves cache lines. */
constexpr std::int64_t kFarApart = 64;
constexpr std::size_t kMostAxes = 32;
/** A tiled layout has two axes more. */
constexpr std::size_t kMostTiledAxes = kMostAxes - 2;

}  // namespace

void CopyRow(std::size_t itemsize, std::byte* target, std::int64_t target_stride, const std::byte* source,
             std::int64_t source_stride, std::size_t count) {
  const auto plain = static_cast<std::int64_t>(itemsize);
  if (target_stride == plain && source_stride == plain) {
    std::memmove(target, source, itemsize * count);
    return;
  }
  Vector().copy_row(itemsize, target, target_stride, source, source_stride, count);
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
  // Insertion in place, because most arrays have few axes, in order.
  for (std::size_t axis = 1; axis < shape_.size(); ++axis) {
    for (std::size_t at = axis; at > 0 && Precedes(at, at - 1); --at) {
      std::swap(shape_[at - 1], shape_[at]);
      for (Operand& operand : operands_) std::swap(operand.strides[at - 1], operand.strides[at]);
    }
  }
  Join();
}

bool Layout::Precedes(std::size_t left, std::size_t right) const {
  for (const Operand& operand : operands_) {
    const std::int64_t difference = std::abs(operand.strides[left]) - std::abs(operand.strides[right]);
    if (difference != 0) return difference > 0;
  }
  return false;
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

bool Layout::HasPlainRows(std::size_t index, std::size_t alignment) const {
  const Operand& operand = operands_[index];
  if (reinterpret_cast<std::uintptr_t>(operand.first) % alignment != 0) return false;
  if (operand.strides.back() != static_cast<std::int64_t>(operand.itemsize)) return false;
  return std::ranges::all_of(operand.strides, [&](std::int64_t stride) {
    return stride % static_cast<std::int64_t>(alignment) == 0;
  });
}

std::byte* Layout::At(std::size_t index, std::size_t number) const {
  const Operand& operand = operands_[index];
  std::byte* at = operand.first;
  for (std::size_t axis = shape_.size(); axis-- > 0;) {
    const auto length = static_cast<std::size_t>(shape_[axis]);
    at += static_cast<std::int64_t>(number % length) * operand.strides[axis];
    number /= length;
  }
  return at;
}

Layout Layout::Part(std::size_t axis, std::int64_t first, std::int64_t count) const {
  Layout part = *this;
  part.size_ = size_ / static_cast<std::size_t>(shape_[axis]) * static_cast<std::size_t>(count);
  part.shape_[axis] = count;
  for (Operand& operand : part.operands_) operand.first += first * operand.strides[axis];
  return part;
}

Layout Layout::Tiled(std::size_t across) const {
  constexpr auto kSide = static_cast<std::int64_t>(kTile);
  Layout tiled = *this;
  const auto divide = [&](std::vector<std::int64_t>& values, std::int64_t whole_across,
                          std::int64_t whole_last, std::int64_t part_across, std::int64_t part_last) {
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(across));
    values.pop_back();
    values.insert(values.end(), {whole_across, whole_last, part_across, part_last});
  };
  divide(tiled.shape_, shape_[across] / kSide, shape_.back() / kSide, kSide, kSide);
  for (Operand& operand : tiled.operands_) {
    const std::int64_t across_stride = operand.strides[across];
    const std::int64_t last_stride = operand.strides.back();
    divide(operand.strides, kSide * across_stride, kSide * last_stride, across_stride, last_stride);
  }
  tiled.tiled_ = true;
  return tiled;
}

std::size_t Layout::AcrossOfTiles() const {
  const std::size_t last = shape_.size() - 1;
  constexpr auto kSide = static_cast<std::int64_t>(kTile);
  if (shape_[last] < kSide || shape_.size() > kMostTiledAxes) return last;
  std::size_t across = last;
  for (const Operand& operand : operands_) {
    std::int64_t least = std::abs(operand.strides[last]);
    if (least < kFarApart) continue;
    for (std::size_t axis = 0; axis < last; ++axis) {
      const std::int64_t stride = std::abs(operand.strides[axis]);
      if (stride == 0 || stride >= least || shape_[axis] < kSide) continue;
      least = stride;
      across = axis;
    }
    if (across != last) break;
  }
  return across;
}

std::vector<Layout> Layout::Tiles() const {
  const std::size_t last = shape_.size() - 1;
  constexpr auto kSide = static_cast<std::int64_t>(kTile);
  const std::size_t across = AcrossOfTiles();
  if (across == last) return {*this};
  const std::int64_t whole_across = shape_[across] / kSide * kSide;
  const std::int64_t whole_last = shape_[last] / kSide * kSide;
  const Layout whole = Part(across, 0, whole_across);
  std::vector<Layout> parts{whole.Part(last, 0, whole_last).Tiled(across)};
  if (whole_last < shape_[last]) parts.push_back(whole.Part(last, whole_last, shape_[last] - whole_last));
  if (whole_across < shape_[across])
    parts.push_back(Part(across, whole_across, shape_[across] - whole_across));
  return parts;
}

bool Layout::IsScalar(std::size_t index) const {
  return std::ranges::all_of(operands_[index].strides, [](std::int64_t stride) { return stride == 0; });
}

template <typename Copy>
void Layout::ForRows(const Operand& operand, std::size_t start, std::size_t count, Copy copy) const {
  const std::size_t last = shape_.size() - 1;
  std::array<std::int64_t, kMostAxes> index;
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
  if (tiled_ && shift == 0) {
    const std::size_t last = shape_.size() - 1;
    if (std::abs(operand.strides[last - 1]) < std::abs(operand.strides[last]))
      return GatherTile(operand, At(index, start), target);
  }
  const auto plain = static_cast<std::int64_t>(operand.itemsize);
  ForRows(operand, start, count, [&](const std::byte* at, std::int64_t stride, std::size_t part) {
    CopyRow(operand.itemsize, target, plain, at + shift, stride, part);
    target += part * operand.itemsize;
  });
}

void Layout::GatherTile(const Operand& operand, const std::byte* at, std::byte* block) {
  const auto size = static_cast<std::int64_t>(operand.itemsize);
  const std::int64_t along = operand.strides[operand.strides.size() - 2];
  if (along == size) {
    Vector().copy_tile(operand.itemsize, block, size * static_cast<std::int64_t>(kTile), at,
                       operand.strides.back());
    return;
  }
  for (std::size_t column = 0; column < kTile; ++column) {
    CopyRow(operand.itemsize, block, size * static_cast<std::int64_t>(kTile), at, along, kTile);
    block += size;
    at += operand.strides.back();
  }
}

bool Layout::CopiesTiles(std::size_t to, std::size_t from) const {
  const auto size = static_cast<std::int64_t>(operands_[to].itemsize);
  return tiled_ && operands_[to].strides.back() == size && operands_[from].strides[shape_.size() - 2] == size;
}

void Layout::CopyTile(std::size_t to, std::size_t from, std::size_t start) const {
  const Operand& target = operands_[to];
  Vector().copy_tile(target.itemsize, At(to, start), target.strides[shape_.size() - 2], At(from, start),
                     operands_[from].strides.back());
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

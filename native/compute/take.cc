#include "compute/take.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "compute/crew.h"
#include "compute/odometer.h"

namespace stridelab::compute {
namespace {

std::atomic<std::uint64_t> invalid_indices{0};

constexpr std::int64_t kInvalid = -1;
/** The time that an element takes, as bytes that could be moved in it: its cache line is rarely there. */
constexpr std::size_t kTakeCost = 16;

/** Copies elements at places along an axis to adjacent places of another. */
template <typename Item>
void Pick(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride,
          std::span<const std::int64_t> places) {
  for (const std::int64_t place : places) {
    Item item{};
    if (place != kInvalid) std::memcpy(&item, from + place * from_stride, sizeof(item));
    std::memcpy(to, &item, sizeof(item));
    to += to_stride;
  }
}

using PickLoop = void (*)(std::byte*, std::int64_t, const std::byte*, std::int64_t,
                          std::span<const std::int64_t>);

PickLoop PickOf(std::size_t itemsize) {
  switch (itemsize) {
    case 1:
      return Pick<std::uint8_t>;
    case 2:
      return Pick<std::uint16_t>;
    case 4:
      return Pick<std::uint32_t>;
    case 8:
      return Pick<std::uint64_t>;
    default:
      return Pick<std::array<std::uint64_t, 2>>;
  }
}

}  // namespace

std::uint64_t TakeInvalidIndices() { return invalid_indices.exchange(0); }

std::vector<std::int64_t> Take::Places(std::size_t first, std::size_t count) const {
  std::vector<std::int64_t> places(count);
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* at = index + static_cast<std::int64_t>(first + i) * index_stride;
    std::int64_t number = 0;
    if (index_size == 4) {
      std::int32_t narrow = 0;
      std::memcpy(&narrow, at, sizeof(narrow));
      number = narrow;
    } else {
      std::memcpy(&number, at, sizeof(number));
    }
    if (wrap && (number < 0 || number >= length)) number %= length;
    if (number < 0 && number >= -length) number += length;
    const bool valid = number >= 0 && number < length;
    outside += valid ? 0 : 1;
    places[i] = valid ? number : kInvalid;
  }
  if (outside != 0) invalid_indices += outside;
  return places;
}

void Take::Run() const {
  const auto count = static_cast<std::size_t>(shape[axis]);
  std::size_t elements = 1;
  for (const std::int64_t side : shape) elements *= static_cast<std::size_t>(side);
  const std::size_t parts = std::min(count, PartsFor(elements * kTakeCost));
  RunParts(parts, [&](std::size_t part) {
    const std::size_t first = count * part / parts;
    Copy(first, Places(first, count * (part + 1) / parts - first));
  });
}

void Take::Copy(std::size_t first, std::span<const std::int64_t> places) const {
  std::vector<std::size_t> others;
  for (std::size_t other = 0; other < shape.size(); ++other)
    if (other != axis) others.push_back(other);
  std::ranges::stable_sort(others, [&](std::size_t left, std::size_t right) {
    return std::abs(out.strides[left]) > std::abs(out.strides[right]);
  });
  std::vector<std::int64_t> outer = Arranged(shape, others);
  const std::vector<std::int64_t> to_strides = Arranged(out.strides, others);
  const std::vector<std::int64_t> from_strides = Arranged(in.strides, others);
  std::byte* start = out.first + static_cast<std::int64_t>(first) * out.strides[axis];
  if (outer.empty() || std::abs(out.strides[axis]) < std::abs(to_strides.back())) {
    const PickLoop pick = PickOf(out.itemsize);
    Walk<2>(outer, {to_strides, from_strides}, [&](const std::array<std::ptrdiff_t, 2>& at) {
      pick(start + at[0], out.strides[axis], in.first + at[1], in.strides[axis], places);
    });
    return;
  }
  // Rows run along the other axis with the smallest stride; the positions of the axis follow one by one.
  const auto row = static_cast<std::size_t>(outer.back());
  outer.pop_back();
  const std::vector<std::byte> zeros(out.itemsize);
  Walk<2>(outer, {to_strides, from_strides}, [&](const std::array<std::ptrdiff_t, 2>& at) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::byte* to = start + at[0] + static_cast<std::int64_t>(i) * out.strides[axis];
      const bool valid = places[i] != kInvalid;
      const std::byte* from = valid ? in.first + at[1] + places[i] * in.strides[axis] : zeros.data();
      CopyRow(out.itemsize, to, to_strides.back(), from, valid ? from_strides.back() : 0, row);
    }
  });
}

}  // namespace stridelab::compute

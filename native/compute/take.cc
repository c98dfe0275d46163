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
/** Positions that are read together, so that they stay in the L1 cache. */
constexpr std::size_t kPlaces = 1024;
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

template <typename Index>
void ReadAs(const std::byte* at, std::int64_t stride, std::span<std::int64_t> places) {
  for (std::int64_t& place : places) {
    Index number = 0;
    std::memcpy(&number, at, sizeof(number));
    place = number;
    at += stride;
  }
}

void ReadIndices(const std::byte* at, std::int64_t stride, std::size_t size, std::span<std::int64_t> places) {
  if (size == 4) return ReadAs<std::int32_t>(at, stride, places);
  if (stride == 8) {
    std::memcpy(places.data(), at, places.size_bytes());
  } else {
    ReadAs<std::int64_t>(at, stride, places);
  }
}

}  // namespace

std::uint64_t TakeInvalidIndices() { return invalid_indices.exchange(0); }

void Take::Run() const {
  const auto count = static_cast<std::size_t>(shape[axis]);
  std::size_t elements = 1;
  for (const std::int64_t side : shape) elements *= static_cast<std::size_t>(side);
  const std::size_t parts = std::min(count, PartsFor(elements * kTakeCost));
  const Others others = FindOthers();
  RunParts(parts, [&](std::size_t part) {
    std::array<std::int64_t, kPlaces> places;
    const std::size_t end = count * (part + 1) / parts;
    for (std::size_t first = count * part / parts; first < end; first += kPlaces) {
      const std::span<std::int64_t> some(places.data(), std::min(kPlaces, end - first));
      FindPlaces(first, some);
      Copy(others, first, some);
    }
  });
}

void Take::FindPlaces(std::size_t first, std::span<std::int64_t> places) const {
  const std::byte* at = index + static_cast<std::int64_t>(first) * index_stride;
  ReadIndices(at, index_stride, index_size, places);
  std::uint64_t outside = 0;
  for (std::int64_t& place : places) {
    place += place < 0 ? length : 0;
    outside |= place < 0 || place >= length ? 1U : 0U;
  }
  if (outside == 0) return;
  ReadIndices(at, index_stride, index_size, places);
  std::uint64_t invalid = 0;
  for (std::int64_t& place : places) {
    if (wrap && (place < 0 || place >= length)) place %= length;
    if (place < 0 && place >= -length) place += length;
    if (place >= 0 && place < length) continue;
    ++invalid;
    place = kInvalid;
  }
  invalid_indices += invalid;
}

Take::Others Take::FindOthers() const {
  std::vector<std::size_t> others;
  for (std::size_t other = 0; other < shape.size(); ++other)
    if (other != axis) others.push_back(other);
  std::ranges::stable_sort(others, [&](std::size_t left, std::size_t right) {
    return std::abs(out.strides[left]) > std::abs(out.strides[right]);
  });
  return {Arranged(shape, others), Arranged(out.strides, others), Arranged(in.strides, others)};
}

void Take::Copy(const Others& others, std::size_t first, std::span<const std::int64_t> places) const {
  std::span<const std::int64_t> outer = others.shape;
  std::byte* start = out.first + static_cast<std::int64_t>(first) * out.strides[axis];
  if (outer.empty() || std::abs(out.strides[axis]) < std::abs(others.to.back())) {
    const PickLoop pick = PickOf(out.itemsize);
    Walk<2>(outer, {others.to, others.from}, [&](const std::array<std::ptrdiff_t, 2>& at) {
      pick(start + at[0], out.strides[axis], in.first + at[1], in.strides[axis], places);
    });
    return;
  }
  // Rows run along the other axis with the smallest stride; the positions of the axis follow one by one.
  const auto row = static_cast<std::size_t>(outer.back());
  outer = outer.first(outer.size() - 1);
  constexpr std::array<std::byte, 16> kZeros{};
  Walk<2>(outer, {others.to, others.from}, [&](const std::array<std::ptrdiff_t, 2>& at) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::byte* to = start + at[0] + static_cast<std::int64_t>(i) * out.strides[axis];
      const bool valid = places[i] != kInvalid;
      const std::byte* from = valid ? in.first + at[1] + places[i] * in.strides[axis] : kZeros.data();
      CopyRow(out.itemsize, to, others.to.back(), from, valid ? others.from.back() : 0, row);
    }
  });
}

}  // namespace stridelab::compute

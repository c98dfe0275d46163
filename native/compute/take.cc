#include "compute/take.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "compute/odometer.h"

namespace stridelab::compute {
namespace {

std::atomic<std::uint64_t> invalid_indices{0};

constexpr std::int64_t kInvalid = -1;

}  // namespace

std::uint64_t TakeInvalidIndices() { return invalid_indices.exchange(0); }

void Take::Run() const {
  // The positions along the axis, checked once for all rows.
  const auto count = static_cast<std::size_t>(shape[axis]);
  std::vector<std::int64_t> places(count);
  std::uint64_t outside = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* at = index + static_cast<std::int64_t>(i) * index_stride;
    std::int64_t number = 0;
    if (index_size == 4) {
      std::int32_t narrow = 0;
      std::memcpy(&narrow, at, sizeof(narrow));
      number = narrow;
    } else {
      std::memcpy(&number, at, sizeof(number));
    }
    if (wrap) number %= length;
    if (number < 0 && number >= -length) number += length;
    const bool valid = number >= 0 && number < length;
    outside += valid ? 0 : 1;
    places[i] = valid ? number : kInvalid;
  }
  if (outside != 0) invalid_indices += outside;

  // Rows run along the other axis with the smallest stride; the positions of the axis follow one by one.
  std::vector<std::size_t> others;
  for (std::size_t other = 0; other < shape.size(); ++other)
    if (other != axis) others.push_back(other);
  std::ranges::stable_sort(others, [&](std::size_t left, std::size_t right) {
    return std::abs(out.strides[left]) > std::abs(out.strides[right]);
  });
  std::vector<std::int64_t> outer = Arranged(shape, others);
  const std::vector<std::int64_t> to_strides = Arranged(out.strides, others);
  const std::vector<std::int64_t> from_strides = Arranged(in.strides, others);
  const std::int64_t row = outer.empty() ? 1 : outer.back();
  const std::int64_t to_step = outer.empty() ? 0 : to_strides.back();
  const std::int64_t from_step = outer.empty() ? 0 : from_strides.back();
  if (!outer.empty()) outer.pop_back();
  const std::vector<std::byte> zeros(out.itemsize);
  Walk<2>(outer, {to_strides, from_strides}, [&](const std::array<std::ptrdiff_t, 2>& at) {
    for (std::size_t i = 0; i < count; ++i) {
      std::byte* to = out.first + at[0] + static_cast<std::int64_t>(i) * out.strides[axis];
      const bool valid = places[i] != kInvalid;
      const std::byte* from = valid ? in.first + at[1] + places[i] * in.strides[axis] : zeros.data();
      CopyRow(out.itemsize, to, to_step, from, valid ? from_step : 0, static_cast<std::size_t>(row));
    }
  });
}

}  // namespace stridelab::compute

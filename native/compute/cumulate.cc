#include "compute/cumulate.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "compute/conversion.h"
#include "compute/crew.h"
#include "compute/odometer.h"

namespace stridelab::compute {
namespace {

/** Minimum length of another axis for its lanes to be processed together, by the loops of instructions. */
constexpr std::int64_t kTogether = 8;

}  // namespace

Cumulate::Cumulate(Combination combination, Type in_type, Type out_type, std::vector<std::int64_t> shape,
                   std::size_t axis, Operand out, Operand in)
    : combination_(combination),
      in_type_(in_type),
      out_type_(out_type),
      out_(std::move(out)),
      in_(std::move(in)) {
  const Type type = RegisterType(out_type);
  const Combiner combiner(combination, type);
  const Reader reader(in_type, type);
  // The lane axis, second in order: a long one if possible, then the one with the smallest stride.
  std::vector<std::size_t> order{axis};
  for (std::size_t other = 0; other < shape.size(); ++other)
    if (other != axis && shape[other] > 1) order.push_back(other);
  std::stable_sort(order.begin() + 1, order.end(), [&](std::size_t left, std::size_t right) {
    const bool long_left = shape[left] >= kTogether;
    const bool long_right = shape[right] >= kTogether;
    if (long_left != long_right) return long_left;
    return std::abs(in_.strides[left]) < std::abs(in_.strides[right]);
  });
  shape_ = Arranged(shape, order);
  out_.strides = Arranged(out_.strides, order);
  in_.strides = Arranged(in_.strides, order);
  if (shape_.size() > 1) return;
  shape_.push_back(1);
  out_.strides.push_back(static_cast<std::int64_t>(out_.itemsize));
  in_.strides.push_back(static_cast<std::int64_t>(in_.itemsize));
}

void Cumulate::Run() const {
  std::size_t size = in_.itemsize + out_.itemsize;
  for (const std::int64_t side : shape_) size *= static_cast<std::size_t>(side);
  const auto lanes = static_cast<std::size_t>(shape_[1]);
  constexpr auto kLeast = static_cast<std::size_t>(kTogether);
  const std::size_t parts = std::min(PartsFor(size), (lanes + kLeast - 1) / kLeast);
  RunParts(parts, [&](std::size_t part) { RunLanes(lanes * part / parts, lanes * (part + 1) / parts); });
}

void Cumulate::RunLanes(std::size_t first, std::size_t end) const {
  const Type type = RegisterType(out_type_);
  const Combiner combiner(combination_, type);
  const std::size_t size = combiner.size;
  Reader reader(in_type_, type);
  Writer writer(out_type_);
  const Scratch running(kMostAtOnce * size);
  const auto length = static_cast<std::size_t>(shape_[0]);
  const auto rest = [](const std::vector<std::int64_t>& values) { return std::span(values).subspan(2); };
  const auto along = [&](std::byte* to, const std::byte* from, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      std::memcpy(running.data() + i * size, combiner.identity.data(), size);
    for (std::size_t step = 0; step < length; ++step) {
      const std::byte* block = reader.Read(from, in_.strides[1], count);
      combiner.kernel(running.data(), block, nullptr, running.data(), count);
      writer.Write(to, out_.strides[1], running.data(), count);
      from += in_.strides[0];
      to += out_.strides[0];
    }
  };
  // Lanes one after another: each in blocks, whose elements are combined one by one.
  const auto scan = [&](std::byte* to, const std::byte* from) {
    const bool plain = type == out_type_ && out_.strides[0] == static_cast<std::int64_t>(size) &&
                       reinterpret_cast<std::uintptr_t>(to) % size == 0;
    alignas(16) std::array<std::byte, 16> carry = combiner.identity;
    for (std::size_t done = 0; done < length; done += kMostAtOnce) {
      const std::size_t part = std::min(kMostAtOnce, length - done);
      const std::byte* block = reader.Read(from, in_.strides[0], part);
      if (plain) {
        combiner.scan(block, to, carry.data(), part);
      } else {
        combiner.scan(block, running.data(), carry.data(), part);
        writer.Write(to, out_.strides[0], running.data(), part);
      }
      from += static_cast<std::int64_t>(part) * in_.strides[0];
      to += static_cast<std::int64_t>(part) * out_.strides[0];
    }
  };
  // Lanes that are far apart, one beside another, would use one element of each cache line.
  const bool far = std::abs(in_.strides[1]) > std::abs(in_.strides[0]);
  const bool alone = end - first < static_cast<std::size_t>(kTogether) || length == 1 || far;
  Walk<2>(rest(shape_), {rest(out_.strides), rest(in_.strides)},
          [&](const std::array<std::ptrdiff_t, 2>& at) {
            for (std::size_t done = first; done < end; done += alone ? 1 : kMostAtOnce) {
              const auto number = static_cast<std::int64_t>(done);
              std::byte* to = out_.first + at[0] + number * out_.strides[1];
              const std::byte* from = in_.first + at[1] + number * in_.strides[1];
              if (alone) {
                scan(to, from);
              } else {
                along(to, from, std::min(kMostAtOnce, end - done));
              }
            }
          });
}

}  // namespace stridelab::compute

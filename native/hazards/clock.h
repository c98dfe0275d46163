// Vector clocks: the work of each stream that is known to precede a point.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stridelab::hazards {

/** A vector clock: for each stream, by its slot, the number of its last preceding access. */
class Clock {
 public:
  std::uint64_t At(std::size_t slot) const { return slot < numbers_.size() ? numbers_[slot] : 0; }
  void Set(std::size_t slot, std::uint64_t number) {
    if (slot >= numbers_.size()) numbers_.resize(slot + 1);
    numbers_[slot] = number;
  }
  void Join(const Clock& other) {
    if (other.numbers_.size() > numbers_.size()) numbers_.resize(other.numbers_.size());
    for (std::size_t slot = 0; slot < other.numbers_.size(); ++slot)
      numbers_[slot] = std::max(numbers_[slot], other.numbers_[slot]);
  }

 private:
  std::vector<std::uint64_t> numbers_;
};

}  // namespace stridelab::hazards

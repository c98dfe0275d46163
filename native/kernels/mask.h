// Which lanes of a batch are active: one byte for each, 0 or 1. Loops take 8 lanes at a time; masks have room for a multiple of 8.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stridelab::kernels {

inline std::uint64_t EightLanes(const std::uint8_t* lanes) {
  std::uint64_t eight;
  std::memcpy(&eight, lanes, 8);
  return eight;
}

/** Counts the lanes that are 1. */
inline std::size_t CountEight(std::uint64_t eight) { return eight * 0x0101010101010101 >> 56; }

/** A mask with its number of active lanes, all of which are from `low` to `high`. */
struct Mask {
  std::uint8_t* lanes = nullptr;
  std::size_t count = 0;
  std::size_t low = 0;
  std::size_t high = 0;

  bool none() const { return count == 0; }
  /** True if all lanes of the range are active. */
  bool full() const { return count == high - low; }

  /** Counts the active lanes that also have a condition, whose other lanes may have any value. */
  std::size_t CountOf(const std::uint8_t* condition) const {
    std::size_t found = 0;
    for (std::size_t lane = low & ~std::size_t{7}; lane < high; lane += 8)
      found += CountEight(EightLanes(lanes + lane) & EightLanes(condition + lane));
    return found;
  }

  /** Finds the range and the count again. */
  void Measure(std::size_t size) {
    count = low = high = 0;
    for (std::size_t lane = 0; lane < size; lane += 8) {
      const std::uint64_t eight = EightLanes(lanes + lane);
      if (eight == 0) continue;
      if (count == 0) low = lane + static_cast<std::size_t>(std::countr_zero(eight)) / 8;
      high = lane + 8 - static_cast<std::size_t>(std::countl_zero(eight)) / 8;
      count += CountEight(eight);
    }
  }
};

/** A mask that control flow keeps for later. */
struct KeptMask {
  std::uint8_t* lanes = nullptr;
  /** False if no lane is in it; then `lanes` is not up to date. */
  bool any = false;

  void Add(const std::uint8_t* more, std::size_t size) {
    if (!any) {
      std::memcpy(lanes, more, size);
    } else {
      for (std::size_t lane = 0; lane < size; lane += 8) {
        const std::uint64_t eight = EightLanes(lanes + lane) | EightLanes(more + lane);
        std::memcpy(lanes + lane, &eight, 8);
      }
    }
    any = true;
  }
};

}  // namespace stridelab::kernels

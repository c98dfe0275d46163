#include "compute/scratch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace stridelab::compute {
namespace {

constexpr std::align_val_t kAlignment{64};
/** Blocks of 2^7 to 2^22 bytes are kept. */
constexpr int kLeastPower = 7;
constexpr int kMostPower = 22;
#ifdef __SANITIZE_ADDRESS__
/** Nothing is kept, so that the sanitizer detects each use of freed memory. */
constexpr std::size_t kMostKeptBytes = 0;
#else
constexpr std::size_t kMostKeptBytes = std::size_t{8} << 20;
#endif

struct Size {
  std::array<std::byte*, 8> blocks;
  std::size_t count = 0;
};

struct Kept {
  ~Kept() {
    for (Size& size : sizes) {
      while (size.count > 0) ::operator delete(size.blocks[--size.count], kAlignment);
    }
  }
  std::array<Size, kMostPower - kLeastPower + 1> sizes;
  std::size_t bytes = 0;
};

thread_local Kept kept;

std::size_t Rounded(std::size_t bytes) {
  return std::bit_ceil(std::max(bytes, std::size_t{1} << kLeastPower));
}

/** Returns the kept blocks of a size; null for sizes that are not kept. */
Size* KeptOf(std::size_t bytes) {
  const int power = std::countr_zero(bytes);
  return power > kMostPower ? nullptr : &kept.sizes[static_cast<std::size_t>(power - kLeastPower)];
}

/** Takes a kept block of that many bytes, or allocates one. */
std::byte* TakeBlock(std::size_t rounded, std::size_t bytes) {
  Size* size = KeptOf(rounded);
  if (size == nullptr) return static_cast<std::byte*>(::operator new(bytes, kAlignment));
  if (size->count == 0) return static_cast<std::byte*>(::operator new(rounded, kAlignment));
  kept.bytes -= rounded;
  return size->blocks[--size->count];
}

}  // namespace

Scratch::Scratch(std::size_t bytes) : memory_(TakeBlock(Rounded(bytes), bytes), Free{Rounded(bytes)}) {}

void Scratch::Free::operator()(std::byte* memory) const {
  Size* size = KeptOf(bytes);
  if (size != nullptr && size->count < size->blocks.size() && kept.bytes + bytes <= kMostKeptBytes) {
    size->blocks[size->count++] = memory;
    kept.bytes += bytes;
  } else {
    ::operator delete(memory, kAlignment);
  }
}

}  // namespace stridelab::compute

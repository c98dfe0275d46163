#include "compute/spaced.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "compute/crew.h"
#include "compute/kernel.h"
#include "core/stream_copy.h"

namespace stridelab::compute {
namespace {

/** Bytes that are computed in the L1 cache and then written past it, if all of them exceed the caches. */
constexpr std::size_t kSpacedBlock = 4096;
constexpr std::size_t kSpacedStreamFrom = std::size_t{8} << 20;

void Write(const Spaced& spaced, std::size_t from, std::byte* out, std::size_t count) {
  const auto number = static_cast<double>(from);
  if (spaced.type == Type::kFloat32) {
    Vector().spaced_float(spaced.first, spaced.step, number, reinterpret_cast<float*>(out), count);
  } else {
    Vector().spaced_double(spaced.first, spaced.step, number, reinterpret_cast<double*>(out), count);
  }
}

}  // namespace

void Spaced::Run() const {
  const std::size_t size = SizeOf(type);
  const bool aligned = reinterpret_cast<std::uintptr_t>(out) % size == 0;
  const bool copied = count * size >= kSpacedStreamFrom || !aligned;
  const std::size_t block = kSpacedBlock / size;
  const std::size_t blocks = (count + block - 1) / block;
  const std::size_t parts = std::min(blocks, PartsFor(count * size));
  RunParts(parts, [&](std::size_t part) {
    alignas(64) std::array<std::byte, kSpacedBlock> computed;
    const std::size_t end = std::min(count, blocks * (part + 1) / parts * block);
    for (std::size_t from = blocks * part / parts * block; from < end; from += block) {
      const std::size_t some = std::min(block, end - from);
      std::byte* target = out + from * size;
      Write(*this, from, copied ? computed.data() : target, some);
      if (copied) core::StreamCopy(target, computed.data(), some * size);
    }
    if (copied) core::FinishStreamCopies();
  });
}

}  // namespace stridelab::compute

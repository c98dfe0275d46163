#include "core/stream_copy.h"

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace stridelab::core {

void StreamCopy(void* target, const void* source, std::size_t bytes) {
#ifdef __SSE2__
  auto* to = static_cast<std::byte*>(target);
  const auto* from = static_cast<const std::byte*>(source);
  constexpr std::size_t kLine = 64;
  const std::size_t past = reinterpret_cast<std::uintptr_t>(to) % kLine;
  const std::size_t head = past == 0 ? 0 : kLine - past;
  if (bytes >= head + kLine) {
    std::memcpy(to, from, head);
    to += head;
    from += head;
    bytes -= head;
    for (; bytes >= kLine; bytes -= kLine, to += kLine, from += kLine) {
      const auto* words = reinterpret_cast<const __m128i*>(from);
      auto* line = reinterpret_cast<__m128i*>(to);
      const __m128i first = _mm_loadu_si128(words);
      const __m128i second = _mm_loadu_si128(words + 1);
      const __m128i third = _mm_loadu_si128(words + 2);
      const __m128i fourth = _mm_loadu_si128(words + 3);
      _mm_stream_si128(line, first);
      _mm_stream_si128(line + 1, second);
      _mm_stream_si128(line + 2, third);
      _mm_stream_si128(line + 3, fourth);
    }
  }
  std::memcpy(to, from, bytes);
#else
  std::memcpy(target, source, bytes);
#endif
}

void FinishStreamCopies() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace stridelab::core

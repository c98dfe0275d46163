#include "collectives/combine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "compute/small_float.h"

namespace stridelab::collectives {
namespace {

/** Elements combined at a time, so that intermediate results stay in the L1 cache. */
constexpr std::size_t kBlock = 1024;

/** An element type: `Word` is its form in memory, `Number` the type of computations. */
template <typename Value>
struct Plain {
  using Word = Value;
  using Number = Value;
  static Number Decode(Word word) { return word; }
  static Word Encode(Number number) { return number; }
};

template <typename Format>
struct Small {
  using Word = typename Format::Code;
  using Number = float;
  static Number Decode(Word word) { return Format::Decode(word); }
  static Word Encode(Number number) {
    const Word code = Format::Encode(Format::Round(number));
    return std::signbit(number) ? static_cast<Word>(code | Format::kSign) : code;  // The sign of a NaN too.
  }
};

/** An 8-bit float whose conversions saturate, as in NCCL and CUDA: only an infinity becomes infinite. */
template <typename Format, int kGreatest>
struct Saturating : Small<Format> {
  static typename Format::Code Encode(float number) {
    constexpr bool kHasInfinity = Format::kOverflowTo == compute::kInfinityBits;
    const bool kept = kHasInfinity && std::isinf(number);
    return Small<Format>::Encode(kept ? number : std::clamp<float>(number, -kGreatest, kGreatest));
  }
};

/** Combines two operands. Integers wrap around, through unsigned types: signed overflow is undefined. */
template <Reduction kReduction, typename Number>
Number Pair(Number one, Number other) {
  if constexpr (kReduction == Reduction::kMaximum || kReduction == Reduction::kMinimum) {
    if constexpr (std::is_floating_point_v<Number>) {
      return kReduction == Reduction::kMaximum ? std::fmax(one, other) : std::fmin(one, other);
    } else {
      return kReduction == Reduction::kMaximum ? std::max(one, other) : std::min(one, other);
    }
  } else if constexpr (std::is_integral_v<Number>) {
    // At least `unsigned`: narrower types would be multiplied as int.
    using Wide = std::common_type_t<unsigned, std::make_unsigned_t<Number>>;
    const Wide result = kReduction == Reduction::kProduct ? static_cast<Wide>(one) * static_cast<Wide>(other)
                                                          : static_cast<Wide>(one) + static_cast<Wide>(other);
    return static_cast<Number>(result);
  } else {
    return kReduction == Reduction::kProduct ? one * other : one + other;
  }
}

template <typename Type, Reduction kReduction>
void CombineAs(const std::vector<const std::byte*>& sources, const std::vector<std::byte*>& targets,
               std::size_t count) {
  using Word = typename Type::Word;
  using Number = typename Type::Number;
  std::array<Number, kBlock> numbers;
  std::array<Word, kBlock> words;
  for (std::size_t start = 0; start < count; start += kBlock) {
    const std::size_t length = std::min(kBlock, count - start);
    // With memcpy, because the elements of a view may be unaligned.
    const auto load = [&](const std::byte* source) {
      std::memcpy(words.data(), source + start * sizeof(Word), length * sizeof(Word));
    };
    load(sources.front());
    for (std::size_t i = 0; i < length; ++i) numbers[i] = Type::Decode(words[i]);
    for (std::size_t rank = 1; rank < sources.size(); ++rank) {
      load(sources[rank]);
      for (std::size_t i = 0; i < length; ++i)
        numbers[i] = Pair<kReduction>(numbers[i], Type::Decode(words[i]));
    }
    if constexpr (kReduction == Reduction::kAverage) {
      const auto ranks = static_cast<Number>(sources.size());
      for (std::size_t i = 0; i < length; ++i) numbers[i] = static_cast<Number>(numbers[i] / ranks);
    }
    for (std::size_t i = 0; i < length; ++i) words[i] = Type::Encode(numbers[i]);
    for (std::byte* target : targets)
      std::memcpy(target + start * sizeof(Word), words.data(), length * sizeof(Word));
  }
}

using Function = void (*)(const std::vector<const std::byte*>& sources,
                          const std::vector<std::byte*>& targets, std::size_t count);

/** In the order of `Reduction`. */
template <typename Type>
constexpr std::array<Function, kReductions> kReduce = {
    CombineAs<Type, Reduction::kSum>, CombineAs<Type, Reduction::kProduct>,
    CombineAs<Type, Reduction::kMaximum>, CombineAs<Type, Reduction::kMinimum>,
    CombineAs<Type, Reduction::kAverage>};

/** In the order of `ElementType`. */
constexpr std::array kCombine = {
    kReduce<Plain<std::int8_t>>,
    kReduce<Plain<std::uint8_t>>,
    kReduce<Plain<std::int32_t>>,
    kReduce<Plain<std::uint32_t>>,
    kReduce<Plain<std::int64_t>>,
    kReduce<Plain<std::uint64_t>>,
    kReduce<Small<compute::Float16>>,
    kReduce<Plain<float>>,
    kReduce<Plain<double>>,
    kReduce<Small<compute::Bfloat16>>,
    kReduce<Saturating<compute::Float8E4m3fn, 448>>,
    kReduce<Saturating<compute::Float8E5m2, 57344>>,
};

}  // namespace

void Combine(const Combination& combination, const std::vector<const std::byte*>& sources,
             const std::vector<std::byte*>& targets, std::size_t count) {
  const auto type = static_cast<std::size_t>(combination.type);
  kCombine[type][static_cast<std::size_t>(combination.reduction)](sources, targets, count);
}

}  // namespace stridelab::collectives

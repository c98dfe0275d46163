#include "collectives/combine.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "collectives/small_float.h"

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

template <typename Type>
struct Small {
  using Word = typename Type::Word;
  using Number = float;
  static Number Decode(Word word) { return Type::Decode(word); }
  static Word Encode(Number number) { return Type::Encode(number); }
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

template <typename Type>
void CombineBy(Reduction reduction, const std::vector<const std::byte*>& sources,
               const std::vector<std::byte*>& targets, std::size_t count) {
  switch (reduction) {
    case Reduction::kSum:
      return CombineAs<Type, Reduction::kSum>(sources, targets, count);
    case Reduction::kProduct:
      return CombineAs<Type, Reduction::kProduct>(sources, targets, count);
    case Reduction::kMaximum:
      return CombineAs<Type, Reduction::kMaximum>(sources, targets, count);
    case Reduction::kMinimum:
      return CombineAs<Type, Reduction::kMinimum>(sources, targets, count);
    case Reduction::kAverage:
      return CombineAs<Type, Reduction::kAverage>(sources, targets, count);
  }
}

}  // namespace

void Combine(const Combination& combination, const std::vector<const std::byte*>& sources,
             const std::vector<std::byte*>& targets, std::size_t count) {
  const auto run = [&]<typename Type> { CombineBy<Type>(combination.reduction, sources, targets, count); };
  switch (combination.type) {
    case ElementType::kInt8:
      return run.template operator()<Plain<std::int8_t>>();
    case ElementType::kUint8:
      return run.template operator()<Plain<std::uint8_t>>();
    case ElementType::kInt32:
      return run.template operator()<Plain<std::int32_t>>();
    case ElementType::kUint32:
      return run.template operator()<Plain<std::uint32_t>>();
    case ElementType::kInt64:
      return run.template operator()<Plain<std::int64_t>>();
    case ElementType::kUint64:
      return run.template operator()<Plain<std::uint64_t>>();
    case ElementType::kFloat16:
      return run.template operator()<Small<Float16>>();
    case ElementType::kFloat32:
      return run.template operator()<Plain<float>>();
    case ElementType::kFloat64:
      return run.template operator()<Plain<double>>();
    case ElementType::kBfloat16:
      return run.template operator()<Small<Bfloat16>>();
    case ElementType::kFloat8e4m3:
      return run.template operator()<Small<Float8e4m3>>();
    case ElementType::kFloat8e5m2:
      return run.template operator()<Small<Float8e5m2>>();
  }
}

}  // namespace stridelab::collectives

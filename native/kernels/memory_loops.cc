// Loops that move elements between memory and registers.
#include <atomic>
#include <stdexcept>
#include <type_traits>

#include "compute/small_float.h"
#include "kernels/loops.h"

namespace stridelab::kernels {
namespace {

/** An element in memory, and the value in a register. */
template <typename StoredType, typename HeldType = StoredType>
struct Plain {
  using Stored = StoredType;
  using Held = HeldType;
  static Held Load(Stored stored) { return static_cast<Held>(stored); }
  static Stored Store(Held held) { return static_cast<Stored>(held); }
};
struct Truth {
  using Stored = std::uint8_t;
  using Held = std::uint8_t;
  static Held Load(Stored stored) { return stored != 0 ? 1 : 0; }
  static Stored Store(Held held) { return held; }
};
template <typename Format>
struct Small {
  using Stored = typename Format::Code;
  using Held = float;
  static Held Load(Stored stored) { return Format::Decode(stored); }
  static Stored Store(Held held) { return Format::Encode(Format::Round(held)); }
};

template <typename Visit>
auto WithElement(Element element, Visit visit) {
  switch (element) {
    case Element::kBool:
      return visit(Truth{});
    case Element::kI32:
    case Element::kU32:
    case Element::kF32:
      return visit(Plain<std::uint32_t>{});
    case Element::kI64:
    case Element::kU64:
    case Element::kF64:
      return visit(Plain<std::uint64_t>{});
    case Element::kI8:
      return visit(Plain<std::int8_t, std::int32_t>{});
    case Element::kU8:
      return visit(Plain<std::uint8_t, std::uint32_t>{});
    case Element::kI16:
      return visit(Plain<std::int16_t, std::int32_t>{});
    case Element::kU16:
      return visit(Plain<std::uint16_t, std::uint32_t>{});
    case Element::kF16:
      return visit(Small<compute::Float16>{});
    case Element::kBf16:
      return visit(Small<compute::Bfloat16>{});
  }
  throw std::invalid_argument("the program has an unknown element type");
}

template <typename Visit>
void EachLane(const std::uint8_t* mask, std::size_t low, std::size_t high, Visit visit) {
  if (mask == nullptr) {
    for (std::size_t lane = low; lane < high; ++lane) visit(lane);
  } else {
    for (std::size_t lane = low; lane < high; ++lane) {
      if (mask[lane] != 0) visit(lane);
    }
  }
}

template <typename Form>
void LoadLoop(std::byte* base, const std::int64_t* offsets, const std::uint8_t* mask, void* held,
              std::size_t low, std::size_t high) {
  auto* out = static_cast<typename Form::Held*>(held);
  EachLane(mask, low, high, [&](std::size_t lane) {
    out[lane] = Form::Load(*reinterpret_cast<const typename Form::Stored*>(base + offsets[lane]));
  });
}

template <typename Form>
void StoreLoop(std::byte* base, const std::int64_t* offsets, const std::uint8_t* mask, void* held,
               std::size_t low, std::size_t high) {
  const auto* values = static_cast<const typename Form::Held*>(held);
  EachLane(mask, low, high, [&](std::size_t lane) {
    *reinterpret_cast<typename Form::Stored*>(base + offsets[lane]) = Form::Store(values[lane]);
  });
}

template <typename Form>
void DenseLoadLoop(std::byte* first, void* held, std::size_t count) {
  const auto* stored = reinterpret_cast<const typename Form::Stored*>(first);
  auto* out = static_cast<typename Form::Held*>(held);
  for (std::size_t i = 0; i < count; ++i) out[i] = Form::Load(stored[i]);
}

template <typename Form>
void DenseStoreLoop(std::byte* first, void* held, std::size_t count) {
  auto* stored = reinterpret_cast<typename Form::Stored*>(first);
  const auto* values = static_cast<const typename Form::Held*>(held);
  for (std::size_t i = 0; i < count; ++i) stored[i] = Form::Store(values[i]);
}

template <AtomicOperation kOperation, typename T>
T Combined(T old, T value) {
  if constexpr (kOperation == AtomicOperation::kAtomicMin) return value < old ? value : old;
  if constexpr (kOperation == AtomicOperation::kAtomicMax) return value > old ? value : old;
  if constexpr (kOperation == AtomicOperation::kAtomicExch) return value;
  if constexpr (std::is_integral_v<T>) {
    using Bits = std::make_unsigned_t<T>;
    if constexpr (kOperation == AtomicOperation::kAtomicAdd) return static_cast<T>(Bits(old) + Bits(value));
    if constexpr (kOperation == AtomicOperation::kAtomicSub) return static_cast<T>(Bits(old) - Bits(value));
    if constexpr (kOperation == AtomicOperation::kAtomicAnd) return old & value;
    if constexpr (kOperation == AtomicOperation::kAtomicOr) return old | value;
    if constexpr (kOperation == AtomicOperation::kAtomicXor) return old ^ value;
    if constexpr (kOperation == AtomicOperation::kAtomicInc)
      return old >= value ? T(0) : static_cast<T>(old + 1);
    if constexpr (kOperation == AtomicOperation::kAtomicDec)
      return old == 0 || old > value ? value : static_cast<T>(old - 1);
  } else {
    if constexpr (kOperation == AtomicOperation::kAtomicAdd) return old + value;
    if constexpr (kOperation == AtomicOperation::kAtomicSub) return old - value;
  }
  return old;
}

template <AtomicOperation kOperation, typename T>
void AtomicLoopOf(std::byte* base, const std::int64_t* offsets, const std::uint8_t* mask, const void* first,
                  const void* second, void* old, std::size_t low, std::size_t high) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const auto* values = static_cast<const T*>(first);
  EachLane(mask, low, high, [&](std::size_t lane) {
    // Batches on several host threads may use the same element.
    const std::atomic_ref element(*reinterpret_cast<Bits*>(base + offsets[lane]));
    Bits seen = element.load(std::memory_order_relaxed);
    if constexpr (kOperation == AtomicOperation::kAtomicCas) {
      seen = __builtin_bit_cast(Bits, values[lane]);
      element.compare_exchange_strong(seen, static_cast<const Bits*>(second)[lane]);
    } else {
      const auto next = [&] {
        return __builtin_bit_cast(Bits, Combined<kOperation>(__builtin_bit_cast(T, seen), values[lane]));
      };
      while (!element.compare_exchange_weak(seen, next())) continue;
    }
    if (old != nullptr) static_cast<Bits*>(old)[lane] = seen;
  });
}

template <typename T>
constexpr AtomicLoop kAtomicLoops[] = {
    AtomicLoopOf<AtomicOperation::kAtomicAdd, T>,  AtomicLoopOf<AtomicOperation::kAtomicSub, T>,
    AtomicLoopOf<AtomicOperation::kAtomicMin, T>,  AtomicLoopOf<AtomicOperation::kAtomicMax, T>,
    AtomicLoopOf<AtomicOperation::kAtomicExch, T>, AtomicLoopOf<AtomicOperation::kAtomicCas, T>,
    AtomicLoopOf<AtomicOperation::kAtomicAnd, T>,  AtomicLoopOf<AtomicOperation::kAtomicOr, T>,
    AtomicLoopOf<AtomicOperation::kAtomicXor, T>,  AtomicLoopOf<AtomicOperation::kAtomicInc, T>,
    AtomicLoopOf<AtomicOperation::kAtomicDec, T>,
};

const AtomicLoop* AtomicsOf(Element element) {
  switch (element) {
    case Element::kI32:
      return kAtomicLoops<std::int32_t>;
    case Element::kU32:
      return kAtomicLoops<std::uint32_t>;
    case Element::kI64:
      return kAtomicLoops<std::int64_t>;
    case Element::kU64:
      return kAtomicLoops<std::uint64_t>;
    case Element::kF32:
      return kAtomicLoops<float>;
    case Element::kF64:
      return kAtomicLoops<double>;
    default:
      return nullptr;
  }
}

}  // namespace

Transfer FindLoad(Element element) {
  return WithElement(element, []<typename Form>(Form) -> Transfer { return LoadLoop<Form>; });
}

Transfer FindStore(Element element) {
  return WithElement(element, []<typename Form>(Form) -> Transfer { return StoreLoop<Form>; });
}

DenseTransfer FindDenseLoad(Element element) {
  return WithElement(element, []<typename Form>(Form) -> DenseTransfer { return DenseLoadLoop<Form>; });
}

DenseTransfer FindDenseStore(Element element) {
  return WithElement(element, []<typename Form>(Form) -> DenseTransfer { return DenseStoreLoop<Form>; });
}

AtomicLoop FindAtomic(AtomicOperation operation, Element element) {
  const AtomicLoop* loops = AtomicsOf(element);
  const bool whole = element < Element::kF32;
  if (loops == nullptr || (!whole && operation >= AtomicOperation::kAtomicAnd))
    throw std::invalid_argument("the program has an atomic operation on elements that have none");
  return loops[static_cast<int>(operation)];
}

}  // namespace stridelab::kernels

// Comparisons, tests and logic: what gives a bool.
#include <cmath>
#include <type_traits>

#include "compute/loops.h"

namespace stridelab::compute {
namespace {

template <typename Value>
bool Truth(Value value) {
  return value != Value{0};
}

#define STRIDELAB_RELATION(Name, relation)    \
  struct Name {                               \
    template <typename Value>                 \
    bool operator()(Value a, Value b) const { \
      return a relation b;                    \
    }                                         \
  };

STRIDELAB_RELATION(Equal, ==)
STRIDELAB_RELATION(NotEqual, !=)
STRIDELAB_RELATION(Less, <)
STRIDELAB_RELATION(LessEqual, <=)
STRIDELAB_RELATION(Greater, >)
STRIDELAB_RELATION(GreaterEqual, >=)

#undef STRIDELAB_RELATION

struct LogicalAnd {
  template <typename Value>
  bool operator()(Value a, Value b) const {
    return Truth(a) && Truth(b);
  }
};

struct LogicalOr {
  template <typename Value>
  bool operator()(Value a, Value b) const {
    return Truth(a) || Truth(b);
  }
};

struct LogicalXor {
  template <typename Value>
  bool operator()(Value a, Value b) const {
    return Truth(a) != Truth(b);
  }
};

struct LogicalNot {
  template <typename Value>
  bool operator()(Value a) const {
    return !Truth(a);
  }
};

struct IsNan {
  template <typename Value>
  bool operator()(Value a) const {
    if constexpr (kIsComplex<Value>)
      return std::isnan(a.real()) || std::isnan(a.imag());
    else if constexpr (std::is_floating_point_v<Value>)
      return std::isnan(a);
    else
      return false;
  }
};

struct IsInfinite {
  template <typename Value>
  bool operator()(Value a) const {
    if constexpr (kIsComplex<Value>)
      return std::isinf(a.real()) || std::isinf(a.imag());
    else if constexpr (std::is_floating_point_v<Value>)
      return std::isinf(a);
    else
      return false;
  }
};

struct IsFinite {
  template <typename Value>
  bool operator()(Value a) const {
    return !IsNan()(a) && !IsInfinite()(a);
  }
};

struct SignBit {
  template <typename Value>
  bool operator()(Value a) const {
    if constexpr (std::is_floating_point_v<Value>)
      return std::signbit(a);
    else
      return a < Value{0};
  }
};

template <typename Value>
Kernel FindFor(Opcode opcode) {
  switch (opcode) {
    case Opcode::kEqual:
      return BinaryLoop<bool, Value, Equal>;
    case Opcode::kNotEqual:
      return BinaryLoop<bool, Value, NotEqual>;
    case Opcode::kLogicalAnd:
      return BinaryLoop<bool, Value, LogicalAnd>;
    case Opcode::kLogicalOr:
      return BinaryLoop<bool, Value, LogicalOr>;
    case Opcode::kLogicalXor:
      return BinaryLoop<bool, Value, LogicalXor>;
    case Opcode::kLogicalNot:
      return UnaryLoop<bool, Value, LogicalNot>;
    case Opcode::kIsnan:
      return UnaryLoop<bool, Value, IsNan>;
    case Opcode::kIsinf:
      return UnaryLoop<bool, Value, IsInfinite>;
    case Opcode::kIsfinite:
      return UnaryLoop<bool, Value, IsFinite>;
    default:
      break;
  }
  if constexpr (!kIsComplex<Value>) {
    if (opcode == Opcode::kLess) return BinaryLoop<bool, Value, Less>;
    if (opcode == Opcode::kLessEqual) return BinaryLoop<bool, Value, LessEqual>;
    if (opcode == Opcode::kGreater) return BinaryLoop<bool, Value, Greater>;
    if (opcode == Opcode::kGreaterEqual) return BinaryLoop<bool, Value, GreaterEqual>;
    if (opcode == Opcode::kSignbit) return UnaryLoop<bool, Value, SignBit>;
  }
  return nullptr;
}

}  // namespace

Kernel FindComparison(Opcode opcode, Type type) {
  return WithType(type, [opcode](auto value) { return FindFor<decltype(value)>(opcode); });
}

}  // namespace stridelab::compute

// Functions of real and complex numbers.
#include <cmath>
#include <type_traits>

#include "compute/loops.h"

namespace stridelab::compute {
namespace {

/** A function object around a function of the standard library, which has one for real and mostly one for
 * complex numbers. */
#define STRIDELAB_FUNCTION(Name, call) \
  struct Name {                        \
    template <typename Value>          \
    Value operator()(Value a) const {  \
      return std::call(a);             \
    }                                  \
  };

STRIDELAB_FUNCTION(Sqrt, sqrt)
STRIDELAB_FUNCTION(Cbrt, cbrt)
STRIDELAB_FUNCTION(Exp, exp)
STRIDELAB_FUNCTION(Exp2, exp2)
STRIDELAB_FUNCTION(Expm1, expm1)
STRIDELAB_FUNCTION(Log, log)
STRIDELAB_FUNCTION(Log2, log2)
STRIDELAB_FUNCTION(Log10, log10)
STRIDELAB_FUNCTION(Log1p, log1p)
STRIDELAB_FUNCTION(Sin, sin)
STRIDELAB_FUNCTION(Cos, cos)
STRIDELAB_FUNCTION(Tan, tan)
STRIDELAB_FUNCTION(Asin, asin)
STRIDELAB_FUNCTION(Acos, acos)
STRIDELAB_FUNCTION(Atan, atan)
STRIDELAB_FUNCTION(Sinh, sinh)
STRIDELAB_FUNCTION(Cosh, cosh)
STRIDELAB_FUNCTION(Tanh, tanh)
STRIDELAB_FUNCTION(Asinh, asinh)
STRIDELAB_FUNCTION(Acosh, acosh)
STRIDELAB_FUNCTION(Atanh, atanh)
STRIDELAB_FUNCTION(Erf, erf)
STRIDELAB_FUNCTION(Floor, floor)
STRIDELAB_FUNCTION(Ceil, ceil)
STRIDELAB_FUNCTION(Trunc, trunc)
STRIDELAB_FUNCTION(RoundEven, nearbyint)

#undef STRIDELAB_FUNCTION

struct Rsqrt {
  template <typename Value>
  Value operator()(Value a) const {
    return Value{1} / std::sqrt(a);
  }
};

struct Atan2 {
  template <typename Value>
  Value operator()(Value y, Value x) const {
    return std::atan2(y, x);
  }
};

struct Hypot {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    return std::hypot(a, b);
  }
};

struct Copysign {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    return std::copysign(a, b);
  }
};

/** log(exp(a) + exp(b)) without overflow. */
struct Logaddexp {
  template <typename Value>
  Value operator()(Value a, Value b) const {
    if (a == b) return a + static_cast<Value>(0.693147180559945309417);
    const Value past = a - b;
    if (past > 0) return a + std::log1p(std::exp(-past));
    return past <= 0 ? b + std::log1p(std::exp(past)) : past;
  }
};

template <typename Value, typename Function>
constexpr Kernel Unary() {
  return UnaryLoop<Value, Value, Function>;
}

template <typename Value>
Kernel FindReal(Opcode opcode) {
  switch (opcode) {
    case Opcode::kRsqrt:
      return Unary<Value, Rsqrt>();
    case Opcode::kCbrt:
      return Unary<Value, Cbrt>();
    case Opcode::kExp2:
      return Unary<Value, Exp2>();
    case Opcode::kExpm1:
      return Unary<Value, Expm1>();
    case Opcode::kLog2:
      return Unary<Value, Log2>();
    case Opcode::kLog1p:
      return Unary<Value, Log1p>();
    case Opcode::kErf:
      return Unary<Value, Erf>();
    case Opcode::kFloor:
      return Unary<Value, Floor>();
    case Opcode::kCeil:
      return Unary<Value, Ceil>();
    case Opcode::kTrunc:
      return Unary<Value, Trunc>();
    case Opcode::kRound:
      return Unary<Value, RoundEven>();
    case Opcode::kAtan2:
      return BinaryLoop<Value, Value, Atan2>;
    case Opcode::kHypot:
      return BinaryLoop<Value, Value, Hypot>;
    case Opcode::kCopysign:
      return BinaryLoop<Value, Value, Copysign>;
    case Opcode::kLogaddexp:
      return BinaryLoop<Value, Value, Logaddexp>;
    default:
      return nullptr;
  }
}

template <typename Value>
Kernel FindAnalytic(Opcode opcode) {
  switch (opcode) {
    case Opcode::kSqrt:
      return Unary<Value, Sqrt>();
    case Opcode::kExp:
      return Unary<Value, Exp>();
    case Opcode::kLog:
      return Unary<Value, Log>();
    case Opcode::kLog10:
      return Unary<Value, Log10>();
    case Opcode::kSin:
      return Unary<Value, Sin>();
    case Opcode::kCos:
      return Unary<Value, Cos>();
    case Opcode::kTan:
      return Unary<Value, Tan>();
    case Opcode::kAsin:
      return Unary<Value, Asin>();
    case Opcode::kAcos:
      return Unary<Value, Acos>();
    case Opcode::kAtan:
      return Unary<Value, Atan>();
    case Opcode::kSinh:
      return Unary<Value, Sinh>();
    case Opcode::kCosh:
      return Unary<Value, Cosh>();
    case Opcode::kTanh:
      return Unary<Value, Tanh>();
    case Opcode::kAsinh:
      return Unary<Value, Asinh>();
    case Opcode::kAcosh:
      return Unary<Value, Acosh>();
    case Opcode::kAtanh:
      return Unary<Value, Atanh>();
    default:
      return nullptr;
  }
}

}  // namespace

Kernel FindMath(Opcode opcode, Type type) {
  return WithType(type, [opcode](auto value) -> Kernel {
    using Value = decltype(value);
    if constexpr (std::is_floating_point_v<Value>) {
      const Kernel real = FindReal<Value>(opcode);
      return real != nullptr ? real : FindAnalytic<Value>(opcode);
    } else if constexpr (kIsComplex<Value>) {
      return FindAnalytic<Value>(opcode);
    } else {
      return nullptr;
    }
  });
}

}  // namespace stridelab::compute

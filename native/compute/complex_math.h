// Elementary functions of complex numbers, from the C library: those of the C++ libraries differ in their results.
#pragma once

#include <cmath>
#include <complex>

namespace stridelab::compute::math {

/** Declares a function of complex numbers of one precision by the compilers' built-in function, which calls the C library. */
#define STRIDELAB_COMPLEX_OF(PART, NAME, BUILTIN)        \
  inline std::complex<PART> NAME(std::complex<PART> x) { \
    __complex__ PART value;                              \
    __real__ value = x.real();                           \
    __imag__ value = x.imag();                           \
    const __complex__ PART result = BUILTIN(value);      \
    return {__real__ result, __imag__ result};           \
  }

/** Declares a function of real and complex numbers. */
#define STRIDELAB_COMPLEX(NAME)                           \
  using std::NAME;                                        \
  STRIDELAB_COMPLEX_OF(float, NAME, __builtin_c##NAME##f) \
  STRIDELAB_COMPLEX_OF(double, NAME, __builtin_c##NAME)

STRIDELAB_COMPLEX(exp)
STRIDELAB_COMPLEX(log)
STRIDELAB_COMPLEX(sqrt)
STRIDELAB_COMPLEX(sin)
STRIDELAB_COMPLEX(cos)
STRIDELAB_COMPLEX(tan)
STRIDELAB_COMPLEX(asin)
STRIDELAB_COMPLEX(acos)
STRIDELAB_COMPLEX(atan)
STRIDELAB_COMPLEX(sinh)
STRIDELAB_COMPLEX(cosh)
STRIDELAB_COMPLEX(tanh)
STRIDELAB_COMPLEX(asinh)
STRIDELAB_COMPLEX(acosh)
STRIDELAB_COMPLEX(atanh)

#undef STRIDELAB_COMPLEX
#undef STRIDELAB_COMPLEX_OF

}  // namespace stridelab::compute::math

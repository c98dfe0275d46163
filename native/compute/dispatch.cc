#include "compute/vector_sets.h"

namespace stridelab::compute {
namespace {

struct Chosen {
  const VectorKernels& vector;
  const MicroKernels& micro;
};

Chosen Choose() {
#ifdef STRIDELAB_X86_VECTORS
  const bool fma = __builtin_cpu_supports("fma");
  if (fma && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return {VectorAvx512(), MicroAvx512()};
  if (fma && __builtin_cpu_supports("avx2")) return {VectorAvx2(), MicroAvx2()};
#endif
  return {VectorBaseline(), MicroBaseline()};
}

const Chosen& Best() {
  static const Chosen chosen = Choose();
  return chosen;
}

}  // namespace

const VectorKernels& Vector() { return Best().vector; }

const MicroKernels& Micros() { return Best().micro; }

Kernel FindKernel(Opcode opcode, Type operand, Type result) {
  const Kernel found = Vector().find(opcode, RegisterType(operand), RegisterType(result));
  return found != nullptr ? found : FindMathKernel(opcode, operand);
}

}  // namespace stridelab::compute

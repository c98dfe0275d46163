#include "compute/vector_sets.h"

namespace stridelab::compute {
namespace {

const VectorKernels& Choose() {
#ifdef STRIDELAB_X86_VECTORS
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return VectorAvx512();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return VectorAvx2();
#endif
  return VectorBaseline();
}

}  // namespace

const VectorKernels& Vector() {
  static const VectorKernels& chosen = Choose();
  return chosen;
}

Kernel FindKernel(Opcode opcode, Type operand, Type result) {
  const Kernel found = Vector().find(opcode, operand, result);
  return found != nullptr ? found : FindMathKernel(opcode, operand);
}

}  // namespace stridelab::compute

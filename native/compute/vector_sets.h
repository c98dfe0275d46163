// The loops compiled for each instruction set.
#pragma once

#include "compute/kernel.h"

namespace stridelab::compute {

const VectorKernels& VectorBaseline();
/** AVX2 and FMA. */
const VectorKernels& VectorAvx2();
/** AVX-512 F, BW, DQ and VL. */
const VectorKernels& VectorAvx512();

}  // namespace stridelab::compute

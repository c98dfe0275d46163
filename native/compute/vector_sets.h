// The loops compiled for each instruction set.
#pragma once

#include "compute/kernel.h"
#include "compute/micro.h"

namespace stridelab::compute {

const VectorKernels& VectorBaseline();
const MicroKernels& MicroBaseline();
/** AVX2 and FMA. */
const VectorKernels& VectorAvx2();
const MicroKernels& MicroAvx2();
/** AVX-512 F, BW, DQ and VL. */
const VectorKernels& VectorAvx512();
const MicroKernels& MicroAvx512();

}  // namespace stridelab::compute

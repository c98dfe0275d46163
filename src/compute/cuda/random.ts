/** Generates random numbers on a GPU. */

import { storedType } from '../program/cuda-types.ts';
import type { RandomRun } from '../program/runs.ts';
import { launchGenerated } from './generated-kernel.ts';
import { PRELUDE } from './prelude.ts';

const BLOCK = 128;
/** Philox blocks per thread: their instructions overlap, and they share the round keys. */
const GROUPS = 4;

/**
 * CUDA C++ that makes two normal numbers of two words with the GPU's approximate functions, as cuRAND does. An error of 2^-22 in the
 * logarithm of a number near 1 would be large in its square root, so a polynomial replaces it there. The angle is from -pi to pi.
 */
const FAST_NORMAL = `
#define APPROXIMATE(name) __device__ __forceinline__ float name##Approx(float x) { float y; asm(#name ".approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
APPROXIMATE(lg2) APPROXIMATE(sqrt) APPROXIMATE(sin) APPROXIMATE(cos)
__device__ __forceinline__ void normalPair(unsigned first, unsigned second, float* values) {
  const float whole = (float)(first >> 8);
  const float near = whole * fmaf(fmaf(1.46282774e-22f, whole, 3.55169944e-15f), whole, 1.19209319e-7f);
  const float far = -1.38629436f * lg2Approx(fmaf(whole, -0x1p-24f, 1.0f));
  const float radius = sqrtApprox(whole < 0x1p19f ? near : far);
  const float angle = (float)((int)second >> 8) * 3.74507034e-7f;
  values[0] = radius * cosApprox(angle);
  values[1] = radius * sinApprox(angle);
}`;

const EXACT_NORMAL = `
__device__ __forceinline__ void normalPair(double first, double second, double* values) {
  double radius = sqrt(-2.0 * log(1.0 - first)), s, c;
  sincospi(2.0 * second, &s, &c);
  values[0] = radius * c;
  values[1] = radius * s;
}`;

/** Writes kernel `draw(out, seed, offset, low, span, count)`: the numbers of native/compute/random.h. */
function emitRandom({ distribution, type }: RandomRun): string {
  const wide = type.endsWith('64');
  const count = wide ? 2 : 4;
  const stored = storedType(type);
  const bits = wide ? '(x[2 * k] | (u64)x[2 * k + 1] << 32)' : 'x[k]';
  const uniform = wide ? `(double)(${bits} >> 11) * 0x1p-53` : `(float)(${bits} >> 8) * 0x1p-24f`;
  const product = wide ? `__umul64hi(${bits}, span)` : `((u64)${bits} * span >> 32)`;
  const whole =
    distribution === 'bits' ? bits : `span == 0 ? (${stored})${bits} : (${stored})((u64)low + ${product})`;
  const value = distribution === 'uniform' || distribution === 'normal' ? uniform : `(${stored})(${whole})`;
  const isNormal = distribution === 'normal';
  const each = `
    #pragma unroll
    for (int k = 0; k < ${count}; ++k) values.of[k] = ${value};`;
  const pairs = wide
    ? `${each}
    normalPair(values.of[0], values.of[1], values.of);`
    : `
    normalPair(x[0], x[1], values.of);
    normalPair(x[2], x[3], values.of + 2);`;
  return `${PRELUDE}
struct alignas(16) Pack { ${stored} of[${count}]; };
${isNormal ? (wide ? EXACT_NORMAL : FAST_NORMAL) : ''}
__device__ __forceinline__ void philox(unsigned* x, unsigned k0, unsigned k1) {
  #pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned h0 = __umulhi(0xD2511F53u, x[0]), l0 = 0xD2511F53u * x[0];
    const unsigned h1 = __umulhi(0xCD9E8D57u, x[2]), l1 = 0xCD9E8D57u * x[2];
    x[0] = h1 ^ x[1] ^ k0; x[1] = l1; x[2] = h0 ^ x[3] ^ k1; x[3] = l0;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
}
extern "C" __global__ void __launch_bounds__(${BLOCK}) draw(${stored}* out, const u64 seed, const u64 offset, const i64 low, const u64 span, const i64 count) {
  const i64 block = (i64)blockIdx.x * ${BLOCK * GROUPS} + threadIdx.x;
  Pack packs[${GROUPS}];
  #pragma unroll
  for (int group = 0; group < ${GROUPS}; ++group) {
    const u64 counter = offset + (u64)block + group * ${BLOCK};
    unsigned x[4] = {(unsigned)counter, (unsigned)(counter >> 32), 0u, 0u};
    philox(x, (unsigned)seed, (unsigned)(seed >> 32));
    Pack& values = packs[group];${isNormal ? pairs : each}
  }
  const bool whole = ((i64)blockIdx.x + 1) * ${BLOCK * GROUPS} * ${count} <= count && ((u64)out & 15) == 0;
  #pragma unroll
  for (int group = 0; group < ${GROUPS}; ++group) {
    const i64 first = (block + group * ${BLOCK}) * ${count};
    if (whole) *(Pack*)(out + first) = packs[group];
    else for (int k = 0; k < ${count} && first + k < count; ++k) out[first + k] = packs[group].of[k];
  }
}
`;
}

export function random(run: RandomRun): void {
  const { distribution, type, output, seed, position, low, span, stream } = run;
  const threads = (output.size * output.dtype.itemsize) / 16;
  const launch = {
    key: `random/${distribution}/${type}`,
    name: 'draw',
    emit: () => emitRandom(run),
    arguments: [output.pointer, seed, position, BigInt.asUintN(64, low), span, output.size],
    grid: [Math.ceil(threads / (BLOCK * GROUPS)), 1, 1],
    block: BLOCK
  } as const;
  launchGenerated(stream, launch, [output], []);
}

/** Generates random numbers on a GPU. */

import { storedType } from '../program/cuda-types.ts';
import type { RandomRun } from '../program/runs.ts';
import { launchGenerated } from './generated-kernel.ts';
import { PRELUDE } from './prelude.ts';

const BLOCK = 256;

/** Writes kernel `draw(out, seed, offset, low, span, count)`: the numbers of native/compute/random.h, one Philox block per thread. */
function emitRandom({ distribution, type }: RandomRun): string {
  const wide = type.endsWith('64');
  const count = wide ? 2 : 4;
  const float = type === 'float64' ? 'double' : 'float';
  const stored = storedType(type);
  const bits = wide ? '(x[2 * k] | (u64)x[2 * k + 1] << 32)' : 'x[k]';
  const uniform = wide ? `(double)(${bits} >> 11) * 0x1p-53` : `(float)(${bits} >> 8) * 0x1p-24f`;
  const product = wide ? `__umul64hi(${bits}, span)` : `((u64)${bits} * span >> 32)`;
  const whole =
    distribution === 'bits' ? bits : `span == 0 ? (${stored})${bits} : (${stored})((u64)low + ${product})`;
  const value = distribution === 'uniform' || distribution === 'normal' ? uniform : `(${stored})(${whole})`;
  const normal = `
  #pragma unroll
  for (int k = 0; k < ${count}; k += 2) {
    ${float} radius = sqrt((${float})-2 * log((${float})1 - values.of[k]));
    ${float} turn = (${float})2 * values.of[k + 1], s, c;
    ${wide ? 'sincospi' : 'sincospif'}(turn, &s, &c);
    values.of[k] = radius * c;
    values.of[k + 1] = radius * s;
  }`;
  return `${PRELUDE}
struct alignas(16) Pack { ${stored} of[${count}]; };
extern "C" __global__ void __launch_bounds__(${BLOCK}) draw(${stored}* out, const u64 seed, const u64 offset, const i64 low, const u64 span, const i64 count) {
  const i64 block = (i64)blockIdx.x * ${BLOCK} + threadIdx.x;
  const i64 first = block * ${count};
  if (first >= count) return;
  const u64 counter = offset + (u64)block;
  unsigned x[4] = {(unsigned)counter, (unsigned)(counter >> 32), 0u, 0u};
  unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
  #pragma unroll
  for (int round = 0; round < 10; ++round) {
    const unsigned h0 = __umulhi(0xD2511F53u, x[0]), l0 = 0xD2511F53u * x[0];
    const unsigned h1 = __umulhi(0xCD9E8D57u, x[2]), l1 = 0xCD9E8D57u * x[2];
    x[0] = h1 ^ x[1] ^ k0; x[1] = l1; x[2] = h0 ^ x[3] ^ k1; x[3] = l0;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
  Pack values;
  #pragma unroll
  for (int k = 0; k < ${count}; ++k) values.of[k] = ${value};
  ${distribution === 'normal' ? normal : ''}
  if (first + ${count} <= count && ((u64)out & 15) == 0) *(Pack*)(out + first) = values;
  else for (int k = 0; k < ${count} && first + k < count; ++k) out[first + k] = values.of[k];
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
    grid: [Math.ceil(threads / BLOCK), 1, 1],
    block: BLOCK
  } as const;
  launchGenerated(stream, launch, [output], []);
}

/** Matrix products on a GPU: with a vector by a kernel of its own; otherwise through cuBLASLt, or a generated kernel where it cannot. */

import { dtypes } from '../../dtype/dtype.ts';
import { sizeOf } from '../../layout/shape.ts';
import type { ElementTypeName } from '../program/element-types.ts';
import type { MatmulRun } from '../program/runs.ts';
import { requireAligned } from './alignment.ts';
import { multiplyByCublas } from './cublas.ts';
import { dimensions, emitPlaces } from './emit-places.ts';
import { launchGenerated } from './generated-kernel.ts';
import { multiplyByVector } from './matrix-vector.ts';
import { PRELUDE } from './prelude.ts';
import { decode, encode, isSmallFloat, registerTypeName, storedType } from '../program/cuda-types.ts';

/** Rows and columns of the result that a block computes, and the depth of a step. */
const TILE = 64;
const DEPTH = 16;
/** Threads per block, each of which computes four by four results. */
const THREADS = 256;

/** Returns the expression that adds a product to a sum. */
function accumulated(type: ElementTypeName): string {
  if (type === 'bool') return 'sum[i][j] || (left[i] && right[j])';
  if (type === 'float64') return 'fma(left[i], right[j], sum[i][j])';
  if (type === 'float32' || isSmallFloat(type)) return 'fmaf(left[i], right[j], sum[i][j])';
  return /^u?int/.test(type)
    ? `(${registerTypeName(type)})((u64)sum[i][j] + (u64)left[i] * (u64)right[j])`
    : 'sum[i][j] + left[i] * right[j]';
}

/** Writes kernel `matmul(a, b, out, m, n, k, dims)`: blocks (column tile, row tile, batch). Strides in elements. */
function emitMatmul(type: ElementTypeName, batchRank: number): string {
  const register = registerTypeName(type);
  const stored = storedType(type);
  const steps = emitPlaces(
    batchRank,
    axis => `a += place * dims.a[${axis}]; b += place * dims.b[${axis}]; out += place * dims.out[${axis}];`,
    { index: 'batch' }
  );
  const rank = Math.max(batchRank, 1);
  return `${PRELUDE}
struct Dims { i64 shape[${rank}]; i64 a[${rank}]; i64 b[${rank}]; i64 out[${rank}]; i64 aRow, aColumn, bRow, bColumn, outRow, outColumn; };
extern "C" __global__ void __launch_bounds__(${THREADS}) matmul(const ${stored}* a, const ${stored}* b, ${stored}* out, const i64 m, const i64 n, const i64 k, const __grid_constant__ Dims dims) {
  __shared__ __align__(16) char memory[2 * ${DEPTH} * ${TILE + 4} * sizeof(${register})];
  ${register} (*tileA)[${TILE + 4}] = (${register} (*)[${TILE + 4}])memory;
  ${register} (*tileB)[${TILE + 4}] = tileA + ${DEPTH};
  i64 batch = blockIdx.z;
  ${steps}
  const i64 row0 = (i64)blockIdx.y * ${TILE}, column0 = (i64)blockIdx.x * ${TILE};
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const bool aAlong = dims.aColumn == 1, bAlong = dims.bColumn == 1;
  ${register} sum[4][4];
  for (int i = 0; i < 4; ++i) for (int j = 0; j < 4; ++j) sum[i][j] = ${register}(0);
  for (i64 depth = 0; depth < k; depth += ${DEPTH}) {
    #pragma unroll
    for (int part = 0; part < ${(TILE * DEPTH) / THREADS}; ++part) {
      const int at = part * ${THREADS} + threadIdx.x;
      const int ar = aAlong ? at / ${DEPTH} : at % ${TILE}, ad = aAlong ? at % ${DEPTH} : at / ${TILE};
      const i64 row = row0 + ar, da = depth + ad;
      ${register} x = ${register}(0);
      if (row < m && da < k) x = ${decode(type, 'a[row * dims.aRow + da * dims.aColumn]')};
      tileA[ad][ar] = x;
      const int bc = bAlong ? at % ${TILE} : at / ${DEPTH}, bd = bAlong ? at / ${TILE} : at % ${DEPTH};
      const i64 column = column0 + bc, db = depth + bd;
      ${register} y = ${register}(0);
      if (column < n && db < k) y = ${decode(type, 'b[db * dims.bRow + column * dims.bColumn]')};
      tileB[bd][bc] = y;
    }
    __syncthreads();
    #pragma unroll
    for (int d = 0; d < ${DEPTH}; ++d) {
      ${register} left[4], right[4];
      #pragma unroll
      for (int i = 0; i < 4; ++i) { left[i] = tileA[d][ty * 4 + i]; right[i] = tileB[d][tx * 4 + i]; }
      #pragma unroll
      for (int i = 0; i < 4; ++i) {
        #pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] = ${accumulated(type)};
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      const i64 row = row0 + ty * 4 + i, column = column0 + tx * 4 + j;
      if (row < m && column < n) out[row * dims.outRow + column * dims.outColumn] = ${encode(type, 'sum[i][j]')};
    }
  }
}
`;
}

export function matmul(run: MatmulRun): void {
  for (const operand of [run.a, run.b, run.output]) requireAligned(operand, run.type);
  if (!multiplyByVector(run) && !multiplyByCublas(run)) multiplyByOwnKernel(run);
}

function multiplyByOwnKernel({ type, batch, m, n, k, output, a, b, strides, stream }: MatmulRun): void {
  const { itemsize } = dtypes[type];
  const rank = batch.length;
  const steps = [strides.a, strides.b, strides.output].map(list => list.map(stride => stride / itemsize));
  const launch = {
    key: `matmul/${type}/${rank}`,
    name: 'matmul',
    emit: () => emitMatmul(type, rank),
    arguments: [
      a.pointer,
      b.pointer,
      output.pointer,
      m,
      n,
      k,
      [
        ...dimensions(rank, batch, ...steps.map(list => list.slice(0, -2))),
        ...steps.flatMap(list => list.slice(-2))
      ]
    ],
    grid: [Math.ceil(n / TILE), Math.ceil(m / TILE), sizeOf(batch)],
    block: THREADS
  } as const;
  launchGenerated(stream, launch, [output], [a, b]);
}

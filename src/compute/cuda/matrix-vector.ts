/** Products of a matrix and a vector on a GPU, at the rate of the memory: a row of the matrix for some threads of a block. */

import { DriverUnavailableError } from '../../base/errors.ts';
import { dtypes } from '../../dtype/dtype.ts';
import { decode, encode, registerTypeName, storedType } from '../program/cuda-types.ts';
import type { ElementTypeName } from '../program/element-types.ts';
import type { MatmulRun } from '../program/runs.ts';
import { launchGenerated } from './generated-kernel.ts';
import { PRELUDE } from './prelude.ts';
import { BLOCK } from './reduce.ts';

/** Bytes that a thread loads together. */
const PACK = 16;
/** Packs of a row that a thread keeps in flight. */
const UNROLL = 2;
/** Shorter rows would leave threads of a warp idle. */
const LEAST_PACKS = 32;
/** The least number of blocks that occupies a GPU; for fewer rows, cuBLASLt divides each among blocks. */
const LEAST_BLOCKS = 256;
/** The number of rows that a grid can hold, whatever the lanes. */
const MOST_ROWS = 2 ** 31;

/** The types that this kernel sums as precisely as cuBLASLt does: the 16-bit ones in float32. */
const TYPES: ReadonlySet<ElementTypeName> = new Set(['float16', 'bfloat16', 'float32', 'float64']);

/** Whether NVRTC was found to be missing: cuBLASLt multiplies without it. */
let lacksCompiler = false;

/** Writes kernel `multiply(matrix, vector, out, rows, length, rowStep, outStep)`: `lanes` threads for a row. Steps in bytes. */
function emitMultiply(type: ElementTypeName, lanes: number): string {
  const sum = registerTypeName(type);
  const width = PACK / dtypes[type].itemsize;
  const add = (to: string, left: string, right: string): string =>
    `${to} = ${type === 'float64' ? 'fma' : 'fmaf'}(${decode(type, left)}, ${decode(type, right)}, ${to});`;
  const addPacks = (left: string, right: string): string => `
      #pragma unroll
      for (int k = 0; k < ${width}; ++k) ${add('sums[k]', `${left}.of[k]`, `${right}.of[k]`)}`;
  return `${PRELUDE}
typedef ${storedType(type)} Stored;
struct alignas(${PACK}) Pack { Stored of[${width}]; };
extern "C" __global__ void __launch_bounds__(${BLOCK}) multiply(const char* matrix, const Stored* vector, char* out, const i64 rows, const i64 length, const i64 rowStep, const i64 outStep) {
  const int lane = threadIdx.x % ${lanes};
  const i64 row = (i64)blockIdx.x * ${BLOCK / lanes} + threadIdx.x / ${lanes};
  const bool inside = row < rows;
  const Stored* source = (const Stored*)(matrix + (inside ? row * rowStep : 0));
  const i64 end = inside ? length : 0, packs = end / ${width};
  ${sum} sums[${width}];
  #pragma unroll
  for (int k = 0; k < ${width}; ++k) sums[k] = 0;
  i64 i = lane;
  #pragma unroll 1
  for (; i + ${(UNROLL - 1) * lanes} < packs; i += ${UNROLL * lanes}) {
    Pack left[${UNROLL}], right[${UNROLL}];
    #pragma unroll
    for (int u = 0; u < ${UNROLL}; ++u) left[u] = ((const Pack*)source)[i + u * ${lanes}];
    #pragma unroll
    for (int u = 0; u < ${UNROLL}; ++u) right[u] = ((const Pack*)vector)[i + u * ${lanes}];
    #pragma unroll
    for (int u = 0; u < ${UNROLL}; ++u) {${addPacks('left[u]', 'right[u]')}
    }
  }
  #pragma unroll 1
  for (; i < packs; i += ${lanes}) {
    const Pack left = ((const Pack*)source)[i], right = ((const Pack*)vector)[i];${addPacks('left', 'right')}
  }
  #pragma unroll 1
  for (i = packs * ${width} + lane; i < end; i += ${lanes}) ${add('sums[0]', 'source[i]', 'vector[i]')}
  ${sum} total = sums[0];
  #pragma unroll
  for (int k = 1; k < ${width}; ++k) total += sums[k];
  #pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) total += __shfl_down_sync(0xffffffffu, total, apart);${
    lanes === 32
      ? ''
      : `
  __shared__ ${sum} totals[${BLOCK / 32}];
  const int warp = threadIdx.x / 32;
  if (lane % 32 == 0) totals[warp] = total;
  __syncthreads();
  if (lane == 0) for (int other = 1; other < ${lanes / 32}; ++other) total += totals[warp + other];`
  }
  if (inside && lane == 0) *(Stored*)(out + row * outStep) = ${encode(type, 'total')};
}
`;
}

/** Submits a product with a vector; false if another way is better, and nothing was submitted. */
export function multiplyByVector({
  type,
  batch,
  m,
  n,
  k,
  output,
  a,
  b,
  strides,
  stream
}: MatmulRun): boolean {
  if (lacksCompiler || batch.length > 0 || (m !== 1 && n !== 1) || !TYPES.has(type)) return false;
  // With a vector on the left, the columns of `b` are the rows.
  const [matrix, vector, rows] = n === 1 ? [a, b, m] : [b, a, n];
  const [rowStep, step] = n === 1 ? strides.a : [strides.b[1]!, strides.b[0]!];
  const [vectorStep, outStep] =
    n === 1 ? [strides.b[0]!, strides.output[0]!] : [strides.a[1]!, strides.output[1]!];
  const { itemsize } = dtypes[type];
  const packs = (k * itemsize) / PACK;
  const lanes = Math.min(Math.max(32, 2 ** Math.floor(Math.log2(packs / UNROLL))), BLOCK);
  const blocks = Math.ceil((rows * lanes) / BLOCK);
  if (packs < LEAST_PACKS || blocks < LEAST_BLOCKS || rows >= MOST_ROWS) return false;
  if (step !== itemsize || vectorStep !== itemsize || rowStep! % PACK !== 0) return false;
  if ([matrix, vector].some(({ pointer }) => pointer % BigInt(PACK) !== 0n)) return false;
  const launch = {
    key: `matrix-vector/${type}/${lanes}`,
    name: 'multiply',
    emit: () => emitMultiply(type, lanes),
    arguments: [matrix.pointer, vector.pointer, output.pointer, rows, k, rowStep!, outStep],
    grid: [blocks, 1, 1],
    block: BLOCK
  } as const;
  try {
    launchGenerated(stream, launch, [output], [a, b]);
  } catch (error) {
    if (!(error instanceof DriverUnavailableError)) throw error;
    lacksCompiler = true;
    return false;
  }
  return true;
}

/** Cumulative sums and products on a GPU: each chunk of a line is scanned, starting from the total of the chunks before it. */

import { sizeOf } from '../../layout/shape.ts';
import { Storage } from '../../memory/storage.ts';
import type { ElementTypeName } from '../program/element-types.ts';
import type { CumulationRun } from '../program/runs.ts';
import { requireAligned } from './alignment.ts';
import { dimensions, emitPlaces } from './emit-places.ts';
import { launchGenerated } from './generated-kernel.ts';
import { PRELUDE } from './prelude.ts';
import { BLOCK, carriedOf, finish } from './reduce.ts';
import { decode, registerTypeName, storedType } from '../program/cuda-types.ts';

/** Elements of a line per thread and per block. */
const PER_THREAD = 16;
const CHUNK = BLOCK * PER_THREAD;

/** Writes a kernel: `totals` reduces chunks to one value each, `carry` scans these into prefixes, and `scan` writes the elements. */
function emitScan(
  name: CumulationRun['name'],
  from: ElementTypeName,
  to: ElementTypeName,
  rank: number,
  part: string
): string {
  const carried = carriedOf(name, from, to);
  const register = registerTypeName(from);
  const steps = emitPlaces(rank, axis => `offset += place * dims.strides[which][${axis}];`);
  const shared = `${PRELUDE}
typedef ${carried.type} Carried;
struct Dims { i64 shape[${Math.max(rank, 1)}]; i64 strides[2][${Math.max(rank, 1)}]; };
__device__ i64 lineOffset(i64 left, const Dims& dims, int which) { i64 offset = 0; ${steps} return offset; }
__device__ __forceinline__ Carried lift(${register} x) { return ${carried.lift}; }
__device__ __forceinline__ Carried join(Carried a, Carried b) { return ${carried.join}; }
// Joins the values of all threads and returns the result; *before receives that of the threads before this one.
__device__ Carried scanBlock(Carried value, Carried* before, Carried* shared) {
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int step = 1; step < ${BLOCK}; step *= 2) {
    Carried left = threadIdx.x >= step ? shared[threadIdx.x - step] : Carried(${carried.start});
    __syncthreads();
    shared[threadIdx.x] = join(left, shared[threadIdx.x]);
    __syncthreads();
  }
  *before = threadIdx.x > 0 ? shared[threadIdx.x - 1] : Carried(${carried.start});
  Carried all = shared[${BLOCK - 1}];
  __syncthreads();
  return all;
}`;
  const parameters = `const char* in, char* out, Carried* carries, const i64 lines, const i64 length, const i64 inStep, const i64 outStep, const __grid_constant__ Dims dims`;
  const read = `lift((${register})${decode(from, `*(const ${storedType(from)}*)(source + i * inStep)`)})`;
  const body =
    part === 'carry'
      ? `
  Carried* own = carries + (i64)blockIdx.x * length;
  Carried carry = ${carried.start};
  for (i64 first = 0; first < length; first += ${BLOCK}) {
    const i64 i = first + threadIdx.x;
    Carried value = i < length ? own[i] : Carried(${carried.start}), before;
    Carried all = scanBlock(value, &before, shared);
    if (i < length) own[i] = join(carry, before);
    carry = join(carry, all);
  }`
      : `
  const i64 line = blockIdx.x / chunks, chunk = blockIdx.x % chunks;
  const char* source = in + lineOffset(line, dims, 0);
  const i64 first = chunk * ${CHUNK} + (i64)threadIdx.x * ${PER_THREAD};
  Carried own[${PER_THREAD}], total = ${carried.start};
  #pragma unroll
  for (int k = 0; k < ${PER_THREAD}; ++k) {
    const i64 i = first + k;
    own[k] = i < length ? ${read} : Carried(${carried.start});
    total = join(total, own[k]);
  }
  Carried before;
  const Carried all = scanBlock(total, &before, shared);
  ${
    part === 'totals'
      ? 'if (threadIdx.x == 0) carries[blockIdx.x] = all;'
      : `Carried running = join(chunks > 1 ? carries[blockIdx.x] : Carried(${carried.start}), before);
  char* target = out + lineOffset(line, dims, 1);
  #pragma unroll
  for (int k = 0; k < ${PER_THREAD}; ++k) {
    const i64 i = first + k;
    running = join(running, own[k]);
    const Carried total = running;
    if (i < length) *(${storedType(to)}*)(target + i * outStep) = ${finish(name, to)};
  }`
  }`;
  return `${shared}
extern "C" __global__ void __launch_bounds__(${BLOCK}) ${part}(${parameters}) {
  __shared__ __align__(16) char memory[sizeof(Carried) * ${BLOCK}];
  Carried* shared = (Carried*)memory;
  const i64 chunks = (length + ${CHUNK - 1}) / ${CHUNK};
${body}
}
`;
}

export function cumulate({ name, input, output, result, stream, axis }: CumulationRun): void {
  const from = input.dtype.name as ElementTypeName;
  requireAligned(input, from);
  requireAligned(output, result);
  const shape = input.shape.toSpliced(axis, 1);
  const rank = shape.length;
  const length = input.shape[axis]!;
  const lines = sizeOf(shape);
  const chunks = Math.ceil(length / CHUNK);
  const carries = chunks > 1 ? Storage.allocate(stream.device, lines * chunks * 16, 'device', stream) : null;
  const written = carries === null ? [output] : [output, { storage: carries }];
  const dims = dimensions(rank, shape, input.strides.toSpliced(axis, 1), output.strides.toSpliced(axis, 1));
  const launch = (part: 'totals' | 'carry' | 'scan', along: number, blocks: number): void => {
    const kernel = {
      key: `scan/${part}/${name}/${from}/${result}/${rank}`,
      name: part,
      emit: () => emitScan(name, from, result, rank, part),
      arguments: [
        input.pointer,
        output.pointer,
        carries?.pointer ?? 0n,
        lines,
        along,
        input.strides[axis]!,
        output.strides[axis]!,
        dims
      ],
      grid: [blocks, 1, 1],
      block: BLOCK
    } as const;
    launchGenerated(stream, kernel, written, [input]);
  };
  try {
    if (chunks > 1) {
      launch('totals', length, lines * chunks);
      launch('carry', chunks, lines);
    }
    launch('scan', length, lines * chunks);
  } finally {
    carries?.release();
  }
}

/** Generates CUDA C++ for cumulative sums and products: along lines by whole blocks, or with a line for each thread. Pure. */

import type { ElementTypeName } from '../program/element-types.ts';
import type { CumulationRun } from '../program/runs.ts';
import { emitPlaces } from './emit-places.ts';
import { PRELUDE } from './prelude.ts';
import { BLOCK, carriedOf, emitTree, finish } from './reduce.ts';
import { decode, encode, registerTypeName, storedType } from '../program/cuda-types.ts';

/** Rounds of a tile: a thread takes a pack in each, and the rounds of all warps have one total for each lane of a warp. */
const ROUNDS = (32 * 32) / BLOCK;

export interface ScanVariant {
  readonly name: CumulationRun['name'];
  readonly from: ElementTypeName;
  readonly to: ElementTypeName;
  /** Axes of the lines. */
  readonly rank: number;
  /** Whether a block takes tiles of a line, or each of its threads a line. */
  readonly along: 'lines' | 'threads';
  /** Consecutive elements of a line that a thread takes together. */
  readonly width: number;
  /** Whether these are loaded and stored as one. */
  readonly packed: boolean;
  /** `totals` reduces each chunk of a line; `scan` writes the elements, starting from the totals of the chunks before. */
  readonly part: 'totals' | 'scan';
}

export const scanKey = (variant: ScanVariant): string => `scan/${Object.values(variant).join('/')}`;

/** Elements of a line that a block takes at a time. */
export const tileOf = ({ width }: Pick<ScanVariant, 'width'>): number => BLOCK * width * ROUNDS;

/** Writes the position of a thread's pack in a round of the tile. */
const firstOf = ({ width }: ScanVariant): string => `tile + (round * ${BLOCK} + threadIdx.x) * ${width}`;

/** Writes the body for a line per thread. Totals are [chunk][line]. */
function emitThreads({ part }: ScanVariant, read: string, write: string): string {
  const some = 8;
  const each = part === 'totals' ? '' : `total = running; ${write}`;
  return `
  const i64 line = (i64)blockIdx.x * ${BLOCK} + threadIdx.x;
  if (line >= lines) return;
  const char* source = in + lineOffset(line, dims, 0);
  char* target = out + lineOffset(line, dims, 1);
  const i64 end = min(length, ((i64)blockIdx.y + 1) * chunk);
  i64 i = (i64)blockIdx.y * chunk;
  Carried running = start(), total;
  ${part === 'scan' ? 'for (i64 before = 0; before < blockIdx.y; ++before) running = join(running, totals[before * lines + line]);' : ''}
  for (; i + ${some} <= end; ) {
    Carried values[${some}];
    #pragma unroll
    for (int k = 0; k < ${some}; ++k) values[k] = ${read.replace('AT', '(i + k)')};
    #pragma unroll
    for (int k = 0; k < ${some}; ++k, ++i) { running = join(running, values[k]); ${each} }
  }
  for (; i < end; ++i) { running = join(running, ${read.replace('AT', 'i')}); ${each} }
  ${part === 'totals' ? 'totals[blockIdx.y * lines + line] = running;' : ''}`;
}

/**
 * Writes the loop over the tiles of a chunk, with the elements of a tile in `packs`. The next tile is loaded before the body needs its own, so
 * that memory is never idle. Neutral elements follow the end of the chunk.
 */
function emitTiles(variant: ScanVariant, body: string): string {
  const { width, packed } = variant;
  const rounds = (each: string): string => `
      #pragma unroll
      for (int round = 0; round < ${ROUNDS}; ++round) { const i64 first = ${firstOf(variant)}; ${each} }`;
  const whole = packed
    ? 'packs[round] = *(const Pack*)(source + first * sizeof(Stored));'
    : `for (int k = 0; k < ${width}; ++k) packs[round].of[k] = *(const Stored*)(source + (first + k) * inStep);`;
  return `
  const auto load = [&](Pack (&packs)[${ROUNDS}], i64 tile) {
    if (tile + ${tileOf(variant)} <= end) {${rounds(whole)}
    } else {${rounds(`for (int k = 0; k < ${width}; ++k) packs[round].of[k] = first + k < end ? *(const Stored*)(source + (first + k) * inStep) : neutral();`)}
    }
  };
  Pack next[${ROUNDS}];
  load(next, from);
  for (i64 tile = from; tile < end; tile += ${tileOf(variant)}) {
    Pack packs[${ROUNDS}];
    #pragma unroll
    for (int round = 0; round < ${ROUNDS}; ++round) packs[round] = next[round];
    load(next, tile + ${tileOf(variant)});
    ${body}
  }`;
}

/** Writes the body for whole blocks on chunks of a line. Totals are [line][chunk]. */
function emitLines(variant: ScanVariant, lift: string, write: string): string {
  const { part, width, packed } = variant;
  const rounds = (body: string): string => `
    #pragma unroll
    for (int round = 0; round < ${ROUNDS}; ++round) { ${body} }`;
  const elements = (body: string): string => `
      #pragma unroll
      for (int k = 0; k < ${width}; ++k) { ${body} }`;
  const sum = (target: string): string => elements(`${target} = join(${target}, ${lift});`);
  // Scans in reverse order, because the chunks whose totals came last are still in the cache.
  const head = `
  const unsigned part = ${part === 'totals' ? 'blockIdx.y' : 'gridDim.y - 1 - blockIdx.y'};
  const i64 line = blockIdx.x, from = part * chunk, end = min(length, from + chunk);
  const char* source = in + lineOffset(line, dims, 0);`;
  if (part === 'totals')
    return `${head}
  Carried own = start();
  ${emitTiles(variant, rounds(sum('own')))}
  shared[threadIdx.x] = own;
    ${emitTree('threadIdx.x', BLOCK, 1)}
  if (threadIdx.x == 0) totals[line * gridDim.y + part] = shared[0];`;
  const store = packed
    ? `if (tile + ${tileOf(variant)} <= end) *(OutPack*)(target + first * sizeof(Out)) = results; else`
    : '';
  return `${head}
  char* target = out + lineOffset(line, dims, 1);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Carried own = start();
  for (i64 before = threadIdx.x; before < part; before += ${BLOCK}) own = join(own, totals[line * gridDim.y + before]);
  shared[threadIdx.x] = own;
    ${emitTree('threadIdx.x', BLOCK, 1)}
  __syncthreads();
  Carried carry = shared[0];
  ${emitTiles(
    variant,
    `Carried before[${ROUNDS}];
    __syncthreads();${rounds(`
      Carried sum = start();${sum('sum')}
      sum = scanWarp(sum, lane);
      before[round] = shuffleUp(sum, 1);
      if (lane == 0) before[round] = start();
      if (lane == 31) shared[round * ${BLOCK / 32} + warp] = sum;`)}
    __syncthreads();
    if (warp == 0) shared[lane] = scanWarp(shared[lane], lane);
    __syncthreads();${rounds(`
      const int place = round * ${BLOCK / 32} + warp;
      Carried running = join(place == 0 ? carry : join(carry, shared[place - 1]), before[round]);
      const i64 first = ${firstOf(variant)};
      OutPack results;${elements(`running = join(running, ${lift}); const Carried total = running; results.of[k] = ${write};`)}
      ${store}
      for (int k = 0; k < ${width}; ++k) if (first + k < end) *(Out*)(target + (first + k) * outStep) = results.of[k];`)}
    carry = join(carry, shared[31]);`
  )}`;
}

/** Writes kernel `scan(in, out, totals, lines, length, chunk, inStep, outStep, dims)`. */
export function emitScan(variant: ScanVariant): string {
  const { name, from, to, rank, along, width } = variant;
  const carried = carriedOf(name, from, to);
  const register = registerTypeName(from);
  const steps = emitPlaces(rank, axis => `offset += place * dims.strides[which][${axis}];`);
  const lifted = (value: string): string => `lift((${register})${decode(from, value)})`;
  const value = finish(name, to);
  const body =
    along === 'threads'
      ? emitThreads(
          variant,
          lifted('*(const Stored*)(source + AT * inStep)'),
          `*(Out*)(target + i * outStep) = ${value};`
        )
      : emitLines(variant, lifted('packs[round].of[k]'), value);
  return `${PRELUDE}
typedef ${carried.type} Carried;
typedef ${storedType(from)} Stored;
typedef ${storedType(to)} Out;
template <typename T> struct alignas(${width === 1 ? 'alignof(T)' : `sizeof(T) * ${width}`}) PackOf { T of[${width}]; };
typedef PackOf<Stored> Pack;
typedef PackOf<Out> OutPack;
struct Dims { i64 shape[${Math.max(rank, 1)}]; i64 strides[2][${Math.max(rank, 1)}]; };
__device__ i64 lineOffset(i64 left, const Dims& dims, int which) { i64 offset = 0; ${steps} return offset; }
__device__ __forceinline__ Carried start() { return ${carried.start}; }
__device__ __forceinline__ Carried lift(${register} x) { return ${carried.lift}; }
__device__ __forceinline__ Stored neutral() { return ${encode(from, `(${register})${carried.start}`)}; }
__device__ __forceinline__ Carried join(Carried a, Carried b) { return ${carried.join}; }
__device__ __forceinline__ Carried shuffleUp(Carried value, int lanes) {
  u64* words = (u64*)&value;
  #pragma unroll
  for (int word = 0; word < sizeof(Carried) / 8; ++word) words[word] = __shfl_up_sync(0xffffffffu, words[word], lanes);
  return value;
}
__device__ __forceinline__ Carried scanWarp(Carried value, int lane) {
  #pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const Carried left = shuffleUp(value, step);
    if (lane >= step) value = join(left, value);
  }
  return value;
}
extern "C" __global__ void __launch_bounds__(${BLOCK}, 2) scan(const char* in, char* out, Carried* totals, const i64 lines, const i64 length, const i64 chunk, const i64 inStep, const i64 outStep, const __grid_constant__ Dims dims) {
  __shared__ __align__(16) char memory[sizeof(Carried) * ${BLOCK}];
  Carried* shared = (Carried*)memory;
${body}
}
`;
}

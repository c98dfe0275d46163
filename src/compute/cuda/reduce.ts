/** Generates CUDA C++ for reductions: over rows, over columns side by side, and their accumulators. Pure. */

import type { ElementTypeName } from '../program/element-types.ts';
import { isComplex, isFloat } from '../program/promotion.ts';
import type { ReductionName } from '../program/runs.ts';
import { emitPlaces } from './emit-places.ts';
import { PRELUDE } from './prelude.ts';
import { decode, encode, isSmallFloat, registerTypeName, storedType } from '../program/cuda-types.ts';

export const BLOCK = 256;
/** Independent loads that a thread keeps in flight; half of them are a multiple of four. */
export const UNROLL = 8;

/** The accumulator of a reduction: its type, its initial value, how an element becomes one and how two combine. */
export interface Carried {
  readonly type: string;
  readonly start: string;
  /** Expression that makes an accumulator from register `x` and its position `at`. */
  readonly lift: string;
  /** Expression that combines `a` and `b`; `a` comes first if the order matters. */
  readonly join: string;
  /** Expression that combines `a` with register `x`, whose position `at` is above that of `a`; by default lifts and joins. */
  readonly step?: string;
}

const wide = (type: ElementTypeName): string =>
  isComplex(type) ? 'Complex<double>' : isFloat(type) ? 'double' : 'u64';

export function carriedOf(name: ReductionName, type: ElementTypeName, result: ElementTypeName): Carried {
  const register = registerTypeName(type);
  if (name === 'sum' || name === 'prod') {
    const carried = wide(isFloat(result) || isComplex(result) ? result : type);
    const lift = carried === 'u64' ? '(u64)(i64)x' : `convert<${carried}>(x)`;
    return {
      type: carried,
      start: name === 'sum' ? '0' : '1',
      lift: type.startsWith('uint') && carried === 'u64' ? '(u64)x' : lift,
      join: name === 'sum' ? 'a + b' : 'a * b'
    };
  }
  if (name === 'any') return { type: 'bool', start: 'false', lift: 'convert<bool>(x)', join: 'a || b' };
  if (name === 'all') return { type: 'bool', start: 'true', lift: 'convert<bool>(x)', join: 'a && b' };
  const least = name === 'min' || name === 'argmin';
  const better = least ? '<' : '>';
  // The default Best is empty: no value is neutral for every element.
  const best = `Best<${register}>`;
  const wins = `(isNan(b.value) && !isNan(a.value)) || (!isNan(a.value) && b.value ${better} a.value) || (!(isNan(a.value) && !isNan(b.value)) && !(a.value ${better} b.value) && b.at < a.at)`;
  return {
    type: best,
    start: `${best}{}`,
    lift: `${best}{x, at}`,
    join: `b.at < 0 ? a : a.at < 0 ? b : (${wins}) ? b : a`,
    // A later element wins only if it is better; a comparison with NaN is false.
    step: `a.at >= 0 && (a.value ${least ? '<=' : '>='} x || isNan(a.value)) ? a : ${best}{x, at}`
  };
}

/** Returns the expression that converts an accumulator to the stored element. */
export function finish(name: ReductionName, result: ElementTypeName): string {
  if (name === 'argmin' || name === 'argmax') return 'total.at';
  if (name === 'min' || name === 'max')
    return isSmallFloat(result) ? encode(result, 'total.value') : 'total.value';
  if (isSmallFloat(result)) return encode(result, `convert<double>(total)`);
  return `convert<${registerTypeName(result)}>(total)`;
}

export interface ReduceVariant {
  readonly name: ReductionName;
  readonly from: ElementTypeName;
  readonly to: ElementTypeName;
  readonly keptRank: number;
  readonly reducedRank: number;
  /** Whether neighbouring threads take elements of a row, or neighbouring rows. */
  readonly along: 'rows' | 'columns';
  /** Elements loaded together: above 1 if the axis that neighbouring threads take is dense and aligned. */
  readonly width: number;
  /** Threads side by side, a power of two: those that share a row; for columns, those that take `width` rows each. */
  readonly lanes: number;
  /** Whether several blocks share a row: each leaves a partial result, and the last one to finish combines them. */
  readonly split: boolean;
  /** Whether there are too many elements for 32-bit indices. */
  readonly isWide: boolean;
}

export const reduceKey = (variant: ReduceVariant): string => `reduce/${Object.values(variant).join('/')}`;

/** Writes the offset of element `index` over some axes; a single axis needs no division, and 32 bits divide faster. */
function offsetFunction(name: string, rank: number, wide: boolean, shape: string, strides: string): string {
  const type = rank === 1 || wide ? 'i64' : 'unsigned';
  const steps = emitPlaces(rank, axis => `offset += (i64)place * dims.${strides}[which][${axis}];`, {
    shape: `dims.${shape}`,
    type
  });
  return `__device__ __forceinline__ i64 ${name}(i64 index, const Dims& dims, int which) {
  i64 offset = 0; ${type} left = (${type})index;
  ${steps}
  return offset;
}`;
}

/**
 * Writes loops that take elements `first`, `first + step`, ... below `end` into `totals`, with several packs in flight. Blocks that share a
 * row take turns, so that they read neighbouring memory and finish together.
 */
function emitLoops(variant: ReduceVariant, element: string, at: string): string {
  const { name, from, width } = variant;
  const value = (pack: string): string => decode(from, `${pack}.of[k]`);
  // Adds float32 in fours before the float64 accumulator (few float64 units); the error is that of pairwise summation.
  const inFours = name === 'sum' && registerTypeName(from) === 'float' && variant.along === 'rows';
  const part = (u: number): string => value(`packs[u + ${u}]`);
  const four = `lift((${part(0)} + ${part(1)}) + (${part(2)} + ${part(3)}), 0)`;
  const joined = (body: string): string => `
      #pragma unroll
      for (int k = 0; k < ${width}; ++k) { ${body} }`;
  const loop = (unroll: number, stride: string): string => `
  for (; first + ${unroll - 1} * step < end; first += ${stride}) {
    Pack packs[${unroll}];
    #pragma unroll
    for (int u = 0; u < ${unroll}; ++u) { const i64 i = first + u * step; packs[u] = *(const Pack*)(${element}); }
    #pragma unroll
    ${
      inFours && unroll >= 4
        ? `for (int u = 0; u < ${unroll}; u += 4) {${joined(`totals[k] = join(totals[k], ${four});`)}`
        : `for (int u = 0; u < ${unroll}; ++u) { const i64 i = first + u * step;${joined(`totals[k] = next(totals[k], ${value('packs[u]')}, ${at});`)}`
    }
    }
  }`;
  return `${loop(UNROLL, `gridDim.y * ${UNROLL} * step`)}${loop(UNROLL / 2, `${UNROLL / 2} * step`)}${loop(1, 'step')}`;
}

/** Writes statements that combine the values of `lanes` threads, `apart` threads apart, into that of the first, `shared[threadIdx.x]`. */
export function emitTree(lane: string, lanes: number, apart: number): string {
  const sync = (threads: number): string => (threads * apart > 32 ? '__syncthreads();' : '__syncwarp();');
  const steps = [sync(lanes)];
  for (let half = lanes / 2; half >= 1; half /= 2) {
    steps.push(
      `if (${lane} < ${half}) shared[threadIdx.x] = join(shared[threadIdx.x], shared[threadIdx.x + ${half * apart}]); ${sync(half)}`
    );
  }
  return steps.join('\n    ');
}

/** Writes statements by which the last block to finish, of those that share rows, goes on. */
const WAIT_FOR_ALL = `
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) isLast = atomicInc(counters + blockIdx.x, gridDim.y - 1) == gridDim.y - 1;
  __syncthreads();
  if (!isLast) return;
  __threadfence();`;

/** Writes the body for rows: groups of `lanes` threads, whole blocks if several share a row. */
function emitRows(variant: ReduceVariant, write: string): string {
  const { width, lanes, split } = variant;
  const element = '(const char*)source + reducedOffset(i, dims, 0)';
  return `
  const int lane = threadIdx.x % ${lanes};
  const i64 row = (i64)blockIdx.x * ${BLOCK / lanes} + threadIdx.x / ${lanes};
  const bool inside = row < kept;
  const char* source = in + (inside ? keptOffset(row, dims, 0) : 0);
  const i64 all = inside ? reduced : 0, end = all - all % ${width}, step = ${width * lanes};
  i64 first = (i64)blockIdx.y * ${UNROLL} * step + lane * ${width};
  ${emitLoops(variant, element, 'i + k')}
  if (blockIdx.y == 0) for (i64 i = end + lane; i < all; i += ${lanes}) totals[0] = next(totals[0], ${decode(variant.from, `*(const Stored*)(${element})`)}, i);
  #pragma unroll
  for (int k = 1; k < ${width}; ++k) totals[0] = join(totals[0], totals[k]);
  shared[threadIdx.x] = totals[0];
    ${emitTree('lane', lanes, 1)}
  ${
    split
      ? `if (lane == 0) partials[row * gridDim.y + blockIdx.y] = shared[0];
  ${WAIT_FOR_ALL}
  Carried rest = start();
  for (i64 i = lane; i < gridDim.y; i += ${BLOCK}) rest = join(rest, partials[row * gridDim.y + i]);
  shared[threadIdx.x] = rest;
    ${emitTree('lane', lanes, 1)}`
      : ''
  }
  if (inside && lane == 0) { const Carried total = shared[threadIdx.x]; ${write} }`;
}

/** Writes the body for columns: `lanes` threads side by side take `width` rows each, and the threads behind them take other elements of these. */
function emitColumns(variant: ReduceVariant, write: string): string {
  const { width, lanes, split } = variant;
  const behind = BLOCK / lanes;
  const element =
    width === 1
      ? 'in + keptAt + reducedOffset(i, dims, 0)'
      : 'in + row0 * sizeof(Stored) + reducedOffset(i, dims, 0)';
  const perRow = (body: string): string =>
    `for (int k = 0; k < ${width}; ++k) { const i64 row = row0 + k; ${body} }`;
  const gathered =
    behind === 1
      ? ''
      : `
  for (int k = 0; k < ${width}; ++k) {
    shared[threadIdx.x] = totals[k];
    ${emitTree('y', behind, lanes)}
    totals[k] = shared[threadIdx.x];
    __syncthreads();
  }`;
  return `
  const int x = threadIdx.x % ${lanes}, y = threadIdx.x / ${lanes};
  const i64 row0 = ((i64)blockIdx.x * ${lanes} + x) * ${width};
  const bool inside = row0 < kept;
  ${width === 1 ? 'const i64 keptAt = inside ? keptOffset(row0, dims, 0) : 0;' : ''}
  const i64 end = inside ? reduced : 0, step = ${behind};
  i64 first = (i64)blockIdx.y * ${UNROLL} * step + y;
  ${emitLoops(variant, element, 'i')}
  ${gathered}
  const bool writes = inside && y == 0;
  ${
    split
      ? `if (writes) ${perRow('partials[blockIdx.y * kept + row] = totals[k];')}
  ${WAIT_FOR_ALL}
  for (int k = 0; k < ${width}; ++k) totals[k] = start();
  const int blocks = inside ? gridDim.y : 0;
  #pragma unroll 4
  for (int i = y; i < blocks; i += ${behind}) ${perRow('totals[k] = join(totals[k], partials[i * kept + row]);')}
  ${gathered}`
      : ''
  }
  if (writes) ${perRow(`const Carried total = totals[k]; ${write}`)}`;
}

/**
 * Writes kernel `reduce(in, out, partials, counters, kept, reduced, dims)`: blocks (x, 0), (x, 1), ... share rows. The counters are zero before and
 * after.
 */
export function emitReduce(variant: ReduceVariant): string {
  const { name, from, to, keptRank, reducedRank, width, along, isWide } = variant;
  const carried = carriedOf(name, from, to);
  const register = registerTypeName(from);
  const out = storedType(to);
  const write = `*(${out}*)(out + keptOffset(row, dims, 1)) = ${finish(name, to)};`;
  return `${PRELUDE}
template <typename T> struct Best { T value; i64 at = -1; __device__ Best() {} __device__ Best(T v, i64 i) : value(v), at(i) {} };
typedef ${carried.type} Carried;
typedef ${storedType(from)} Stored;
struct alignas(${width === 1 ? 'alignof(Stored)' : `sizeof(Stored) * ${width}`}) Pack { Stored of[${width}]; };
struct Dims { i64 keptShape[${Math.max(keptRank, 1)}]; i64 keptStrides[2][${Math.max(keptRank, 1)}]; i64 reducedShape[${Math.max(reducedRank, 1)}]; i64 reducedStrides[1][${Math.max(reducedRank, 1)}]; };
${offsetFunction('keptOffset', keptRank, isWide, 'keptShape', 'keptStrides')}
${offsetFunction('reducedOffset', reducedRank, isWide, 'reducedShape', 'reducedStrides')}
__device__ __forceinline__ Carried start() { return ${carried.start}; }
__device__ __forceinline__ Carried lift(${register} x, i64 at) { return ${carried.lift}; }
__device__ __forceinline__ Carried join(Carried a, Carried b) { return ${carried.join}; }
__device__ __forceinline__ Carried next(Carried a, ${register} x, i64 at) { return ${carried.step ?? 'join(a, lift(x, at))'}; }
extern "C" __global__ void __launch_bounds__(${BLOCK}) reduce(const char* in, char* out, Carried* partials, unsigned* counters, const i64 kept, const i64 reduced, const __grid_constant__ Dims dims) {
  __shared__ __align__(16) char memory[sizeof(Carried) * ${BLOCK}];
  __shared__ bool isLast;
  Carried* shared = (Carried*)memory;
  Carried totals[${width}];
  #pragma unroll
  for (int k = 0; k < ${width}; ++k) totals[k] = start();
  ${along === 'rows' ? emitRows(variant, write) : emitColumns(variant, write)}
}
`;
}

/** Generates CUDA C++ for reductions: over contiguous rows, over columns side by side, and their accumulators. Pure. */

import type { ElementTypeName } from '../program/element-types.ts';
import { isComplex, isFloat } from '../program/promotion.ts';
import type { ReductionName } from '../program/runs.ts';
import { emitPlaces } from './emit-places.ts';
import { PRELUDE } from './prelude.ts';
import { decode, encode, isSmallFloat, registerTypeName, storedType } from '../program/cuda-types.ts';

export const BLOCK = 256;
/** Independent loads that a thread keeps in flight, a multiple of four. */
const UNROLL = 4;

/** The accumulator of a reduction: its type, its initial value, how an element becomes one and how two combine. */
export interface Carried {
  readonly type: string;
  readonly start: string;
  /** Expression that makes an accumulator from register `x` and its position `at`. */
  readonly lift: string;
  /** Expression that combines `a` and `b`; `a` comes first if the order matters. */
  readonly join: string;
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
    join: `b.at < 0 ? a : a.at < 0 ? b : (${wins}) ? b : a`
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
  /** The input: elements of the array, or accumulators of an earlier launch. */
  readonly source: 'elements' | 'partials';
  /** The output: the result, or accumulators for a later launch. */
  readonly target: 'result' | 'partials';
  readonly keptRank: number;
  readonly reducedRank: number;
  /** Elements loaded together: above 1 if the reduced axis (for columns, the kept axis) is dense and aligned. */
  readonly width: number;
  /** Threads per row in the row layout; the column layout has one thread per column. */
  readonly shape: 'block' | 'warp' | 'columns';
}

export const reduceKey = (variant: ReduceVariant): string => `reduce/${Object.values(variant).join('/')}`;

/** Writes the offset of element `index` over some axes; a single axis needs no division. */
function offsetFunction(name: string, rank: number, shape: string, strides: string): string {
  const type = rank === 1 ? 'i64' : 'unsigned';
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

/** Writes kernel `reduce(in, out, kept, reduced, chunk, dims)`: block (x, y) takes chunk y of each row. Partials are [kept][chunks]. */
export function emitReduce(variant: ReduceVariant): string {
  const { name, from, to, source, target, keptRank, reducedRank, width, shape } = variant;
  const carried = carriedOf(name, from, to);
  const register = registerTypeName(from);
  const stored = source === 'partials' ? carried.type : storedType(from);
  const load = (value: string): string =>
    source === 'partials' ? value : `lift((${register})${decode(from, value)}, i)`;
  const out = target === 'partials' ? carried.type : storedType(to);
  const write =
    target === 'partials'
      ? 'out[row * gridDim.y + blockIdx.y] = total;'
      : `*(${out}*)((char*)out + keptOffset(row, dims, 1)) = ${finish(name, to)};`;
  const element =
    source === 'partials'
      ? 'source[i]'
      : `*(const ${stored}*)((const char*)source + reducedOffset(i, dims, 0))`;
  const base =
    source === 'partials'
      ? 'const Stored* source = in + row * reduced;'
      : 'const Stored* source = (const Stored*)((const char*)in + keptOffset(row, dims, 0));';
  const lanes = shape === 'warp' ? 32 : BLOCK;
  // Adds float32 in fours before the float64 accumulator (few float64 units); the error is that of pairwise summation.
  const inFours =
    name === 'sum' && register === 'float' && carried.type === 'double' && source === 'elements';
  const joinPacks = inFours
    ? `
    #pragma unroll
    for (int k = 0; k < ${width}; ++k) {
      #pragma unroll
      for (int u = 0; u < ${UNROLL}; u += 4) {
        const float four = (${[0, 1].map(u => decode(from, `packs[u + ${u}].of[k]`)).join(' + ')}) + (${[2, 3].map(u => decode(from, `packs[u + ${u}].of[k]`)).join(' + ')});
        totals[k] += (double)four;
      }
    }`
    : `
    #pragma unroll
    for (int u = 0; u < ${UNROLL}; ++u) {
      #pragma unroll
      for (int k = 0; k < ${width}; ++k) { const i64 i = i0 + u * ${width * lanes} + k; totals[k] = join(totals[k], ${load('packs[u].of[k]')}); }
    }`;
  // Keeps several loads in flight; the remaining elements are loaded one by one.
  const vector = `
  const i64 whole = from + (end - from) / ${width * lanes * UNROLL} * ${width * lanes * UNROLL};
  for (i64 i0 = from + (i64)lane * ${width}; i0 < whole; i0 += ${width * lanes * UNROLL}) {
    Pack packs[${UNROLL}];
    #pragma unroll
    for (int u = 0; u < ${UNROLL}; ++u) packs[u] = *(const Pack*)(source + i0 + u * ${width * lanes});
    ${joinPacks}
  }
  for (i64 i = whole + lane; i < end; i += ${lanes}) totals[0] = join(totals[0], ${load('source[i]')});
  #pragma unroll
  for (int k = 1; k < ${width}; ++k) totals[0] = join(totals[0], totals[k]);`;
  const scalar = `
  for (i64 i = from + lane; i < end; i += ${lanes}) totals[0] = join(totals[0], ${load(element)});`;
  const rows = `
  const int lane = threadIdx.x % ${lanes};
  const i64 row = (i64)blockIdx.x * ${BLOCK / lanes} + threadIdx.x / ${lanes};
  if (${shape === 'warp' ? 'row >= kept' : 'false'}) return;
  ${base}
  const i64 from = (i64)blockIdx.y * chunk, end = min(reduced, from + chunk);
  Carried totals[${width}];
  #pragma unroll
  for (int k = 0; k < ${width}; ++k) totals[k] = start();
  ${width > 1 ? vector : scalar}
  __shared__ __align__(16) char memory[sizeof(Carried) * ${BLOCK}];
  Carried* shared = (Carried*)memory;
  Carried total = totals[0];
  shared[threadIdx.x] = total;
  ${shape === 'warp' ? '__syncwarp();' : '__syncthreads();'}
  for (int half = ${lanes / 2}; half > 0; half /= 2) {
    if (lane < half) shared[threadIdx.x] = join(shared[threadIdx.x], shared[threadIdx.x + half]);
    ${shape === 'warp' ? '__syncwarp();' : '__syncthreads();'}
  }
  if (lane == 0) { total = shared[threadIdx.x]; ${write} }`;
  const wideColumns = `
  const i64 row0 = ((i64)blockIdx.x * ${BLOCK} + threadIdx.x) * ${width};
  if (row0 >= kept) return;
  const i64 from = (i64)blockIdx.y * chunk, end = min(reduced, from + chunk);
  Carried totals[${width}];
  #pragma unroll
  for (int k = 0; k < ${width}; ++k) totals[k] = start();
  #pragma unroll 4
  for (i64 i = from; i < end; ++i) {
    const Pack pack = *(const Pack*)((const char*)(in + row0) + reducedOffset(i, dims, 0));
    #pragma unroll
    for (int k = 0; k < ${width}; ++k) totals[k] = join(totals[k], ${load('pack.of[k]')});
  }
  #pragma unroll
  for (int k = 0; k < ${width}; ++k) { const i64 row = row0 + k; const Carried total = totals[k]; ${write} }`;
  const narrowColumns = `
  const i64 row = (i64)blockIdx.x * ${BLOCK} + threadIdx.x;
  if (row >= kept) return;
  ${base}
  const i64 from = (i64)blockIdx.y * chunk, end = min(reduced, from + chunk);
  Carried total = start();
  #pragma unroll 4
  for (i64 i = from; i < end; ++i) total = join(total, ${load(element)});
  ${write}`;
  return `${PRELUDE}
template <typename T> struct Best { T value; i64 at = -1; __device__ Best() {} __device__ Best(T v, i64 i) : value(v), at(i) {} };
typedef ${carried.type} Carried;
typedef ${stored} Stored;
struct alignas(sizeof(Stored) * ${width}) Pack { Stored of[${width}]; };
struct Dims { i64 keptShape[${Math.max(keptRank, 1)}]; i64 keptStrides[2][${Math.max(keptRank, 1)}]; i64 reducedShape[${Math.max(reducedRank, 1)}]; i64 reducedStrides[1][${Math.max(reducedRank, 1)}]; };
${offsetFunction('keptOffset', keptRank, 'keptShape', 'keptStrides')}
${offsetFunction('reducedOffset', reducedRank, 'reducedShape', 'reducedStrides')}
__device__ __forceinline__ Carried start() { return ${carried.start}; }
__device__ __forceinline__ Carried lift(${register} x, i64 at) { return ${carried.lift}; }
__device__ __forceinline__ Carried join(Carried a, Carried b) { return ${carried.join}; }
extern "C" __global__ void __launch_bounds__(${BLOCK}) reduce(const Stored* in, ${out}* out, const i64 kept, const i64 reduced, const i64 chunk, const __grid_constant__ Dims dims) {
${shape !== 'columns' ? rows : width > 1 ? wideColumns : narrowColumns}
}
`;
}

/** Copies whose fastest axis differs between source and target, as CUDA C++: tiles are read along one and written along the other. Pure. */

import type { Space } from '../program/space.ts';

/** Rows and columns of a tile. */
export const TILE = 64;
/** Threads a block: lanes along a side of the tile, by as many rows at a time. */
export const LANES = 64;
export const ROWS = 8;

/** A copy of words as tiles: the target has `columns` side by side, the source `rows`; strides in bytes. */
export interface TiledCopy {
  readonly rows: number;
  readonly columns: number;
  /** Of the source from a column to the next, and of the target from a row to the next. */
  readonly sourceStep: number;
  readonly targetStep: number;
  /** The other axes: their lengths, and strides of the target and the source. */
  readonly batch: readonly number[];
  readonly targetStrides: readonly number[];
  readonly sourceStrides: readonly number[];
}

/** Null where tiles would not help: the target's last axis is the source's too, or one side is short. `space`: target, source. */
export function tiledCopyOf(space: Space, itemsize: number): TiledCopy | null {
  const { shape, places } = space;
  const [target, source] = places as readonly [Space['places'][number], Space['places'][number]];
  const last = shape.length - 1;
  if (last < 1 || target.strides[last] !== itemsize || source.strides[last] === itemsize) return null;
  const fast = source.strides.findIndex((stride, axis) => axis !== last && stride === itemsize);
  if (fast < 0) return null;
  const [rows, columns] = [shape[fast] as number, shape[last] as number];
  if (rows < 16 || columns < 16) return null;
  const others = [...shape.keys()].filter(axis => axis !== fast && axis !== last);
  return {
    rows,
    columns,
    sourceStep: source.strides[last] as number,
    targetStep: target.strides[fast] as number,
    batch: others.map(axis => shape[axis] as number),
    targetStrides: others.map(axis => target.strides[axis] as number),
    sourceStrides: others.map(axis => source.strides[axis] as number)
  };
}

const WORDS: Readonly<Record<number, string>> = {
  1: 'unsigned char',
  2: 'unsigned short',
  4: 'unsigned int',
  8: 'unsigned long long'
};

/** Kernel `transpose(in, out, rows, columns, sourceStep, targetStep, dims)`: blocks (column tile, row tile, batch). */
export function emitTranspose(itemsize: number, batchRank: number): string {
  const rank = Math.max(batchRank, 1);
  const steps = [];
  for (let axis = batchRank - 1; axis >= 0; axis--) {
    steps.push(
      `{ const long long place = batch % dims.shape[${axis}]; batch /= dims.shape[${axis}]; out += place * dims.out[${axis}]; in += place * dims.in[${axis}]; }`
    );
  }
  return `typedef ${WORDS[itemsize] as string} Word;
struct Dims { long long shape[${rank}]; long long out[${rank}]; long long in[${rank}]; };
extern "C" __global__ void __launch_bounds__(${LANES * ROWS}) transpose(const char* in, char* out, const long long rows, const long long columns, const long long sourceStep, const long long targetStep, const __grid_constant__ Dims dims) {
  __shared__ Word tile[${TILE}][${TILE} + ${Math.max(1, 4 / itemsize)}];
  long long batch = blockIdx.z;
  ${steps.join('\n  ')}
  const int lane = threadIdx.x % ${LANES}, first = threadIdx.x / ${LANES};
  const long long row0 = (long long)blockIdx.y * ${TILE}, column0 = (long long)blockIdx.x * ${TILE};
  const long long row = row0 + lane;
  #pragma unroll
  for (int at = first; at < ${TILE}; at += ${ROWS}) {
    const long long column = column0 + at;
    if (row < rows && column < columns) tile[at][lane] = *(const Word*)(in + column * sourceStep + row * ${itemsize});
  }
  __syncthreads();
  const long long column = column0 + lane;
  #pragma unroll
  for (int at = first; at < ${TILE}; at += ${ROWS}) {
    const long long row = row0 + at;
    if (row < rows && column < columns) *(Word*)(out + row * targetStep + column * ${itemsize}) = tile[lane][at];
  }
}
`;
}

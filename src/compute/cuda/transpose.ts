/** Generates CUDA C++ for transposing copies: tiles are read along one axis and written along another. */

import { sizeOf } from '../../layout/shape.ts';
import type { Stream } from '../../core/stream.ts';
import type { Elements } from '../program/runs.ts';
import { simplify, type Place, type Space } from '../program/space.ts';
import { dimensions, emitPlaces } from './emit-places.ts';
import { launchGenerated } from './generated-kernel.ts';

/** Rows and columns of a tile. */
const TILE = 64;
/** Threads per block: lanes along one side of the tile, times the rows that are copied at a time. */
const LANES = 64;
const ROWS = 8;

/** A copy of words as tiles: columns are contiguous in the target, rows in the source. Strides in bytes. */
interface TiledCopy {
  readonly rows: number;
  readonly columns: number;
  /** Byte strides: of the source from one column to the next, and of the target from one row to the next. */
  readonly sourceStep: number;
  readonly targetStep: number;
  /** The other axes: their lengths, and strides of the target and the source. */
  readonly batch: readonly number[];
  readonly targetStrides: readonly number[];
  readonly sourceStrides: readonly number[];
}

/** Plans a tiled copy; null if the fastest axis is the same in both or a side is short. `space`: target, source. */
function tiledCopyOf(space: Space, itemsize: number): TiledCopy | null {
  const { shape, places } = space;
  const [target, source] = places as readonly [Place, Place];
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

/** Writes kernel `transpose(in, out, rows, columns, sourceStep, targetStep, dims)`: blocks (column tile, row tile, batch). */
function emitTranspose(itemsize: number, batchRank: number): string {
  const rank = Math.max(batchRank, 1);
  const steps = emitPlaces(
    batchRank,
    axis => `out += place * dims.out[${axis}]; in += place * dims.in[${axis}];`,
    { index: 'batch' }
  );
  return `typedef ${WORDS[itemsize] as string} Word;
typedef long long i64;
struct Dims { i64 shape[${rank}]; i64 out[${rank}]; i64 in[${rank}]; };
extern "C" __global__ void __launch_bounds__(${LANES * ROWS}) transpose(const char* in, char* out, const i64 rows, const i64 columns, const i64 sourceStep, const i64 targetStep, const __grid_constant__ Dims dims) {
  __shared__ Word tile[${TILE}][${TILE} + ${Math.max(1, 4 / itemsize)}];
  i64 batch = blockIdx.z;
  ${steps}
  const int lane = threadIdx.x % ${LANES}, first = threadIdx.x / ${LANES};
  const i64 row0 = (i64)blockIdx.y * ${TILE}, column0 = (i64)blockIdx.x * ${TILE};
  const i64 row = row0 + lane;
  #pragma unroll
  for (int at = first; at < ${TILE}; at += ${ROWS}) {
    const i64 column = column0 + at;
    if (row < rows && column < columns) tile[at][lane] = *(const Word*)(in + column * sourceStep + row * ${itemsize});
  }
  __syncthreads();
  const i64 column = column0 + lane;
  #pragma unroll
  for (int at = first; at < ${TILE}; at += ${ROWS}) {
    const i64 row = row0 + at;
    if (row < rows && column < columns) *(Word*)(out + row * targetStep + column * ${itemsize}) = tile[lane][at];
  }
}
`;
}

export function transpose(target: Elements, source: Elements, word: number, stream: Stream): boolean {
  if (source.shape.length !== target.shape.length) return false;
  const space = simplify({ shape: target.shape, places: [target, source] });
  const copy = tiledCopyOf(space, word);
  if (copy === null) return false;
  const { rows, columns, sourceStep, targetStep, batch, targetStrides, sourceStrides } = copy;
  const [to, from] = space.places as readonly [Place, Place];
  const launch = {
    key: `transpose/${word}/${batch.length}`,
    name: 'transpose',
    emit: () => emitTranspose(word, batch.length),
    arguments: [
      source.storage.pointer + BigInt(from.offset),
      target.storage.pointer + BigInt(to.offset),
      rows,
      columns,
      sourceStep,
      targetStep,
      dimensions(batch.length, batch, targetStrides, sourceStrides)
    ],
    grid: [Math.ceil(columns / TILE), Math.ceil(rows / TILE), sizeOf(batch)],
    block: LANES * ROWS
  } as const;
  launchGenerated(stream, launch, [target], [source]);
  return true;
}

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

/**
 * Returns the fastest axis of the source, whose rows are copied as tiles of columns along the last axis, the fastest of the target; null if
 * they are the same axis or a side is short. `space`: target, source.
 */
function rowAxisOf({ shape, places }: Space, itemsize: number): number | null {
  const [target, source] = places as readonly [Place, Place];
  const last = shape.length - 1;
  if (last < 1 || target.strides[last] !== itemsize || source.strides[last] === itemsize) return null;
  const fast = source.strides.findIndex((stride, axis) => axis !== last && stride === itemsize);
  return fast < 0 || shape[fast]! < 16 || shape[last]! < 16 ? null : fast;
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
  return `typedef ${WORDS[itemsize]!} Word;
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
  const { shape } = space;
  const [to, from] = space.places as readonly [Place, Place];
  const [fast, last] = [rowAxisOf(space, word), shape.length - 1];
  if (fast === null) return false;
  const [rows, columns] = [shape[fast]!, shape[last]!];
  const others = [...shape.keys()].filter(axis => axis !== fast && axis !== last);
  const along = (list: readonly number[]): number[] => others.map(axis => list[axis]!);
  const batch = along(shape);
  const launch = {
    key: `transpose/${word}/${batch.length}`,
    name: 'transpose',
    emit: () => emitTranspose(word, batch.length),
    arguments: [
      source.storage.pointer + BigInt(from.offset),
      target.storage.pointer + BigInt(to.offset),
      rows,
      columns,
      from.strides[last]!,
      to.strides[fast]!,
      dimensions(batch.length, batch, along(to.strides), along(from.strides))
    ],
    grid: [Math.ceil(columns / TILE), Math.ceil(rows / TILE), sizeOf(batch)],
    block: LANES * ROWS
  } as const;
  launchGenerated(stream, launch, [target], [source]);
  return true;
}

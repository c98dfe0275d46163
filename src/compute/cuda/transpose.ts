/** Generates CUDA C++ for transposing copies: tiles are read along one axis and written along another. */

import { sizeOf } from '../../layout/shape.ts';
import type { Stream } from '../../core/stream.ts';
import type { Elements } from '../program/runs.ts';
import { simplify, type Place, type Space } from '../program/space.ts';
import { dimensions, emitPlaces } from './emit-places.ts';
import { launchGenerated } from './generated-kernel.ts';

/** Threads per block. */
const BLOCK = 256;
/** Bytes of a row of a tile, and the most that a tile may have. */
const ROW_BYTES = 256;
const TILE_BYTES = 32_768;

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

/** How a tile is divided: a thread moves squares of `width` by `width` words, and `lanes` threads are side by side. */
interface Tile {
  readonly width: number;
  readonly lanes: number;
}

/**
 * Writes kernel `transpose(in, out, rows, columns, sourceStep, targetStep, dims)`: a block for each tile of each batch. A thread reads `width` vectors
 * along the source's rows, turns the square of words in its registers, and leaves it in the tile as vectors along the target's rows. The
 * vectors of a row of the tile are permuted, so that neither side has bank conflicts.
 */
function emitTranspose(itemsize: number, { width, lanes }: Tile, batchRank: number): string {
  const rank = Math.max(batchRank, 1);
  const steps = emitPlaces(
    batchRank,
    axis => `out += place * dims.out[${axis}]; in += place * dims.in[${axis}];`,
    { index: 'batch' }
  );
  const side = lanes * width;
  const behind = BLOCK / lanes;
  return `typedef ${WORDS[itemsize]!} Word;
typedef long long i64;
struct alignas(${itemsize * width}) Vector { Word of[${width}]; };
struct Dims { i64 shape[${rank}]; i64 out[${rank}]; i64 in[${rank}]; };
extern "C" __global__ void __launch_bounds__(${BLOCK}) transpose(const char* in, char* out, const i64 rows, const i64 columns, const i64 sourceStep, const i64 targetStep, const __grid_constant__ Dims dims) {
  __shared__ Vector tile[${side}][${lanes}];
  const unsigned rowTiles = (rows + ${side - 1}) / ${side}, columnTiles = (columns + ${side - 1}) / ${side};
  i64 batch = blockIdx.x / columnTiles / rowTiles;
  ${steps}
  const i64 row0 = (i64)(blockIdx.x / columnTiles % rowTiles) * ${side}, column0 = (i64)(blockIdx.x % columnTiles) * ${side};
  const int x = threadIdx.x % ${lanes}, y = threadIdx.x / ${lanes};
  const i64 row = row0 + x * ${width};
  #pragma unroll
  for (int part = y; part < ${lanes}; part += ${behind}) {
    Vector read[${width}];
    #pragma unroll
    for (int i = 0; i < ${width}; ++i) {
      const i64 column = column0 + part * ${width} + i;
      if (row < rows && column < columns) read[i] = *(const Vector*)(in + column * sourceStep + row * ${itemsize});
    }
    #pragma unroll
    for (int j = 0; j < ${width}; ++j) {
      Vector turned;
      #pragma unroll
      for (int i = 0; i < ${width}; ++i) turned.of[i] = read[i].of[j];
      tile[x * ${width} + j][part ^ x] = turned;
    }
  }
  __syncthreads();
  const i64 column = column0 + x * ${width};
  #pragma unroll
  for (int at = y; at < ${side}; at += ${behind}) {
    const i64 row = row0 + at;
    if (row < rows && column < columns) *(Vector*)(out + row * targetStep + column * ${itemsize}) = tile[at][x ^ at / ${width} % ${lanes}];
  }
}
`;
}

/** Chooses the widest squares that divide both sides and keep every address aligned. */
function tileFor(
  word: number,
  lengths: readonly number[],
  addresses: readonly bigint[],
  steps: readonly number[]
): Tile {
  const fits = (width: number): boolean =>
    lengths.every(length => length % width === 0) &&
    addresses.every(address => address % BigInt(width * word) === 0n) &&
    steps.every(step => step % (width * word) === 0);
  // Squares of 16 by 16 bytes would need many registers.
  let width = Math.min(16 / word, 8);
  while (width > 1 && !fits(width)) width /= 2;
  let lanes = Math.min(64, ROW_BYTES / (width * word));
  while (lanes * lanes * width * width * word > TILE_BYTES) lanes /= 2;
  return { width, lanes };
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
  const addresses = [
    source.storage.pointer + BigInt(from.offset),
    target.storage.pointer + BigInt(to.offset)
  ] as const;
  const steps = [...from.strides.toSpliced(fast, 1), ...to.strides.slice(0, -1)];
  const tile = tileFor(word, [rows, columns], addresses, steps);
  const tiles = (length: number): number => Math.ceil(length / (tile.lanes * tile.width));
  const launch = {
    key: `transpose/${word}/${tile.width}/${batch.length}`,
    name: 'transpose',
    emit: () => emitTranspose(word, tile, batch.length),
    arguments: [
      ...addresses,
      rows,
      columns,
      from.strides[last]!,
      to.strides[fast]!,
      dimensions(batch.length, batch, along(to.strides), along(from.strides))
    ],
    grid: [tiles(columns) * tiles(rows) * sizeOf(batch), 1, 1],
    block: BLOCK
  } as const;
  launchGenerated(stream, launch, [target], [source]);
  return true;
}

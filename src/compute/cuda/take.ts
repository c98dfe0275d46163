/** Takes elements by position along an axis, on a GPU. */

import { sizeOf } from '../../layout/shape.ts';
import { storedType } from '../program/cuda-types.ts';
import type { TakeRun } from '../program/runs.ts';
import { requireMultiples } from './alignment.ts';
import { dimensions, emitPlaces } from './emit-places.ts';
import { launchGenerated } from './generated-kernel.ts';
import { PRELUDE } from './prelude.ts';

const BLOCK = 256;

/** Sizes of elements that are copied as one word; others are copied byte by byte. */
const WORD_SIZES: readonly number[] = [1, 2, 4, 8, 16];

/** Writes kernel `take(in, out, index, count, length, dims)` over the elements of the output, whose axis `axis` holds positions. */
function emitTake(itemsize: number, index: string, rank: number, axis: number): string {
  const word = itemsize === 16 ? 'uint4' : `u${8 * itemsize}`;
  const chosen = `i64 chosen = (i64)*(const ${index}*)(index + place * dims.indexStride) % length; if (chosen < 0) chosen += length; from += chosen`;
  const steps = emitPlaces(
    rank,
    at => `to += place * dims.out[${at}]; ${at === axis ? chosen : 'from += place'} * dims.in[${at}];`
  );
  const move = WORD_SIZES.includes(itemsize)
    ? `*(${word}*)(out + to) = *(const ${word}*)(in + from);`
    : `for (int byte = 0; byte < ${itemsize}; ++byte) out[to + byte] = in[from + byte];`;
  return `${PRELUDE}
struct Dims { i64 shape[${rank}]; i64 in[${rank}]; i64 out[${rank}]; i64 indexStride; };
extern "C" __global__ void __launch_bounds__(${BLOCK}) take(const char* in, char* out, const char* index, const i64 count, const i64 length, const __grid_constant__ Dims dims) {
  i64 left = (i64)blockIdx.x * ${BLOCK} + threadIdx.x;
  if (left >= count) return;
  i64 from = 0, to = 0;
  ${steps}
  ${move}
}
`;
}

export function take({ input, positions, output, axis, stream }: TakeRun): void {
  const { itemsize, name } = input.dtype;
  const word = WORD_SIZES.includes(itemsize) ? itemsize : 1;
  for (const elements of [input, output]) requireMultiples(elements, word, name);
  const rank = output.shape.length;
  const index = storedType(positions.dtype.name as 'int32' | 'int64');
  const launch = {
    key: `take/${itemsize}/${index}/${rank}/${axis}`,
    name: 'take',
    emit: () => emitTake(itemsize, index, rank, axis),
    arguments: [
      input.pointer,
      output.pointer,
      positions.pointer,
      sizeOf(output.shape),
      input.shape[axis]!,
      [...dimensions(rank, output.shape, input.strides, output.strides), positions.strides[0] ?? 0]
    ],
    grid: [Math.ceil(output.size / BLOCK), 1, 1],
    block: BLOCK
  } as const;
  launchGenerated(stream, launch, [output], [input, positions]);
}

/** Takes elements by position along an axis, on a GPU. */

import { sizeOf } from '../../layout/shape.ts';
import { storedType } from '../program/cuda-types.ts';
import type { TakeRun } from '../program/runs.ts';
import { simplify, type Place, type Space } from '../program/space.ts';
import { dimensions, emitPlaces } from './emit-places.ts';
import { launchGenerated } from './generated-kernel.ts';
import { PRELUDE } from './prelude.ts';

const BLOCK = 256;

/** Sizes of the words that are copied, widest first. */
const WORDS = [16, 8, 4, 2, 1] as const;

/** Writes kernel `take(in, out, index, count, length, step, dims)` over the words of the output. */
function emitTake(word: number, index: string, rank: number, wide: boolean): string {
  const type = word === 16 ? 'uint4' : `u${8 * word}`;
  const place = wide ? 'i64' : 'u32';
  const steps = emitPlaces(
    rank,
    axis =>
      `to += place * dims.out[${axis}]; from += place * dims.in[${axis}]; at += place * dims.index[${axis}];`,
    { type: place }
  );
  const size = Math.max(rank, 1);
  return `${PRELUDE}
struct Dims { i64 shape[${size}]; i64 out[${size}]; i64 in[${size}]; i64 index[${size}]; };
extern "C" __global__ void __launch_bounds__(${BLOCK}) take(const char* in, char* out, const char* index, const i64 count, const i64 length, const i64 step, const __grid_constant__ Dims dims) {
  const i64 word = (i64)blockIdx.x * ${BLOCK} + threadIdx.x;
  if (word >= count) return;
  ${place} left = word;
  i64 from = 0, to = 0, at = 0;
  ${steps}
  i64 chosen = *(const ${index}*)(index + at);
  if (chosen < 0 || chosen >= length) { chosen %= length; if (chosen < 0) chosen += length; }
  *(${type}*)(out + to) = *(const ${type}*)(in + from + chosen * step);
}
`;
}

/** Describes bytes, the last axis, in the widest words to which all addresses are aligned. `space`: output, input, positions. */
function inWords({ shape, places }: Space, multiples: readonly number[]): { space: Space; word: number } {
  const last = shape.length - 1;
  const [to, from, at] = places as [Place, Place, Place];
  // Without bytes side by side, as after a step over one-byte elements, the words are bytes.
  if (last < 0 || to.strides[last] !== 1 || from.strides[last] !== 1 || at.strides[last] !== 0)
    return { space: { shape, places }, word: 1 };
  const all = [...multiples, shape[last]!, ...to.strides.slice(0, -1), ...from.strides.slice(0, -1)];
  const word = WORDS.find(bytes => all.every(value => value % bytes === 0))!;
  const counted = {
    shape: shape.with(last, shape[last]! / word),
    places: places.map(({ offset, strides }) => ({
      offset,
      strides: strides.with(last, strides[last]! * word)
    }))
  };
  return { space: simplify(counted), word };
}

export function take({ input, positions, output, axis, stream }: TakeRun): void {
  const { itemsize } = input.dtype;
  const step = input.strides[axis]!;
  const stepless = (strides: readonly number[], bytes: number): number[] => [...strides.with(axis, 0), bytes];
  const bytes = simplify({
    shape: [...output.shape, itemsize],
    places: [
      { offset: output.offset, strides: [...output.strides, 1] },
      { offset: input.offset, strides: stepless(input.strides, 1) },
      {
        offset: positions.offset,
        strides: stepless(
          output.strides.map(() => 0),
          0
        ).with(axis, positions.strides[0] ?? 0)
      }
    ]
  });
  const addresses = [input, output, positions].map(
    ({ storage }, which) => storage.pointer + BigInt(bytes.places[[1, 0, 2][which]!]!.offset)
  ) as [bigint, bigint, bigint];
  const { space, word } = inWords(bytes, [step, Number(addresses[0] % 16n), Number(addresses[1] % 16n)]);
  const [count, rank] = [sizeOf(space.shape), space.shape.length];
  const index = storedType(positions.dtype.name as 'int32' | 'int64');
  const wide = count >= 2 ** 32;
  const launch = {
    key: `take/${word}/${index}/${rank}/${wide}`,
    name: 'take',
    emit: () => emitTake(word, index, rank, wide),
    arguments: [
      ...addresses,
      count,
      input.shape[axis]!,
      step,
      dimensions(rank, space.shape, ...space.places.map(({ strides }) => strides))
    ],
    grid: [Math.ceil(count / BLOCK), 1, 1],
    block: BLOCK
  } as const;
  launchGenerated(stream, launch, [output], [input, positions]);
}

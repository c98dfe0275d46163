/** Region moved as they are, of any dtype and strides: copies and fills on the device. */

import { sizeOf, type Shape } from '../layout/shape.ts';
import type { Strides } from '../layout/strides.ts';
import { Storage } from '../memory/storage.ts';
import type { Stream } from '../core/stream.ts';
import type { Region } from '../memory/region.ts';
import { generatedKernel } from './cuda/generated-kernel.ts';
import { emitTranspose, LANES, ROWS, TILE, tiledCopyOf, type TiledCopy } from './cuda/transpose.ts';
import { buildProgram, Expression, type BuiltProgram } from './program/expression.ts';
import type { ElementTypeName } from './program/element-types.ts';
import { runProgram, type RunOperand } from './run.ts';
import { simplify, type Place } from './program/space.ts';

const WORDS: Readonly<Record<number, ElementTypeName>> = {
  1: 'uint8',
  2: 'uint16',
  4: 'uint32',
  8: 'uint64'
};

/** The widest word of which elements are made and at whose multiples all of them lie. */
function wordFor(...operands: readonly Region[]): number {
  const { itemsize } = (operands[0] as Region).dtype;
  let word = 8;
  const fits = ({ storage, offset, strides }: Region): boolean =>
    (Number(storage.pointer & 7n) + offset) % word === 0 && strides.every(stride => stride % word === 0);
  while (word > 1 && (itemsize % word !== 0 || !operands.every(fits))) word /= 2;
  return word;
}

/** Describes a region in words: elements of several words get one more axis. */
function asWords({ storage, offset, shape, strides, dtype }: Region, word: number): RunOperand {
  const count = dtype.itemsize / word;
  if (count === 1) return { storage, offset, shape, strides };
  return { storage, offset, shape: [...shape, count], strides: [...strides, word] };
}

const copies = new Map<ElementTypeName, BuiltProgram>();

function copyProgram(type: ElementTypeName): BuiltProgram {
  let built = copies.get(type);
  if (built === undefined) copies.set(type, (built = buildProgram([type], [Expression.input(0, type)])));
  return built;
}

/**
 * Copies elements on the stream's device; the source broadcasts. The two must not overlap, but for the same elements.
 * @throws DriverUnavailableError on a GPU without NVRTC
 */
export function copyElements(target: Region, source: Region, stream: Stream): void {
  if (sizeOf(target.shape) === 0) return;
  const word = wordFor(target, source);
  const [to, from] = [asWords(target, word), asWords(source, word)];
  if (!stream.device.simulated && from.shape.length === to.shape.length) {
    const space = simplify({ shape: to.shape, places: [placeOf(to), placeOf(from)] });
    const tiled = tiledCopyOf(space, word);
    if (tiled !== null) {
      const [first, second] = space.places as readonly [Place, Place];
      return transpose(
        tiled,
        { ...to, offset: first.offset },
        { ...from, offset: second.offset },
        word,
        stream
      );
    }
  }
  const built = copyProgram(WORDS[word] as ElementTypeName);
  runProgram({ built, shape: to.shape, outputs: [to], inputs: [from], stream });
}

const placeOf = ({ offset, strides }: RunOperand): Place => ({ offset, strides });

function transpose(copy: TiledCopy, to: RunOperand, from: RunOperand, word: number, stream: Stream): void {
  const { rows, columns, sourceStep, targetStep, batch, targetStrides, sourceStrides } = copy;
  const rank = Math.max(batch.length, 1);
  const kernel = generatedKernel(stream.device, `transpose/${word}/${batch.length}`, () => ({
    source: emitTranspose(word, batch.length),
    name: 'transpose',
    sizes: [8, 8, 8, 8, 8, 8, 8 * 3 * rank]
  }));
  kernel.setPointer(0, from.storage.pointer + BigInt(from.offset));
  kernel.setPointer(1, to.storage.pointer + BigInt(to.offset));
  for (const [index, value] of [rows, columns, sourceStep, targetStep].entries())
    kernel.setInt64(2 + index, value);
  for (const [list, values] of [batch, targetStrides, sourceStrides].entries()) {
    for (const [index, value] of values.entries()) kernel.setInt64(6, value, 8 * (list * rank + index));
  }
  const grid = [Math.ceil(columns / TILE), Math.ceil(rows / TILE), sizeOf(batch)] as const;
  kernel.launch(stream, { grid, block: LANES * ROWS }, [to], [from]);
}

/** Writes one element, given as its bytes, to every place. @throws DriverUnavailableError on a GPU without NVRTC */
export function fillElements(target: Region, element: Uint8Array, stream: Stream): void {
  const word = wordFor(target);
  if (word === element.byteLength) {
    const type = WORDS[word] as ElementTypeName;
    const built = buildProgram([], [Expression.value(wordOf(element), type)]);
    return runProgram({ built, shape: target.shape, outputs: [target], inputs: [], stream });
  }
  const one = Storage.allocate(stream.device, element.byteLength, 'device', stream);
  try {
    one.writeFromHost(0, element, stream);
    const shape: Shape = target.shape;
    const strides: Strides = shape.map(() => 0);
    copyElements(target, { storage: one, offset: 0, shape, strides, dtype: target.dtype }, stream);
  } finally {
    one.release();
  }
}

/** The bytes as one whole number, low byte first. */
function wordOf(bytes: Uint8Array): bigint {
  let word = 0n;
  for (let at = bytes.length - 1; at >= 0; at--) word = (word << 8n) | BigInt(bytes[at] as number);
  return word;
}

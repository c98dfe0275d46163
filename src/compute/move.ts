/** Copies and fills of regions on the device, for any dtype and strides. */

import { sizeOf } from '../layout/shape.ts';
import { Storage } from '../memory/storage.ts';
import type { Stream } from '../core/stream.ts';
import type { Region } from '../memory/region.ts';
import { buildProgram, Expression, type BuiltProgram } from './program/expression.ts';
import type { ElementTypeName } from './program/element-types.ts';
import type { Elements } from './program/runs.ts';
import { backendOf, runProgram } from './run.ts';

const WORDS: Readonly<Record<number, ElementTypeName>> = {
  1: 'uint8',
  2: 'uint16',
  4: 'uint32',
  8: 'uint64'
};

/** Returns the widest word that divides the elements and to which every operand is aligned. */
function wordFor(...operands: readonly Region[]): number {
  const { itemsize } = (operands[0] as Region).dtype;
  let word = 8;
  const fits = ({ storage, offset, strides }: Region): boolean =>
    (Number(storage.pointer & 7n) + offset) % word === 0 && strides.every(stride => stride % word === 0);
  while (word > 1 && (itemsize % word !== 0 || !operands.every(fits))) word /= 2;
  return word;
}

/** Describes a region in words: elements of several words get one more axis. */
function asWords({ storage, offset, shape, strides, dtype }: Region, word: number): Elements {
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
 * Copies elements on the stream's device; the source broadcasts. The regions must not overlap unless they are identical.
 * @throws DriverUnavailableError on a GPU without NVRTC
 */
export function copyElements(target: Region, source: Region, stream: Stream): void {
  if (sizeOf(target.shape) === 0) return;
  const word = wordFor(target, source);
  const [to, from] = [asWords(target, word), asWords(source, word)];
  if (backendOf(stream).transpose(to, from, word, stream)) return;
  const built = copyProgram(WORDS[word] as ElementTypeName);
  runProgram({ built, shape: to.shape, outputs: [to], inputs: [from], stream });
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
    const { shape, dtype } = target;
    copyElements(target, { storage: one, offset: 0, shape, strides: shape.map(() => 0), dtype }, stream);
  } finally {
    one.release();
  }
}

/** Returns the bytes as one unsigned integer, low byte first. */
function wordOf(bytes: Uint8Array): bigint {
  let word = 0n;
  for (let at = bytes.length - 1; at >= 0; at--) word = (word << 8n) | BigInt(bytes[at] as number);
  return word;
}

/** Copies and fills of regions on the device, for any dtype and strides. */

import { sizeOf } from '../layout/shape.ts';
import { Storage } from '../memory/storage.ts';
import type { Stream } from '../core/stream.ts';
import type { Region } from '../memory/region.ts';
import { buildProgram, Expression, type BuiltProgram } from './program/expression.ts';
import type { ElementTypeName } from './program/element-types.ts';
import type { Elements } from './program/runs.ts';
import { backendOf, runProgram } from './run.ts';

const WORDS = [8, 4, 2, 1] as const;
type Word = (typeof WORDS)[number];

const typeOf = (word: Word): ElementTypeName => `uint${(8 * word) as 8 | 16 | 32 | 64}`;

/** Returns the bytes of the widest word that divides the elements and to which every operand is aligned. */
function wordFor(...operands: readonly [Region, ...Region[]]): Word {
  const fits = ({ storage, offset, strides, dtype }: Region, word: Word): boolean =>
    [Number(storage.pointer & 7n) + offset, dtype.itemsize, ...strides].every(bytes => bytes % word === 0);
  return WORDS.find(word => operands.every(operand => fits(operand, word))) ?? 1;
}

/** Describes a region in words: elements of several words get one more axis. */
function asWords({ storage, offset, shape, strides, dtype }: Region, word: number): Elements {
  const count = dtype.itemsize / word;
  if (count === 1) return { storage, offset, shape, strides };
  return { storage, offset, shape: [...shape, count], strides: [...strides, word] };
}

const copies = new Map<Word, BuiltProgram>();

function copyProgram(word: Word): BuiltProgram {
  const type = typeOf(word);
  const built = copies.get(word) ?? buildProgram([type], [Expression.input(0, type)]);
  copies.set(word, built);
  return built;
}

/** Copies elements on a device; the source broadcasts. Regions overlap only if identical. @throws DriverUnavailableError without NVRTC */
export function copyElements(target: Region, source: Region, stream: Stream): void {
  if (sizeOf(target.shape) === 0) return;
  const word = wordFor(target, source);
  const [to, from] = [asWords(target, word), asWords(source, word)];
  if (backendOf(stream).transpose(to, from, word, stream)) return;
  runProgram({ built: copyProgram(word), shape: to.shape, outputs: [to], inputs: [from], stream });
}

/** Writes one element, given as its bytes, to every place. @throws DriverUnavailableError on a GPU without NVRTC */
export function fillElements(target: Region, element: Uint8Array, stream: Stream): void {
  const word = wordFor(target);
  if (word === element.byteLength) {
    const built = buildProgram([], [Expression.value(wordOf(element), typeOf(word))]);
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
  for (let at = bytes.length - 1; at >= 0; at--) word = (word << 8n) | BigInt(bytes[at]!);
  return word;
}

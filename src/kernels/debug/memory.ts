/** The memory of a debugged kernel: typed arrays over copies of the launch's arrays, and over shared and local memory. */

import type { NDArray } from '../../array/array.ts';
import type { Stream } from '../../core/stream.ts';
import { dtypes, type FixedDTypeName } from '../../dtype/dtype.ts';
import { hostArrayOver, type HostArray } from '../../dtype/host-array.ts';
import { decodeSmallFloat, encodeSmallFloat } from '../../dtype/small-floats.ts';
import { writeScalar } from '../../dtype/elements.ts';
import type { NativeStorage } from '../../native/binding.ts';
import type { Memory, Table } from '../program/program.ts';
import { ELEMENTS, type ElementType } from '../program/types.ts';
import type { Held } from './operations.ts';

/** An array as threads use it. */
export interface Bound {
  readonly name: string;
  readonly element: ElementType;
  /** What the debugger shows. */
  readonly data: HostArray;
  /** The index in `data` of the first element. */
  readonly start: number;
  readonly extents: readonly number[];
  /** In elements. */
  readonly strides: readonly number[];
}

const dtypeOf = (element: ElementType) => dtypes[ELEMENTS[element].dtype as FixedDTypeName];

function viewOf(element: ElementType, buffer: ArrayBuffer, offset: number, length: number): HostArray {
  const { constructor } = hostArrayOver(dtypeOf(element), new ArrayBuffer(0));
  return new (constructor as new (buffer: ArrayBuffer, offset: number, length: number) => HostArray)(
    buffer,
    offset,
    length
  );
}

const rowMajor = (extents: readonly number[]): number[] =>
  extents.map((_, axis) => extents.slice(axis + 1).reduce((product, length) => product * length, 1));

function over(
  { name, element }: { readonly name: string; readonly element: ElementType },
  extents: readonly number[],
  buffer: ArrayBuffer
): Bound {
  const length = extents.reduce((product, each) => product * each, 1);
  return {
    name,
    element,
    data: viewOf(element, buffer, 0, length),
    start: 0,
    extents,
    strides: rowMajor(extents)
  };
}

/** Makes the arrays of shared memory for a block, or of local memory for a thread. Dynamic ones lie over each other. */
export function memoriesOf(
  memories: readonly Memory[],
  space: Memory['space'],
  dynamicBytes: number
): (Bound | undefined)[] {
  const dynamic = new ArrayBuffer(dynamicBytes);
  return memories.map(memory => {
    if (memory.space !== space) return undefined;
    const { bytes } = ELEMENTS[memory.element];
    if (memory.dynamic) return over(memory, [Math.floor(dynamicBytes / bytes)], dynamic);
    const length = memory.shape.reduce((product, each) => product * each, 1);
    return over(memory, memory.shape, new ArrayBuffer(length * bytes));
  });
}

export function boundTable(table: Table): Bound {
  const dtype = dtypeOf(table.element);
  const bound = over(table, table.shape, new ArrayBuffer(table.values.length * dtype.itemsize));
  table.values.forEach((value, index) => writeScalar(bound.data, dtype, index, value));
  return bound;
}

/** A stretch of a storage. */
interface Piece {
  readonly storage: NativeStorage;
  start: number;
  end: number;
  written: boolean;
  bytes: Uint8Array<ArrayBuffer>;
}

/** Offsets of a piece are multiples of this, so that typed arrays of each type fit. */
const ALIGNMENT = 16;

/** Bytes from the first element to the lowest and behind the highest one. */
function reachOf({ shape, strides, dtype, size }: NDArray): readonly [number, number] {
  if (size === 0) return [0, 0];
  const steps = shape.map((length, axis) => (length - 1) * strides[axis]!);
  const lowest = steps.reduce((sum, step) => sum + Math.min(step, 0), 0);
  return [lowest, steps.reduce((sum, step) => sum + Math.max(step, 0), 0) + dtype.itemsize];
}

/** Copies of the memory of arrays; arrays that share memory share the copy. */
export class Copies {
  readonly #pieces = new Map<NativeStorage, Piece>();
  readonly #stream: Stream;

  constructor(stream: Stream) {
    this.#stream = stream;
  }

  /** Notes an array; call it for all before `read`. */
  add(array: NDArray, written: boolean): void {
    const [low, high] = reachOf(array);
    const start = Math.floor((array.offset + low) / ALIGNMENT) * ALIGNMENT;
    const storage = array.storage.native;
    const piece = this.#pieces.get(storage);
    const end = array.offset + high;
    if (piece === undefined)
      this.#pieces.set(storage, { storage, start, end, written, bytes: new Uint8Array(0) });
    else {
      piece.start = Math.min(piece.start, start);
      piece.end = Math.max(piece.end, end);
      piece.written ||= written;
    }
  }

  read(): void {
    for (const piece of this.#pieces.values()) {
      piece.bytes = new Uint8Array(Math.max(piece.end - piece.start, 0));
      if (piece.bytes.length > 0) piece.storage.readToHost(piece.start, piece.bytes, this.#stream.native);
    }
  }

  bind(array: NDArray, name: string, element: ElementType): Bound {
    const piece = this.#pieces.get(array.storage.native)!;
    const [low, high] = reachOf(array);
    const { itemsize } = array.dtype;
    const offset = array.size === 0 ? 0 : array.offset + low - piece.start;
    return {
      name,
      element,
      data: viewOf(element, piece.bytes.buffer, offset, (high - low) / itemsize),
      start: -low / itemsize,
      extents: array.shape,
      strides: array.strides.map(stride => stride / itemsize)
    };
  }

  /** Writes the copies back. */
  write(): void {
    for (const { storage, start, bytes, written } of this.#pieces.values())
      if (written && bytes.length > 0) storage.writeFromHost(start, bytes, this.#stream.native);
    this.#stream.device.synchronize();
  }
}

/** Reads an element in the form of a variable. */
export function read({ element, data }: Bound, at: number): Held {
  const value = data[at]!;
  if (element === 'bool') return value !== 0;
  return element === 'bf16' ? decodeSmallFloat('bfloat16', value as number)! : value;
}

export function write({ element, data }: Bound, at: number, value: Held): void {
  const stored = element === 'bf16' ? encodeSmallFloat('bfloat16', value as number)! : value;
  (data as { [index: number]: number | bigint })[at] = typeof stored === 'boolean' ? Number(stored) : stored;
}

/** The memory of a debugged kernel: typed arrays over copies of the launch's arrays, and over shared and local memory. */

import type { NDArray } from '../../array/array.ts';
import type { Stream } from '../../core/stream.ts';
import { dtypes, type FixedDTypeName } from '../../dtype/dtype.ts';
import { hostArrayOver, type HostArray } from '../../dtype/host-array.ts';
import { decodeSmallFloat, encodeSmallFloat } from '../../dtype/small-floats.ts';
import { writeScalar } from '../../dtype/elements.ts';
import type { Storage } from '../../memory/storage.ts';
import { spanOf, spansOf } from '../launch/spans.ts';
import type { Memory, Table } from '../program/program.ts';
import { ELEMENTS, type ElementType } from '../program/types.ts';
import type { Held } from './operations.ts';

/** An array as threads use it. */
export interface Bound {
  readonly name: string;
  readonly element: ElementType;
  /** What the debugger shows. */
  readonly data: HostArray;
  /** The address of `data` on the device, modulo 16. */
  readonly address: number;
  /** The index in `data` of the first element. */
  readonly start: number;
  readonly extents: readonly number[];
  /** In elements. */
  readonly strides: readonly number[];
}

/** The bytes of the widest vector. */
const WIDEST = 16n;

const dtypeOf = (element: ElementType) => dtypes[ELEMENTS[element].dtype as FixedDTypeName];

function viewOf(element: ElementType, buffer: ArrayBuffer, offset: number, length: number): HostArray {
  const { constructor } = hostArrayOver(dtypeOf(element), new ArrayBuffer(0));
  return new (constructor as new (buffer: ArrayBuffer, offset: number, length: number) => HostArray)(
    buffer,
    offset,
    length
  );
}

const product = (lengths: readonly number[]): number => lengths.reduce((all, each) => all * each, 1);

/** Memory that was not written has all bits set, as on the simulated device. */
const unwritten = (bytes: number): ArrayBuffer => new Uint8Array(bytes).fill(0xff).buffer;

const rowMajor = (extents: readonly number[]): number[] =>
  extents.map((_, axis) => product(extents.slice(axis + 1)));

function over(
  { name, element }: { readonly name: string; readonly element: ElementType },
  extents: readonly number[],
  buffer: ArrayBuffer
): Bound {
  return {
    name,
    element,
    data: viewOf(element, buffer, 0, product(extents)),
    address: 0,
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
  const dynamic = unwritten(dynamicBytes);
  return memories.map(memory => {
    if (memory.space !== space) return undefined;
    const { bytes } = ELEMENTS[memory.element];
    if (memory.dynamic) return over(memory, [Math.floor(dynamicBytes / bytes)], dynamic);
    return over(memory, memory.shape, unwritten(product(memory.shape) * bytes));
  });
}

export function boundTable(table: Table): Bound {
  const dtype = dtypeOf(table.element);
  const bound = over(table, table.shape, new ArrayBuffer(table.values.length * dtype.itemsize));
  table.values.forEach((value, index) => writeScalar(bound.data, dtype, index, value));
  return bound;
}

/** Host copies of the memory of arrays; arrays that share memory share the copy. */
export class HostCopies {
  readonly #pieces = new Map<Storage, { readonly start: number; readonly bytes: Uint8Array<ArrayBuffer> }>();
  readonly #stream: Stream;

  /** Reads the memory that the arrays span. */
  constructor(arrays: Iterable<NDArray>, stream: Stream) {
    this.#stream = stream;
    for (const [storage, { start, end }] of spansOf(arrays)) {
      const bytes = new Uint8Array(end - start);
      if (bytes.length > 0) storage.native.readToHost(start, bytes, stream.native);
      this.#pieces.set(storage, { start, bytes });
    }
  }

  bind(array: NDArray, name: string, element: ElementType): Bound {
    const piece = this.#pieces.get(array.storage)!;
    const { start, end } = spanOf(array);
    const { itemsize } = array.dtype;
    return {
      name,
      element,
      data: viewOf(element, piece.bytes.buffer, start - piece.start, (end - start) / itemsize),
      address: Number((array.storage.pointer + BigInt(start)) % WIDEST),
      start: (array.offset - start) / itemsize,
      extents: array.shape,
      strides: array.strides.map(stride => stride / itemsize)
    };
  }

  /** Writes the memory of some of the arrays back. */
  write(arrays: Iterable<NDArray>): void {
    for (const storage of new Set([...arrays].map(array => array.storage))) {
      const { start, bytes } = this.#pieces.get(storage)!;
      if (bytes.length > 0) storage.native.writeFromHost(start, bytes, this.#stream.native);
    }
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

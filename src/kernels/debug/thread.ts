/** A thread of a debugged kernel: what its code calls. */

import type { NativeKernelFault } from '../../native/kernels-binding.ts';
import type { AtomicName, Special } from '../program/program.ts';
import { ELEMENTS, isWide } from '../program/types.ts';
import { combined } from './atomics.ts';
import { read, write, type Bound } from './memory.ts';
import { operations, type Held } from './operations.ts';

/** Three numbers, for x, y and z. */
export type Three = readonly [number, number, number];

/** How many blocks a launch has, and how many threads each of them. */
export interface Extents {
  readonly grid: Three;
  readonly block: Three;
}

/** What a thread tells its launch. */
export interface ThreadHost {
  /** Handles a fault; returns if the thread goes on. */
  fault(
    thread: DebuggedThread,
    place: number,
    fault: Pick<NativeKernelFault, 'kind'> & Partial<NativeKernelFault>
  ): void;
  print(text: string): void;
  /** Returns whether a breakpoint stops this thread. */
  stops(thread: DebuggedThread): boolean;
}

/** What differs between threads. */
export interface Identity {
  readonly block: Three;
  readonly thread: Three;
  /** The index in the block, in the order of x, y and z. */
  readonly index: number;
  readonly specials: Readonly<Record<Special, number>>;
}

/** Returns what a checked run reads outside an array. */
function zeroOf({ element }: Bound): Held {
  const { value } = ELEMENTS[element];
  if (value === 'bool') return false;
  return isWide(value) ? 0n : 0;
}

/** Its code gets this object, whose methods are operations that need memory or the launch. */
export class DebuggedThread {
  readonly identity: Identity;
  readonly specials: Identity['specials'];
  readonly scalars: readonly Held[];
  readonly #arrays: readonly (Bound | undefined)[];
  readonly #host: ThreadHost;
  readonly of = operations;

  constructor(
    host: ThreadHost,
    identity: Identity,
    scalars: readonly Held[],
    arrays: readonly (Bound | undefined)[]
  ) {
    this.identity = identity;
    this.specials = identity.specials;
    this.scalars = scalars;
    this.#arrays = arrays;
    this.#host = host;
  }

  extent(array: number, axis: number): number {
    return this.#arrays[array]!.extents[axis]!;
  }

  load(array: number, place: number, ...index: readonly Held[]): Held {
    const bound = this.#arrays[array]!;
    const at = this.#find(bound, place, index);
    return at === null ? zeroOf(bound) : read(bound, at);
  }

  store(array: number, place: number, value: Held, ...index: readonly Held[]): void {
    const bound = this.#arrays[array]!;
    const at = this.#find(bound, place, index);
    if (at !== null) write(bound, at, value);
  }

  loadVector(array: number, place: number, count: number, ...index: readonly Held[]): Held[] {
    const bound = this.#arrays[array]!;
    const at = this.#findVector(bound, place, count, index);
    return Array.from({ length: count }, (_, offset) =>
      at === null ? zeroOf(bound) : read(bound, at + offset)
    );
  }

  storeVector(array: number, place: number, values: readonly Held[], ...index: readonly Held[]): void {
    const bound = this.#arrays[array]!;
    const at = this.#findVector(bound, place, values.length, index);
    if (at !== null) for (const [offset, value] of values.entries()) write(bound, at + offset, value);
  }

  atomic(
    array: number,
    place: number,
    name: AtomicName,
    values: readonly Held[],
    ...index: readonly Held[]
  ): Held {
    const bound = this.#arrays[array]!;
    const at = this.#find(bound, place, index);
    if (at === null) return zeroOf(bound);
    const old = read(bound, at);
    write(bound, at, combined(name, bound.element, old, values));
    return old;
  }

  print(...parts: readonly string[]): void {
    this.#host.print(parts.join(''));
  }

  assert(place: number, condition: boolean, message: string): void {
    if (!condition) this.#host.fault(this, place, { kind: 'assert', message });
  }

  unsupported(place: number): void {
    this.#host.fault(this, place, { kind: 'unsupported' });
  }

  /** Asked by the conditions of breakpoints. */
  stops(): boolean {
    return this.#host.stops(this);
  }

  /** Returns the index of the first of several elements in the data; null if one is outside, or their address does not fit. */
  #findVector(bound: Bound, place: number, count: number, index: readonly Held[]): number | null {
    const first = Number(index.at(-1));
    const length = bound.extents.at(-1)!;
    // The first element that is outside, if one is.
    const checked = first >= 0 && first + count > length ? Math.max(first, length) : first;
    const found = this.#find(bound, place, [...index.slice(0, -1), checked]);
    if (found === null) return null;
    const bytes = count * ELEMENTS[bound.element].bytes;
    if ((bound.address + found * ELEMENTS[bound.element].bytes) % bytes === 0) return found;
    this.#host.fault(this, place, {
      kind: 'misaligned',
      array: bound.name,
      index: index.map(Number),
      bytes
    });
    return null;
  }

  /** Returns the index of an element in the data; null outside. */
  #find({ name, start, extents, strides }: Bound, place: number, index: readonly Held[]): number | null {
    let at = start;
    for (const [axis, given] of index.entries()) {
      const position = Number(given);
      const length = extents[axis]!;
      if (position < 0 || position >= length) {
        this.#host.fault(this, place, {
          kind: 'bounds',
          array: name,
          index: index.map(Number),
          axis,
          length
        });
        return null;
      }
      at += position * strides[axis]!;
    }
    return at;
  }
}

/** Maps ranges of bytes back to the elements of a strided layout, and counts the cache lines that a warp touches. Pure. Rules 22 to 24, 30. */

import type { Shape } from './shape.ts';
import { extentOf, type Extent, type Strides } from './strides.ts';

/** A strided layout in a block of memory. */
export interface Layout {
  readonly shape: Shape;
  /** Bytes per axis. */
  readonly strides: Strides;
  /** Bytes from the block's start to the first logical element. */
  readonly offset: number;
  readonly itemsize: number;
}

/** The elements at one byte offset. */
export interface Placement {
  /** Bytes from the block's start. */
  readonly offset: number;
  /** The index of the first of them, in row-major order. */
  readonly index: readonly number[];
  /** The number of logical elements at this offset; more than 1 if strides are 0 or axes overlap. */
  readonly count: number;
}

/** Limit on the places that a search visits; only layouts whose axes overlap widely reach it. */
const SEARCH_LIMIT = 20_000;

/** An axis of several elements with a nonzero stride, traversed upwards from its lowest address. */
interface Walk {
  readonly axis: number;
  readonly length: number;
  readonly step: number;
  /** True if its last index has the lowest address. */
  readonly backwards: boolean;
  /** The greatest offset that the axes after it add, in bytes. */
  readonly restReach: number;
}

interface Walks {
  /** Largest step first. */
  readonly axes: readonly Walk[];
  /** The lowest byte offset. */
  readonly start: number;
  /** The number of logical elements at each place, due to strides of 0. */
  readonly repeats: number;
}

function walksOf({ shape, strides, offset }: Layout): Walks {
  let start = offset;
  let repeats = 1;
  const moving: { axis: number; length: number; step: number; backwards: boolean }[] = [];
  for (const [axis, length] of shape.entries()) {
    const stride = strides[axis]!;
    if (length <= 1) continue;
    if (stride === 0) repeats *= length;
    else moving.push({ axis, length, step: Math.abs(stride), backwards: stride < 0 });
    if (stride < 0) start += (length - 1) * stride;
  }
  moving.sort((a, b) => a.step - b.step);
  let restReach = 0;
  const axes: Walk[] = [];
  for (const move of moving) {
    axes.unshift({ ...move, restReach });
    restReach += (move.length - 1) * move.step;
  }
  return { axes, start, repeats };
}

/** Returns the places with a byte in [`start`, `end`), lowest first, at most `limit` of them. */
export function placementsIn(layout: Layout, start: number, end: number, limit: number): Placement[] {
  if (end <= start || layout.shape.includes(0)) return [];
  const { axes, start: base, repeats } = walksOf(layout);
  const [low, high] = [start - layout.itemsize + 1, end - 1];
  const found = new Map<number, { index: number[]; count: number }>();
  const index = new Array<number>(layout.shape.length).fill(0);
  let left = SEARCH_LIMIT;
  const visit = (depth: number, at: number): void => {
    const walk = axes[depth];
    if (walk === undefined) {
      if (at < low || at > high) return;
      const known = found.get(at);
      if (known === undefined) {
        if (found.size < limit) found.set(at, { index: [...index], count: repeats });
      } else {
        known.count += repeats;
        if (precedes(index, known.index)) known.index = [...index];
      }
      return;
    }
    const { axis, length, backwards, restReach } = walk;
    const first = Math.max(0, Math.ceil((low - restReach - at) / walk.step));
    const last = Math.min(length - 1, Math.floor((high - at) / walk.step));
    for (let step = first; step <= last && left > 0; step++) {
      left -= 1;
      index[axis] = backwards ? length - 1 - step : step;
      visit(depth + 1, at + step * walk.step);
    }
    index[axis] = 0;
  };
  visit(0, base);
  return [...found]
    .map(([offset, placement]) => ({ offset, ...placement }))
    .sort((a, b) => a.offset - b.offset);
}

function precedes(one: readonly number[], other: readonly number[]): boolean {
  const axis = one.findIndex((index, at) => index !== other[at]);
  return axis >= 0 && one[axis]! < other[axis]!;
}

/** A run of bytes covered by the same elements. */
export interface Run {
  readonly start: number;
  readonly end: number;
  /** Lowest first; empty for a gap. */
  readonly places: readonly Placement[];
}

/** Splits [`start`, `end`) where elements begin or end: each run is covered by one element, by several, or by none. */
export function runsIn(layout: Layout, start: number, end: number, limit = 1024): Run[] {
  const { itemsize } = layout;
  const places = placementsIn(layout, start, end, limit);
  const cuts = new Set([start, end]);
  for (const { offset } of places)
    for (const cut of [offset, offset + itemsize]) if (cut > start && cut < end) cuts.add(cut);
  const sorted = [...cuts].sort((a, b) => a - b);
  const runs: Run[] = [];
  let first = 0;
  for (let at = 0; at + 1 < sorted.length; at++) {
    const [from, to] = [sorted[at]!, sorted[at + 1]!];
    while (first < places.length && places[first]!.offset + itemsize <= from) first += 1;
    const covering: Placement[] = [];
    for (let next = first; next < places.length && places[next]!.offset <= from; next++)
      covering.push(places[next]!);
    runs.push({ start: from, end: to, places: covering });
  }
  return runs;
}

/** `apart`: one ends before the other begins. `interleaved`: they span the same bytes, but touch different ones. */
export type Sharing = 'apart' | 'interleaved' | 'shared' | 'unknown';

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/** The number of places of one layout that are searched for in the other. */
const PLACES_COMPARED = 4096;

/** Returns how two layouts of the same block share bytes; `unknown` if the search was cut short. */
export function sharing(one: Layout, other: Layout): Sharing {
  const [first, second] = [one, other].map(({ shape, strides, itemsize, offset }) => {
    const { start, end } = extentOf(shape, strides, itemsize);
    return { start: offset + start, end: offset + end };
  }) as [Extent, Extent];
  const start = Math.max(first.start, second.start);
  const end = Math.min(first.end, second.end);
  if (start >= end) return 'apart';
  // Offsets within a layout are multiples of the steps' greatest common divisor, so the remainder shows whether any elements can overlap.
  const step = [...walksOf(one).axes, ...walksOf(other).axes].reduce((all, walk) => gcd(all, walk.step), 0);
  const remainder = step === 0 ? 0 : (((other.offset - one.offset) % step) + step) % step;
  if (step > 0 && remainder >= one.itemsize && remainder + other.itemsize <= step) return 'interleaved';
  const places = placementsIn(one, start, end, PLACES_COMPARED);
  if (places.some(({ offset }) => placementsIn(other, offset, offset + one.itemsize, 1).length > 0))
    return 'shared';
  return places.length < PLACES_COMPARED ? 'interleaved' : 'unknown';
}

/** Returns the byte offset of an element by its logical index, from the block's start. */
export function offsetOf({ strides, offset }: Layout, index: readonly number[]): number {
  return index.reduce((at, position, axis) => at + position * strides[axis]!, offset);
}

/** Returns the logical index of the `ordinal`-th element in row-major order. */
export function indexOf(shape: Shape, ordinal: number): number[] {
  const index = new Array<number>(shape.length).fill(0);
  let rest = ordinal;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    const length = shape[axis]!;
    index[axis] = rest % length;
    rest = Math.floor(rest / length);
  }
  return index;
}

/** Returns the position of an element in row-major order. */
export function ordinalOf(shape: Shape, index: readonly number[]): number {
  return index.reduce((at, position, axis) => at * shape[axis]! + position, 0);
}

export const WARP_THREADS = 32;
/** The smallest fetch of a GPU's caches, and the size of a cache line. Source: CUDA C++ Programming Guide, global memory. */
export const SECTOR_BYTES = 32;
export const LINE_BYTES = 128;

/** The cache lines and sectors that a warp fetches when its threads read consecutive elements. */
export interface WarpTouch {
  readonly threads: number;
  readonly lines: number;
  readonly sectors: number;
  /** The cache lines that the elements would touch if they were contiguous from the start of a line. */
  readonly bestLines: number;
  readonly bestSectors: number;
}

/** Counts the lines and sectors of the first warp. `address` is that of the block's first byte; only its offset in a line matters. */
export function warpTouch(layout: Layout, size: number, address: number): WarpTouch {
  const threads = Math.min(WARP_THREADS, size);
  const lines = new Set<number>();
  const sectors = new Set<number>();
  for (let thread = 0; thread < threads; thread++) {
    const first = address + offsetOf(layout, indexOf(layout.shape, thread));
    const last = first + layout.itemsize - 1;
    for (let sector = Math.floor(first / SECTOR_BYTES); sector * SECTOR_BYTES <= last; sector++) {
      sectors.add(sector);
      lines.add(Math.floor((sector * SECTOR_BYTES) / LINE_BYTES));
    }
  }
  const bytes = threads * layout.itemsize;
  return {
    threads,
    lines: lines.size,
    sectors: sectors.size,
    bestLines: Math.ceil(bytes / LINE_BYTES),
    bestSectors: Math.ceil(bytes / SECTOR_BYTES)
  };
}

/** What the parts of the layout's picture show: a layout in its block of memory, and the place that is looked at. */

import type { ArrayDescription } from '../../../../../src/pictures/array/schema.ts';
import { type Layout, LINE_BYTES, offsetOf } from '../../../../../src/layout/byte-map.ts';
import { extentOf } from '../../../../../src/layout/strides.ts';
import { __ } from '../../kit/phrases.ts';

/** The place that is looked at: an element, or bytes that belong to one, to several or to none. */
export interface Spot {
  /** The element, the first of several; null for a gap. */
  readonly index: readonly number[] | null;
  /** Bytes from the block's start. */
  readonly start: number;
  readonly end: number;
  /** Elements with a byte here. */
  readonly count: number;
}

export interface Scene {
  readonly layout: Layout;
  readonly size: number;
  /** The bytes that are drawn: the block, and what the layout reaches outside of it. */
  readonly start: number;
  readonly end: number;
  /** Address of the block; 0 where the memory was freed. */
  readonly address: bigint;
  /** Where the block begins within a line of the GPU's memory. */
  readonly phase: number;
}

/** Cells of a picture and where they lie: one handler serves all of them. */
export type Spots = WeakMap<EventTarget, Spot>;

/** One of the two sides. */
export interface Side {
  readonly element: HTMLElement;
  /** `chosen` is in the window, `spot` is what the pointer is over, or the same. */
  show(scene: Scene, chosen: Spot, spot: Spot): void;
  /** Where a key leads; undefined for a key that moves nothing. `far`: with Ctrl. */
  move(key: string, from: Spot, far: boolean): Spot | undefined;
}

/** Saved notebooks can hold numbers that describe no array. */
export function isDrawable({ shape, strides, size, itemsize }: ArrayDescription): boolean {
  return (
    strides.length === shape.length &&
    itemsize > 0 &&
    [...shape, ...strides, size, itemsize].every(Number.isSafeInteger) &&
    shape.every(length => length >= 0) &&
    shape.reduce((product, length) => product * length, 1) === size
  );
}

/** The layout of a described array. That of a freed one starts where its lowest byte was. */
export function layoutOf({ shape, strides, itemsize, storage }: ArrayDescription): Layout {
  const offset = storage?.offset ?? -extentOf(shape, strides, itemsize).start;
  return { shape, strides, itemsize, offset };
}

export function sceneOf(layout: Layout, { storage }: ArrayDescription): Scene {
  const { start, end } = extentOf(layout.shape, layout.strides, layout.itemsize);
  const address = BigInt(storage && /^0x[0-9a-f]+$/.test(storage.address) ? storage.address : 0);
  return {
    layout,
    size: layout.shape.reduce((product, length) => product * length, 1),
    start: Math.min(0, layout.offset + start),
    end: Math.max(storage?.bytes ?? 0, layout.offset + end),
    address,
    phase: Number(address % BigInt(LINE_BYTES))
  };
}

export function spotOf({ layout }: Scene, index: readonly number[]): Spot {
  const start = offsetOf(layout, index);
  return { index, start, end: start + layout.itemsize, count: 1 };
}

/** Where a spot lies and what lies there, for the eye and for screen readers. */
export function nameOf({ index, start, end, count }: Spot): string {
  const place = `[${index?.join(', ')}]`;
  const what =
    index === null
      ? __('no element')
      : count > 1
        ? __('%1 elements, first %2', count, place)
        : __('element %1', place);
  return end - start === 1 ? __('Byte %1: %2', start, what) : __('Bytes %1 to %2: %3', start, end - 1, what);
}

/** Of a cell: where it lies, what lies there, and what is written in it. */
export function cellName(spot: Spot, text: string): string {
  const name = nameOf(spot);
  return text === '' ? name : __('%1, number %2', name, text);
}

/** Marks what of the spot a cell holds, and whether it is the one that the Tab key reaches. */
export function markCell(cell: HTMLElement, at: Spot, chosen: Spot, spot: Spot): void {
  const touches = (other: Spot): boolean => at.start < other.end && at.end > other.start;
  const isHere = touches(spot) && String(at.index) === String(spot.index);
  cell.toggleAttribute('data-here', isHere);
  cell.toggleAttribute('data-shares', touches(spot) && !isHere);
  cell.tabIndex = touches(chosen) && String(at.index) === String(chosen.index) ? 0 : -1;
}

/** More tints than this could not be distinguished: they repeat. */
const TINTS = 12;

/** Tints a cell by the row of its element, from 0 to 1; by the element in a vector. */
export function tint(cell: HTMLElement, { layout: { shape } }: Scene, index: readonly number[]): void {
  const axis = Math.max(shape.length - 2, 0);
  const tints = Math.min(shape[axis] ?? 1, TINTS);
  cell.style.setProperty('--tint', String(tints > 1 ? ((index[axis] ?? 0) % tints) / (tints - 1) : 0));
}

/** State shared by the parts of the layout's picture: a layout in its block of memory, and the selected spot. */

import type { ArrayDescription } from '../../../../../src/pictures/array/schema.ts';
import { type Layout, LINE_BYTES, offsetOf } from '../../../../../src/layout/byte-map.ts';
import { extentOf } from '../../../../../src/layout/strides.ts';
import { __ } from '../../kit/phrases.ts';

/** A spot: an element, or bytes that belong to one, several or no elements. */
export interface Spot {
  /** Index of the element, or of the first of several; null for a gap. */
  readonly index: readonly number[] | null;
  /** Byte offset from the block's start. */
  readonly start: number;
  readonly end: number;
  /** Number of elements with a byte here. */
  readonly count: number;
}

export interface Scene {
  readonly layout: Layout;
  readonly size: number;
  /** The drawn byte range: the block, and any part of the layout outside it. */
  readonly start: number;
  readonly end: number;
  /** Address of the block; 0 if the memory was freed. */
  readonly address: bigint;
  /** Offset of the block within a cache line. */
  readonly phase: number;
}

/** Spots by cell, so that one handler serves all cells. */
export type Spots = WeakMap<EventTarget, Spot>;

export interface Side {
  readonly element: HTMLElement;
  /** Draws the side. `chosen` is inside the window; `spot` is under the pointer, or equals `chosen`. */
  show(scene: Scene, chosen: Spot, spot: Spot): void;
  /** Returns the spot that a key leads to; undefined if the key does not move. `far`: with Ctrl. */
  move(key: string, from: Spot, far: boolean): Spot | undefined;
}

/** Checks the numbers: those in saved notebooks may describe no array. */
export function isDrawable({ shape, strides, size, itemsize }: ArrayDescription): boolean {
  return (
    strides.length === shape.length &&
    itemsize > 0 &&
    [...shape, ...strides, size, itemsize].every(Number.isSafeInteger) &&
    shape.every(length => length >= 0) &&
    shape.reduce((product, length) => product * length, 1) === size
  );
}

/** Returns the layout of a described array. A freed array's layout starts at its lowest byte. */
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

/** Describes the position and content of a spot, for tooltips and screen readers. */
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

export function cellName(spot: Spot, text: string): string {
  const name = nameOf(spot);
  return text === '' ? name : __('%1, number %2', name, text);
}

/** Marks a cell that overlaps the spot, and the cell in the tab order. */
export function markCell(cell: HTMLElement, at: Spot, chosen: Spot, spot: Spot): void {
  const touches = (other: Spot): boolean => at.start < other.end && at.end > other.start;
  const isHere = touches(spot) && String(at.index) === String(spot.index);
  cell.toggleAttribute('data-here', isHere);
  cell.toggleAttribute('data-shares', touches(spot) && !isHere);
  cell.tabIndex = touches(chosen) && String(at.index) === String(chosen.index) ? 0 : -1;
}

/** Number of distinguishable tints, after which they repeat. */
const TINTS = 12;

/** Tints a cell by the row of its element, or by the element in a vector. */
export function tint(cell: HTMLElement, { layout: { shape } }: Scene, index: readonly number[]): void {
  const axis = Math.max(shape.length - 2, 0);
  const tints = Math.min(shape[axis] ?? 1, TINTS);
  cell.style.setProperty('--tint', String(tints > 1 ? ((index[axis] ?? 0) % tints) / (tints - 1) : 0));
}

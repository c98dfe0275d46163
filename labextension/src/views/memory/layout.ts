/** Layout of the block map at one event: rows of segments, with their blocks and holes. Pure. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { BORROWED, type Allocation, type Segment } from './history.ts';
import { __ } from '../kit/phrases.ts';

export interface Place {
  readonly row: number;
  /** Bytes from the row's start. */
  readonly offset: number;
  readonly bytes: number;
  readonly pointer: number;
  /** Null for a hole. */
  readonly block: Allocation | null;
}

export interface Layout {
  /** One row per segment, ordered by address. */
  readonly rows: readonly { readonly label: string; readonly bytes: number }[];
  /** Sorted by row and offset. */
  readonly places: readonly Place[];
}

/** Lays out a row per segment by address, a row of blocks that the driver allocated separately, and one of borrowed memory. */
export function layOut(segments: readonly Segment[], alive: readonly Allocation[]): Layout {
  const rows: { label: string; bytes: number }[] = [];
  const places: Place[] = [];
  let blocks = [...alive].sort((a, b) => a.pointer - b.pointer);
  const addRow = (label: string, start: number, bytes: number, inside: readonly Allocation[]): void => {
    const row = rows.push({ label: __('%1 · %2', label, formatBytes(bytes)), bytes }) - 1;
    let end = 0;
    const add = (offset: number, size: number, pointer: number, block: Allocation | null): void => {
      if (size > 0) places.push({ row, offset, bytes: size, pointer, block });
      end = offset + size;
    };
    for (const block of inside) {
      if (start > 0) add(end, block.pointer - start - end, start + end, null);
      add(end, block.bytes, block.pointer, block);
    }
    add(end, bytes - end, start + end, null);
  };
  for (const [index, { pointer, bytes }] of [...segments].sort((a, b) => a.pointer - b.pointer).entries()) {
    const isInside = (block: Allocation): boolean =>
      block.kind !== BORROWED && block.pointer >= pointer && block.pointer < pointer + bytes;
    addRow(__('slab %1', index + 1), pointer, bytes, blocks.filter(isInside));
    blocks = blocks.filter(block => !isInside(block));
  }
  for (const isBorrowed of [false, true]) {
    const list = blocks.filter(({ kind }) => (kind === BORROWED) === isBorrowed);
    const bytes = list.reduce((sum, block) => sum + block.bytes, 0);
    if (bytes > 0) addRow(isBorrowed ? __('external') : __('single blocks'), 0, bytes, list);
  }
  return { rows, places };
}

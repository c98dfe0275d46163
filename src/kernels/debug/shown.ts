/** What the debugger shows of the threads of a launch: each object describes itself in a line. */

import { WARP } from './groups.ts';
import type { Extents, Identity, Three } from './thread.ts';

const INSPECT: unique symbol = Symbol.for('nodejs.util.inspect.custom') as never;

/** An index: a number in one dimension, otherwise `(x, y)` or `(x, y, z)`. */
export type Index = number | string;

/** Returns an index among so many: without the last axes, if these have only one element. */
export function indexAmong(index: Three, [, y, z]: Three): Index {
  if (y === 1 && z === 1) return index[0];
  return `(${index.slice(0, z === 1 ? 2 : 3).join(', ')})`;
}

/** The thread that is stopped. */
export class ShownThread {
  /** The index of the thread in its block. */
  readonly thread: Index;
  /** The index of its block in the grid. */
  readonly block: Index;
  /** The number of its warp in the block. */
  readonly warp: number;
  /** Its index in the warp. */
  readonly lane: number;

  constructor({ thread, block, index }: Identity, launch: Extents) {
    this.thread = indexAmong(thread, launch.block);
    this.block = indexAmong(block, launch.grid);
    this.warp = Math.floor(index / WARP);
    this.lane = index % WARP;
  }

  [INSPECT](): string {
    return `${this.thread} of block ${this.block}`;
  }
}

/** The threads of a block that wait: by the place, the index of each. */
export class Waiting {
  [place: string]: Index[];

  [INSPECT](): string {
    const texts = Object.entries(this).map(([place, { length }]) => `${length} in ${place}`);
    return texts.length === 0 ? 'no thread' : texts.join(', ');
  }
}

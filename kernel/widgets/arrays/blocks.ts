/** Which arrays see the same memory: views of one storage, and arrays that came by different ways to the same bytes. */

import type { Storage } from '../../../src/memory/storage.ts';
import { extentOf } from './entry.ts';

export interface Block {
  readonly id: number;
  readonly bytes: number;
}

/** Of an array that was freed before it was seen. */
export const NO_BLOCK: Block = { id: 0, bytes: 0 };

interface Span {
  readonly id: number;
  readonly device: string;
  readonly start: number;
  readonly end: number;
}

export class Blocks {
  readonly #ids = new WeakMap<Storage, number>();
  #lastId = 0;

  /** The block of each storage: one for all whose bytes overlap on a device. */
  of(storages: Iterable<Storage>): Map<Storage, Block> {
    const spans = new Map<Storage, Span>();
    for (const storage of storages)
      if (!storage.released) {
        const { start, end } = extentOf(storage);
        spans.set(storage, { id: this.#idOf(storage), device: storage.device.label, start, end });
      }
    const blocks = blocksOfSpans([...spans.values()]);
    return new Map([...spans].map(([storage, span]) => [storage, blocks.get(span) ?? NO_BLOCK]));
  }

  #idOf(storage: Storage): number {
    let id = this.#ids.get(storage);
    if (id === undefined) this.#ids.set(storage, (id = ++this.#lastId));
    return id;
  }
}

function blocksOfSpans(spans: readonly Span[]): Map<Span, Block> {
  const blocks = new Map<Span, Block>();
  const sorted = [...spans].sort(
    (a, b) => (a.device < b.device ? -1 : a.device > b.device ? 1 : 0) || a.start - b.start || a.end - b.end
  );
  let run: Span[] = [];
  let end = 0;
  const finish = (): void => {
    const first = run[0];
    if (first === undefined) return;
    // The oldest storage gives the number, so that it stays when views come and go.
    const block = {
      id: run.reduce((least, { id }) => Math.min(least, id), first.id),
      bytes: end - first.start
    };
    for (const span of run) blocks.set(span, block);
  };
  for (const span of sorted) {
    const joins = run[0]?.device === span.device && span.start < end;
    if (!joins) {
      finish();
      run = [];
      end = span.start;
    }
    run.push(span);
    end = Math.max(end, span.end);
  }
  finish();
  return blocks;
}

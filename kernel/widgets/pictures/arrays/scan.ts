/** Scans all of a notebook's arrays, in time slices between which other work runs. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NDArray } from '../../../../src/array/array.ts';
import type { ArrayEntry } from '../../../../src/pictures/arrays/schema.ts';
import { widgetHost } from '../../model/host.ts';
import { NO_BLOCK, type Blocks } from './blocks.ts';
import { StreamStates } from './entry.ts';
import type { Ledger } from './ledger.ts';
import { walkArrays } from '../kit/walk.ts';

/** Milliseconds after which a slice yields. */
const SLICE = 4;
export const MAX_ARRAYS = 20_000;

/** Yields to other work once the slice is used up. */
class Slices {
  #began = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.#began < SLICE) return;
    await nextTurn();
    this.#began = performance.now();
  }
}

/** Finds the arrays that variables reach, each with its names. */
export async function findArrays(
  slices = new Slices()
): Promise<{ readonly found: Map<NDArray, string[]>; readonly truncated: boolean }> {
  const report = { truncated: false };
  const found = new Map<NDArray, string[]>();
  for (const each of walkArrays(widgetHost().eachVariable(), report)) {
    if (each === null) {
      await slices.pause();
      continue;
    }
    const names = found.get(each.array);
    if (names !== undefined) names.push(each.name);
    else if (found.size < MAX_ARRAYS) found.set(each.array, [each.name]);
    else report.truncated = true;
    if (found.size % 256 === 0) await slices.pause();
  }
  return { found, truncated: report.truncated };
}

/** Scans all arrays, and records their states in the ledger. */
export async function lookAtAll(ledger: Ledger, blocks: Blocks) {
  const slices = new Slices();
  const { found, truncated } = await findArrays(slices);
  const blockOf = blocks.of(found.keys());
  await slices.pause();
  const streams = new StreamStates();
  const set: ArrayEntry[] = [];
  const kept = new Set<number>();
  for (const [array, names] of found) {
    const block = array.freed ? NO_BLOCK : (blockOf.get(array.storage) ?? NO_BLOCK);
    const entry = ledger.note(array, names, block, streams);
    if (entry !== null) set.push(entry);
    kept.add(ledger.idOf(array) as number);
    if (kept.size % 256 === 0) await slices.pause();
  }
  return { set, removed: ledger.keepOnly(kept), streams, truncated };
}

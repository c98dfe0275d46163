/** What grew between two events. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import type { Phrases } from '../kit/phrases.ts';
import { isAlive, sumOf } from './history.ts';
import type { Allocation, History } from './history.ts';

/** What was made after the earlier event and is alive after the later one, and how much is gone meanwhile. */
export function compareEvents(
  phrases: Phrases,
  history: History,
  device: number,
  events: readonly [number, number]
): { readonly caption: string; readonly rows: readonly Allocation[] } {
  const [from, to] = [Math.min(...events), Math.max(...events)];
  const rows = history.alive(device, to).filter(row => row.made > from);
  const gone = history.alive(device, from).filter(row => !isAlive(row, to));
  const caption = phrases.__(
    'Between A and B: %1 allocated and still alive, %2; %3 freed, %4',
    rows.length,
    formatBytes(sumOf(rows)),
    gone.length,
    formatBytes(sumOf(gone))
  );
  return { caption, rows };
}

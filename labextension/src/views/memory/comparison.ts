/** Compares memory use at two events. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { isAlive, sumOf, type Allocation, type History } from './history.ts';
import { __ } from '../kit/phrases.ts';

/** Finds allocations made after the earlier event and alive after the later one, and sums the bytes freed between them. */
export function compareEvents(
  history: History,
  device: number,
  events: readonly [number, number]
): { readonly caption: string; readonly rows: readonly Allocation[] } {
  const [from, to] = [Math.min(...events), Math.max(...events)];
  const rows = history.alive(device, to).filter(row => row.made > from);
  const gone = history.alive(device, from).filter(row => !isAlive(row, to));
  const caption = __(
    'Between A and B: %1 allocated and still alive, %2; %3 freed, %4',
    rows.length,
    formatBytes(sumOf(rows)),
    gone.length,
    formatBytes(sumOf(gone))
  );
  return { caption, rows };
}

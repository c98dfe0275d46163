/** Sentences about the memory at the cursor. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import type { MemoryDevice, MemoryPicture } from '../../../../src/pictures/memory/schema.ts';
import { isAlive, isFailure, sumOf, type Allocation, type History } from './history.ts';
import type { Layout } from './layout.ts';
import { __ } from '../kit/phrases.ts';

/** Describes the event with an index among the device's points, -1 for the time before them. */
export function eventWords(history: History, device: number, index: number): string {
  const points = history.points(device);
  const point = points[index];
  const inUse = __('%1 in use', formatBytes(point?.live ?? history.base(device)));
  if (point === undefined) return __('Before the first event: %1', inUse);
  const { subject, number, time } = point;
  const bytes = formatBytes(subject.bytes);
  const change = isFailure(subject)
    ? __('✕ %1 refused', bytes)
    : `${number === subject.made ? '+' : '−'}${bytes} ${subject.owner}`;
  const when = [formatDuration(1000 * time), subject.cell].filter(Boolean).join(', ');
  return __('Event %1 of %2 (%3): %4; %5', index + 1, points.length, when, change, inUse);
}

export function noEventsWords({ state, complete }: MemoryPicture): string {
  if (state === 'off') return __('No events: memoryLog.start() records allocations.');
  return complete
    ? __('No events yet: create an array.')
    : __('This snapshot has only the latest state; a live kernel has the events.');
}

/** Describes the holes between blocks, and what the driver's pool does not report. */
export function holeWords({ places }: Layout, { holes, kept }: MemoryDevice): string {
  const sentences: string[] = [];
  const sizes = places.flatMap(({ block, bytes }) => (block === null ? bytes : []));
  if (sizes.length > 0) {
    const free = sizes.reduce((sum, bytes) => sum + bytes);
    const largest = sizes.reduce((most, bytes) => Math.max(most, bytes));
    const share = Math.round((1 - largest / free) * 100);
    sentences.push(
      __(
        'Holes: %1, %2 in total, largest %3. External fragmentation: %4 %',
        sizes.length,
        formatBytes(free),
        formatBytes(largest),
        share
      )
    );
  }
  if (holes === null) sentences.push(__("The driver's pool does not report its holes."));
  if (holes === null && kept > 0) sentences.push(__('%1 is reserved.', formatBytes(kept)));
  return sentences.join(' ');
}

export interface Listed {
  readonly caption: string;
  readonly rows: readonly Allocation[];
}

/** Lists what is alive at the cursor; `omitted` smaller allocations are not in the picture. */
export function aliveRows(rows: readonly Allocation[], omitted: number): Listed {
  const caption = __('%1 alive at the cursor, %2', rows.length, formatBytes(sumOf(rows)));
  const rest = __('%1 smaller ones are not in this snapshot', omitted);
  return { caption: omitted > 0 ? `${caption}; ${rest}` : caption, rows };
}

/** Lists what was allocated after the earlier event and is alive after the later one, and sums what was freed between them. */
export function rowsBetween(history: History, device: number, events: readonly [number, number]): Listed {
  const [from, to] = [Math.min(...events), Math.max(...events)];
  const rows = history.alive(device, to).filter(row => row.made > from);
  const freed = history.alive(device, from).filter(row => !isAlive(row, to));
  const caption = __(
    'Between A and B: %1 allocated and still alive, %2; %3 freed, %4',
    rows.length,
    formatBytes(sumOf(rows)),
    freed.length,
    formatBytes(sumOf(freed))
  );
  return { caption, rows };
}

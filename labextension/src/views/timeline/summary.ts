/** Total time per operation: a row per kernel, copy and fill, longest first. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import { element, part, setText, type Part, setLine } from '../kit/dom.ts';
import { createItemTable } from '../kit/item-table.ts';
import { LABEL } from './kinds.ts';
import type { Records } from './records.ts';
import { formatRate } from './time.ts';
import { formatCount, __ } from '../kit/phrases.ts';

export interface Total {
  readonly kind: number;
  readonly name: string;
  count: number;
  /** Total time in microseconds, and total bytes. */
  time: number;
  bytes: number;
}

/** Sums operations that have device times and pass the filter. */
export function totalsOf(records: Records, matches: Uint8Array): Total[] {
  const { columns, facts } = records;
  const byFacts: (Total | undefined)[] = [];
  const all = new Map<string, Total>();
  for (const [slot, index] of columns.facts.entries()) {
    // A label's times span a range in which other operations run.
    const isTimed = records.kinds[slot] !== LABEL && !Number.isNaN(columns.start[slot]);
    if (!matches[index] || !isTimed) continue;
    let total = byFacts[index];
    if (total === undefined) {
      const { kind, name } = facts[index]!;
      const key = `${kind} ${name}`;
      total = all.get(key) ?? { kind, name, count: 0, time: 0, bytes: 0 };
      all.set(key, total);
      byFacts[index] = total;
    }
    total.count += 1;
    total.time += columns.duration[slot]!;
    total.bytes += columns.bytes[slot]!;
  }
  return [...all.values()].sort((a, b) => b.time - a.time);
}

/** Names beyond this number are only counted. */
const MOST_ROWS = 100;

/** Creates the table. `isPart`: some operations of the trace are missing here. */
export function createSummary(
  records: Records,
  words: readonly string[]
): Part<[matches: Uint8Array, isPart: boolean]> {
  const caption = element('caption');
  const table = createItemTable<Total>('', caption, ({ kind, name }) => `${kind} ${name}`, [
    [__('Operation'), ({ name }) => name],
    [__('Kind'), ({ kind }) => words[kind]!],
    [__('Count'), ({ count }) => formatCount(count), 'number'],
    [__('Total time'), ({ time }) => formatDuration(time), 'number'],
    [__('Mean'), ({ time, count }) => formatDuration(time / count), 'number'],
    [__('Size'), ({ bytes }) => (bytes > 0 ? formatBytes(bytes) : ''), 'number'],
    [__('Rate'), ({ bytes, time }) => formatRate(bytes, time), 'number']
  ]);
  const more = part('p', 'empty');
  return {
    element: element('div', {}, table, more),
    update(matches, isPart) {
      const totals = totalsOf(records, matches);
      const count = formatCount(totals.reduce((sum, total) => sum + total.count, 0));
      setText(
        caption,
        isPart
          ? __('Device time by operation, for the %1 operations on this page', count)
          : __('Device time by operation, for %1 operations', count)
      );
      table.update(totals.slice(0, MOST_ROWS));
      const rest = totals.length - MOST_ROWS;
      setLine(more, rest > 0 ? __('And %1 more operations.', formatCount(rest)) : '');
    }
  };
}

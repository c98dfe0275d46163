/** Measures the streams in a time range: the work of each, and their overlap. */

import { formatDuration } from '../../../../src/base/time-text.ts';
import { createFacts, type Fact } from './facts.ts';
import type { Layout } from './layout.ts';
import type { Row } from './row.ts';
import { formatTime } from './time.ts';
import { __ } from '../kit/phrases.ts';
import type { Part } from '../kit/dom.ts';

export type Range = readonly [from: number, to: number];

/** With more bars than this, the overlap is not computed. */
const MOST_COMPARED = 50_000;

/** Computes for how long at least one row, and at least two rows, worked; undefined if there are too many bars for interactive use. */
export function workTogether(
  rows: readonly Row[],
  [from, to]: Range
): readonly [busy: number, overlap: number] | undefined {
  const steps: [time: number, change: number][] = [];
  for (const row of rows) {
    const { starts, ends, works } = row;
    for (let index = row.firstAfter(from); index < starts.length && starts[index]! < to; index += 1) {
      if (!works[index] || ends[index]! <= from) continue;
      steps.push([Math.max(from, starts[index]!), 1], [Math.min(to, ends[index]!), -1]);
      if (steps.length > 2 * MOST_COMPARED) return undefined;
    }
  }
  steps.sort(([a, up], [b, down]) => a - b || up - down);
  let [working, last, busy, overlap] = [0, from, 0, 0];
  for (const [time, change] of steps) {
    if (working > 0) busy += time - last;
    if (working > 1) overlap += time - last;
    working += change;
    last = time;
  }
  return [busy, overlap];
}

export function createMeasure(): Part<[range: Range | undefined, layout: Layout]> {
  const facts = createFacts();
  return {
    element: facts.element,
    update(range, layout) {
      if (range === undefined) {
        facts.update('', '', []);
        return;
      }
      const [from, to] = range;
      const span = to - from;
      const streams = layout.rows.filter(({ kind }) => kind === 'work');
      for (const { row } of streams) row.settle();
      const share = (time: number): string =>
        `${formatDuration(time)}, ${span > 0 ? Math.round((100 * time) / span) : 0} %`;
      const found: Fact[] = streams.map(({ row, title, device }) => [
        __('%1, %2, busy', title, device),
        share(row.workedUntil(to) - row.workedUntil(from))
      ]);
      const isSummed = streams.some(({ row }) => from < row.older.end);
      const together = workTogether(
        streams.map(({ row }) => row),
        range
      );
      if (isSummed) found.push([__('Overlap'), __('unknown for records that this page does not keep')]);
      else if (together === undefined)
        found.push([__('Overlap'), __('too many operations: measure a shorter range')]);
      else found.push([__('Overlap'), share(together[1])], [__('All idle'), share(span - together[0])]);
      facts.update(
        __('Measured %1', formatDuration(span)),
        __('from %1 to %2', formatTime(from, span), formatTime(to, span)),
        found
      );
    }
  };
}

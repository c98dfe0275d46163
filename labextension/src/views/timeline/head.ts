/** The line above the timeline: how much is recorded, on which clock, and notes on missing records. */

import { formatDuration } from '../../../../src/base/time-text.ts';
import { createBadge } from '../kit/badge.ts';
import { element, part, setText, setLine } from '../kit/dom.ts';
import type { Frame } from '../kit/framed.ts';
import type { Feed } from './feed.ts';
import type { Records } from './records.ts';
import { __ } from '../kit/phrases.ts';

export function createHead({ state }: Frame) {
  const facts = part('span', 'fact');
  const simulated = createBadge();
  const notice = part('p', 'empty');
  const title = element('strong', {}, __('Trace'));
  return {
    element: part('div', 'header', title, facts, simulated, state),
    notice,
    update({
      records,
      feed,
      isVirtual,
      streams,
      span
    }: {
      readonly records: Records;
      readonly feed: Feed;
      readonly isVirtual: boolean;
      readonly streams: number;
      /** Microseconds from the first record to the last. */
      readonly span: number;
    }): void {
      const { added } = feed.progress!;
      const texts = [added.toLocaleString(), streams, formatDuration(span)] as const;
      setText(facts, __('%1 records, %2 streams, %3', ...texts));
      simulated.show(
        isVirtual && 'simulated',
        __('virtual time'),
        __('Simulated time, not measured on a GPU.')
      );
      setLine(notice, noticeOf(records, feed));
    }
  };
}

function noticeOf(records: Records, { isWhole, progress }: Feed): string {
  const { added, dropped } = progress!;
  const here = records.kinds.length.toLocaleString();
  if (added === 0) return __('Nothing recorded: call trace.start(), then run your code.');
  const sentences = [
    !isWhole && records.kinds.length < added && __('Showing %1 records: the longest and the latest.', here),
    dropped > 0 &&
      __('The oldest %1 were dropped: trace.start({ capacity }) keeps more.', dropped.toLocaleString()),
    records.evicted > 0 && __('This page keeps %1 records; columns show earlier utilization.', here)
  ];
  return sentences.filter(Boolean).join(' ');
}

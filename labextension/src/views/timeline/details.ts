/** Details of one record. Memory blocks are requested from the kernel. */

import { NO_LANE } from '../../../../src/pictures/timeline/schema.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import type { Channel } from '../kit/view.ts';
import { createFacts, type Fact } from './facts.ts';
import { formatRate } from './rate.ts';
import type { Records } from './records.ts';
import { formatTime } from './time.ts';
import { __ } from '../kit/phrases.ts';

/** Milliseconds that a record must stay selected before the kernel is asked about it. */
const ASK_DELAY = 150;

export function createDetails(channel: Channel | undefined, records: Records, words: readonly string[]) {
  const panel = createFacts();
  let shown: number | undefined;
  let asked: readonly Fact[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;

  const draw = (): void => {
    const slot = records.slotOf(shown);
    if (slot === undefined) panel.update('', '', []);
    else
      panel.update(records.factsOf(slot).name, `${words[records.kinds[slot]!]} #${shown}`, [
        ...ownFacts(records, slot),
        ...asked
      ]);
  };
  const ask = async (number: number): Promise<void> => {
    // Without an answer, keep showing what the page knows.
    const answer = await channel?.request('details', { number }).catch(() => undefined);
    if (answer === undefined || number !== shown) return;
    asked = askedFacts(answer.content);
    draw();
  };
  return {
    element: panel.element,
    /** Shows a record; undefined: nothing is selected. */
    show(number: number | undefined, connected: boolean): void {
      if (number !== shown) {
        asked = [];
        clearTimeout(timer);
        if (connected && number !== undefined) timer = setTimeout(() => void ask(number), ASK_DELAY);
      }
      shown = number;
      draw();
    },
    dispose: (): void => clearTimeout(timer)
  };
}

function ownFacts({ columns, lanes, factsOf }: Records, slot: number): Fact[] {
  const { array, cell, labels } = factsOf(slot);
  const [start, duration, submitted, bytes] = [
    columns.start[slot]!,
    columns.duration[slot]!,
    columns.submitted[slot]!,
    columns.bytes[slot]!
  ];
  const lane = lanes[columns.lane[slot]!];
  const host = lanes[columns.host[slot]!];
  const waits = columns.waits[slot]!;
  const facts: Fact[] = [];
  const say = (isKnown: boolean, name: string, value: () => string): void => {
    if (isKnown) facts.push([name, value()]);
  };
  const isTimed = !Number.isNaN(start);
  say(lane !== undefined, __('Where'), () => `${lane!.name}, ${lane!.device}`);
  say(isTimed, __('Start'), () => formatTime(start, 1));
  say(isTimed, __('Duration'), () => formatDuration(duration));
  say(!isTimed && lane !== undefined, __('Start'), () => __('not done yet, or not timed'));
  say(!Number.isNaN(submitted), lane ? __('Submitted') : __('On the host'), () =>
    __('%1, in %2', formatTime(submitted, 1), formatDuration(columns.submitDuration[slot]!))
  );
  say(isTimed && submitted <= start, __('Queue delay'), () => formatDuration(start - submitted));
  say(bytes > 0, __('Size'), () => `${formatBytes(bytes)} (${bytes.toLocaleString()} B)`);
  say(bytes > 0 && duration > 0, __('Rate'), () => formatRate(bytes, duration));
  say(array !== null, __('Array'), () => array!);
  say(waits !== NO_LANE, __('Waits for'), () => lanes[waits]!.name);
  say(labels.length > 0, __('Labels'), () => labels.join(' › '));
  say(cell !== null, __('Cell'), () => cell!);
  say(host !== undefined, __('By'), () => host!.name);
  return facts;
}

function askedFacts({ blocks, allocatedBytes }: Readonly<Record<string, unknown>>): Fact[] {
  const facts = (Array.isArray(blocks) ? blocks : []).map(
    ({ pointer, bytes, access }: Record<string, unknown>, index): Fact => [
      __('Memory block %1', index),
      `${pointer as string}, ${formatBytes(Number(bytes))}, ${access === 'write' ? __('written') : __('read')}`
    ]
  );
  if (typeof allocatedBytes === 'number')
    facts.push([__('Allocated afterwards'), formatBytes(allocatedBytes)]);
  return facts;
}

/** Details of one record. Memory blocks are requested from the kernel. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import type { Part } from '../kit/dom.ts';
import type { Frame } from '../kit/framed.ts';
import { createFacts, type Fact } from './facts.ts';
import { formatRate, formatTime } from './time.ts';
import type { Entry, Records } from './records.ts';
import { __ } from '../kit/phrases.ts';

/** Milliseconds that a record must stay selected before the kernel is asked about it. */
const ASK_DELAY = 150;

/** Shows the record with a number; undefined: nothing is selected. */
export function createDetails(
  frame: Frame,
  records: Records,
  words: readonly string[]
): Part<[number: number | undefined]> {
  const panel = createFacts();
  let shown: number | undefined;
  let asked: readonly Fact[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  frame.signal.addEventListener('abort', () => clearTimeout(timer));

  const draw = (): void => {
    const slot = records.slotOf(shown);
    if (slot === undefined) return panel.update('', '', []);
    const entry = records.entryAt(slot);
    panel.update(entry.name, `${words[entry.kind]} #${shown}`, [...ownFacts(entry), ...asked]);
  };
  const ask = async (number: number): Promise<void> => {
    // Without an answer, keep showing what the page knows.
    const answer = await frame.channel?.request('details', { number }).catch(() => undefined);
    if (answer === undefined || number !== shown) return;
    asked = askedFacts(answer.content);
    draw();
  };
  return {
    element: panel.element,
    update(number) {
      if (number !== shown) {
        asked = [];
        clearTimeout(timer);
        if (frame.connected && number !== undefined) timer = setTimeout(() => void ask(number), ASK_DELAY);
      }
      shown = number;
      draw();
    }
  };
}

function ownFacts(entry: Entry): Fact[] {
  const { array, cell, labels, start, duration, submitted, bytes, lane, host, waits } = entry;
  const isTimed = !Number.isNaN(start);
  const facts: Fact[] = [];
  const say = (isKnown: boolean, name: string, value: () => string): void => {
    if (isKnown) facts.push([name, value()]);
  };
  say(lane !== undefined, __('Where'), () => `${lane!.name}, ${lane!.device}`);
  say(isTimed, __('Start'), () => formatTime(start, 1));
  say(isTimed, __('Duration'), () => formatDuration(duration));
  say(!isTimed && lane !== undefined, __('Start'), () => __('not done yet, or not timed'));
  say(!Number.isNaN(submitted), lane ? __('Submitted') : __('Host time'), () =>
    __('%1, took %2', formatTime(submitted, 1), formatDuration(entry.submitDuration))
  );
  say(isTimed && submitted <= start, __('Queue delay'), () => formatDuration(start - submitted));
  say(bytes > 0, __('Size'), () => `${formatBytes(bytes)} (${bytes.toLocaleString()} B)`);
  say(bytes > 0 && duration > 0, __('Rate'), () => formatRate(bytes, duration));
  say(array !== null, __('Array'), () => array!);
  say(waits !== undefined, __('Waits for'), () => waits!.name);
  say(labels.length > 0, __('Labels'), () => labels.join(' › '));
  say(cell !== null, __('Cell'), () => cell!);
  say(host !== undefined, __('Thread'), () => host!.name);
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

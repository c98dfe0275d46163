/** What a device's memory is used for now: a bar, and the same in words and numbers. */

import type { MemoryDevice } from '../../../../src/description/memory-schema.ts';
import { formatBytes } from '../../../../src/description/bytes-text.ts';
import { element, part, setText } from '../dom.ts';
import type { Phrases } from '../phrases.ts';

export interface UsageBar {
  readonly element: HTMLElement;
  /** `borrowed`: bytes of others that arrays here lie over. */
  update(device: MemoryDevice, borrowed: number): void;
}

/** Below this part of the device, what is held here gets a bar of its own. */
const SMALL = 0.1;

export function createUsageBar(phrases: Phrases): UsageBar {
  const words = {
    used: phrases.__('in use here'),
    waiting: phrases.__('waiting to be released'),
    kept: phrases.__('kept for later'),
    other: phrases.__('outside this library'),
    free: phrases.__('free')
  };
  const legend = part('ul', 'legend');
  const bar = part('div', 'mv-bar');
  const small = part('div', 'mv-bar');
  const label = part('span', 'muted');
  const lens = part('div', 'mv-lens', label, small);
  const parts = Object.entries(words).map(([name, word]) => {
    const make = (): HTMLElement => element('div', { 'data-part': name });
    const value = element('b');
    const boxes = [make(), make()] as const;
    bar.append(boxes[0]);
    small.append(boxes[1]);
    const entry = element('li', {}, element('i', { 'data-part': name }), value, ` ${word}`);
    legend.append(entry);
    return { name, boxes, value, entry };
  });
  const more = part('li', 'muted');
  legend.append(more);
  const sentence = element('p', { class: 'problem', role: 'alert' });
  return {
    element: part('div', 'mv-usage', sentence, bar, lens, legend),
    // Pictures that older versions saved do not tell what waits.
    update({ total, free, used, waiting = 0, kept, peak, problem }, borrowed) {
      const isLost = problem !== undefined;
      sentence.hidden = !isLost;
      setText(sentence, isLost ? phrases.__('The driver does not answer: %1', problem) : '');
      bar.hidden = legend.hidden = isLost;
      const held = used + waiting + kept;
      const sizes = [used, waiting, kept, Math.max(0, total - free - held), free];
      for (const [index, { name, boxes, value, entry }] of parts.entries()) {
        const bytes = sizes[index] as number;
        for (const box of boxes) {
          box.style.flexGrow = String(bytes);
          box.hidden = bytes === 0;
        }
        boxes[1].hidden ||= name === 'other' || name === 'free';
        entry.hidden = name === 'waiting' && bytes === 0;
        setText(value, formatBytes(bytes));
      }
      lens.hidden = held === 0 || held > SMALL * total;
      setText(label, phrases.__('%1 held:', formatBytes(held)));
      const facts = [
        peak === null ? '' : phrases.__('at most %1 in use so far', formatBytes(peak)),
        borrowed > 0 ? phrases.__('%1 borrowed from others', formatBytes(borrowed)) : ''
      ];
      setText(more, facts.filter(Boolean).join(' · '));
    }
  };
}

/** What a device's memory is used for now: a bar, and the same in words and numbers. */

import type { MemoryDevice } from '../../../../src/description/memory-schema.ts';
import { formatBytes } from '../array-inspector/format.ts';
import { element, setAttribute, setText } from '../dom.ts';
import type { Phrases } from '../phrases.ts';

export interface UsageBar {
  readonly element: HTMLElement;
  /** `borrowed`: bytes of others that arrays here lie over. */
  update(device: MemoryDevice, borrowed: number): void;
}

export function createUsageBar(phrases: Phrases): UsageBar {
  const words = [
    ['used', phrases.__('in use here'), phrases.__('Blocks that arrays of this library have')],
    ['kept', phrases.__('kept for later'), phrases.__('Held by pools, or until frees are carried out')],
    [
      'other',
      phrases.__('outside this library'),
      phrases.__("Other processes, other libraries, and the driver's own context and code")
    ],
    ['free', phrases.__('free'), phrases.__('Free as the driver counts')]
  ] as const;
  const legend = element('ul', { class: 'stridelab-memory-legend' });
  const parts = words.map(([name, word, title]) => {
    const bar = element('div', { 'data-part': name, title: `${word}: ${title}` });
    const value = element('b');
    legend.append(
      element('li', { title }, element('i', { 'data-part': name, 'aria-hidden': 'true' }), value, ` ${word}`)
    );
    return { bar, value };
  });
  const more = element('li', { class: 'stridelab-muted' });
  legend.append(more);
  const peak = element('div', { class: 'stridelab-memory-peak' });
  const bar = element(
    'div',
    { class: 'stridelab-memory-bar', 'aria-hidden': 'true' },
    ...parts.map(part => part.bar),
    peak
  );
  return {
    element: element('div', { class: 'stridelab-memory-usage' }, bar, legend),
    update(device, borrowed) {
      const { total, free, used, kept } = device;
      const sizes = [used, kept, Math.max(0, total - free - used - kept), free];
      for (const [index, part] of parts.entries()) {
        const bytes = sizes[index] as number;
        part.bar.style.flexGrow = String(bytes);
        part.bar.hidden = bytes === 0;
        setText(part.value, formatBytes(bytes));
      }
      peak.hidden = device.peak === null;
      peak.style.left = `${((device.peak ?? 0) / total) * 100}%`;
      const most = formatBytes(device.peak ?? 0);
      setAttribute(peak, 'title', phrases.__('at most %1 in use', most));
      const sentences = [
        device.peak === null ? '' : phrases.__('at most %1 in use since the log was started', most),
        borrowed > 0 ? phrases.__('%1 borrowed from other libraries', formatBytes(borrowed)) : ''
      ];
      setText(more, sentences.filter(sentence => sentence !== '').join(' · '));
    }
  };
}

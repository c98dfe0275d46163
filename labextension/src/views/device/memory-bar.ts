/** How full the memory of a device is: one bar, and the same in words and figures below it. */

import type { DeviceMemoryPicture } from '../../../../src/description/device/schema.ts';
import { formatBytes } from '../../../../src/description/bytes-text.ts';
import { element, setAttribute, setText } from '../dom.ts';
import type { Phrases } from '../phrases.ts';

export interface MemoryBar {
  readonly element: HTMLElement;
  /** Null memory: `problem` says why the driver does not answer. */
  update(memory: DeviceMemoryPicture | null, problem: string | null): void;
}

export function createMemoryBar(phrases: Phrases): MemoryBar {
  const ours = element('span', { class: 'memory-ours' });
  const others = element('span', { class: 'memory-others' });
  const waiting = element('span', { class: 'memory-waiting' });
  const bar = element('div', { class: 'memory-bar', role: 'img' }, ours, waiting, others);
  const entries = ['ours', 'waiting', 'others', 'free'].map(kind => {
    const text = element('span');
    const swatch = element('span', {
      class: `swatch memory-${kind}`,
      'aria-hidden': 'true'
    });
    return { text, element: element('li', {}, swatch, text) };
  });
  const legend = element('ul', { class: 'legend' }, ...entries.map(entry => entry.element));
  const sentence = element('p', { class: 'problem' });
  return {
    element: element('div', { class: 'memory' }, bar, legend, sentence),
    update(memory, problem) {
      bar.hidden = legend.hidden = memory === null;
      sentence.hidden = memory !== null;
      setText(sentence, phrases.__('The driver does not answer: %1', problem ?? ''));
      if (memory === null) return;
      const used = memory.total - memory.free;
      // Older versions saved none.
      const released = memory.waiting ?? 0;
      const rest = Math.max(used - memory.ours - released, 0);
      // By the object model: a style attribute would be refused by a strict content security policy.
      ours.hidden = memory.ours === 0;
      waiting.hidden = released === 0;
      others.hidden = rest === 0;
      ours.style.width = percent(memory.ours, memory.total);
      waiting.style.width = percent(released, memory.total);
      others.style.width = percent(rest, memory.total);
      setAttribute(
        bar,
        'aria-label',
        phrases.__('%1 of %2 in use', formatBytes(used), formatBytes(memory.total))
      );
      const texts = [
        phrases.__('%1 in blocks of this process', formatBytes(memory.ours)),
        released === 0 ? '' : phrases.__('%1 waiting to be released', formatBytes(released)),
        phrases.__('%1 reserved by pools, contexts and other processes', formatBytes(rest)),
        phrases.__('%1 free of %2', formatBytes(memory.free), formatBytes(memory.total))
      ];
      entries.forEach(({ text, element: entry }, index) => {
        setText(text, texts[index] ?? '');
        entry.hidden = texts[index] === '';
      });
    }
  };
}

const percent = (part: number, whole: number): string => `${whole > 0 ? (100 * part) / whole : 0}%`;

/** Current use of a device's memory: a stacked bar, and a legend with labels and numbers. */

import type { MemoryDevice } from '../../../../src/pictures/memory/schema.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { element, part, setText, type Part, setLine } from '../kit/dom.ts';
import { createLegend, createPartBar } from '../kit/part-bar.ts';
import { __ } from '../kit/phrases.ts';

/** Below this fraction of the device, the memory held here gets a separate bar. */
const SMALL = 0.1;

/** Creates the bar. `borrowed`: bytes of external memory that arrays here view. */
export function createUsageBar(): Part<[device: MemoryDevice, borrowed: number]> {
  const words = {
    used: __('in use'),
    waiting: __('pending release'),
    kept: __('reserved'),
    other: __('other use'),
    free: __('free')
  };
  const names = Object.keys(words);
  const legend = createLegend(names);
  const bar = createPartBar(names);
  const small = createPartBar(names.slice(0, 3));
  const label = part('span', 'muted');
  const lens = part('div', 'mv-lens', label, small);
  const values = Object.values(words).map((word, index) => {
    const value = element('b');
    legend.entries[index]?.text.append(value, ` ${word}`);
    return value;
  });
  const more = part('li', 'muted');
  legend.element.append(more);
  const sentence = element('p', { class: 'problem', role: 'alert' });
  return {
    element: part('div', 'mv-usage', sentence, bar, lens, legend),
    // Pictures saved by older versions have no `waiting`.
    update({ total, free, used, waiting = 0, kept, peak, problem }, borrowed) {
      const isLost = problem !== undefined;
      setLine(sentence, isLost ? __('The driver does not respond: %1', problem) : '');
      bar.element.hidden = legend.element.hidden = isLost;
      const held = used + waiting + kept;
      const sizes = [used, waiting, kept, Math.max(0, total - free - held), free];
      bar.update(sizes);
      small.update(sizes);
      for (const [index, value] of values.entries()) setText(value, formatBytes(sizes[index] ?? 0));
      const entry = legend.entries[names.indexOf('waiting')];
      if (entry !== undefined) entry.element.hidden = waiting === 0;
      lens.hidden = held === 0 || held > SMALL * total;
      setText(label, __('%1 held:', formatBytes(held)));
      const facts = [
        peak === null ? '' : __('peak %1', formatBytes(peak)),
        borrowed > 0 ? __('%1 external', formatBytes(borrowed)) : ''
      ];
      setText(more, facts.filter(Boolean).join(' · '));
    }
  };
}

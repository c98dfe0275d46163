/** Memory use of a device: a bar, and the same figures in words below it. */

import type { DeviceMemoryPicture } from '../../../../src/pictures/device/schema.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { part, setAttribute, setText, type Part, setLine } from '../kit/dom.ts';
import { createLegend, createPartBar } from '../kit/part-bar.ts';
import { __ } from '../kit/phrases.ts';

/** Creates the bar. If `memory` is null, `problem` is the driver's error. */
export function createMemoryBar(): Part<[memory: DeviceMemoryPicture | null, problem: string | null]> {
  const names = ['used', 'waiting', 'other', 'free'];
  const bar = createPartBar(names);
  setAttribute(bar.element, 'role', 'img');
  const legend = createLegend(names);
  const sentence = part('p', 'problem');
  return {
    element: part('div', 'memory', bar, legend, sentence),
    update(memory, problem) {
      bar.element.hidden = legend.element.hidden = memory === null;
      setLine(sentence, memory === null ? __('The driver does not respond: %1', problem ?? '') : '');
      if (memory === null) return;
      const { total, free, ours } = memory;
      // Older versions did not save it.
      const waiting = memory.waiting ?? 0;
      const rest = Math.max(total - free - ours - waiting, 0);
      bar.update([ours, waiting, rest, free]);
      setAttribute(
        bar.element,
        'aria-label',
        __('%1 of %2 in use', formatBytes(total - free), formatBytes(total))
      );
      const texts = [
        __('%1 in blocks of this process', formatBytes(ours)),
        waiting === 0 ? '' : __('%1 pending release', formatBytes(waiting)),
        __('%1 reserved by pools, contexts and other processes', formatBytes(rest)),
        __('%1 free of %2', formatBytes(free), formatBytes(total))
      ];
      legend.entries.forEach((entry, index) => {
        setText(entry.text, texts[index] ?? '');
        entry.element.hidden = texts[index] === '';
      });
    }
  };
}

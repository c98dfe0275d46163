/** Cells with a bar of memory, and the same figures as text below it. */

import { element, part, setText, type Part } from '../kit/dom.ts';
import { createPartBar } from '../kit/part-bar.ts';

/** Creates the meter. `names` are the patterns of the parts. */
export function createMeter(names: readonly string[]): Part<[sizes: readonly number[], text: string]> {
  const bar = createPartBar(names);
  bar.element.setAttribute('aria-hidden', 'true');
  const words = element('span');
  return {
    element: part('div', 'meter', bar, words),
    update(sizes, text) {
      bar.update(sizes);
      setText(words, text);
    }
  };
}

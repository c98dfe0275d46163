/** A bar of memory uses. Each part has a separate pattern, chosen by name, in the bar and in the legend below it. */

import { element, part, type Part } from './dom.ts';

/** Creates the bar. It takes one size per part, and does not draw empty parts. */
export function createPartBar(names: readonly string[]): Part<[sizes: readonly number[]]> {
  const boxes = names.map(name => element('div', { 'data-part': name }));
  return {
    element: part('div', 'parts', ...boxes),
    update(sizes) {
      for (const [index, box] of boxes.entries()) {
        const size = sizes[index] ?? 0;
        // Set through the DOM: a strict content security policy would refuse a style attribute.
        box.style.flexGrow = String(size);
        box.hidden = size === 0;
      }
    }
  };
}

/** Creates a legend whose entries start with the part's pattern. */
export function createLegend(names: readonly string[]): {
  readonly element: HTMLElement;
  readonly entries: readonly { readonly element: HTMLElement; readonly text: HTMLElement }[];
} {
  const entries = names.map(name => {
    const text = element('span');
    const swatch = element('i', { 'data-part': name, 'aria-hidden': 'true' });
    return { element: element('li', {}, swatch, text), text };
  });
  return { element: part('ul', 'legend', ...entries.map(entry => entry.element)), entries };
}

/** The small parts that the panels are made of. */

import { element, setAttribute } from '../dom.ts';

/** Does nothing while `aria-disabled` is true: its reason can then still be reached and read. */
export function button(
  text: string,
  press: () => void,
  tip = '',
  name = 'stridelab-button'
): HTMLButtonElement {
  const created = element(
    'button',
    { class: name, type: 'button', 'data-lm-suppress-shortcuts': 'true' },
    text
  );
  setAttribute(created, 'title', tip || null);
  created.addEventListener('click', () => {
    if (created.getAttribute('aria-disabled') !== 'true') press();
  });
  return created;
}

export function choice(
  label: string,
  texts: readonly string[],
  changed: (index: number) => void
): HTMLSelectElement {
  const options = texts.map(text => element('option', {}, text));
  const created = element('select', { class: 'stridelab-button', 'aria-label': label }, ...options);
  created.addEventListener('change', () => changed(created.selectedIndex));
  return created;
}

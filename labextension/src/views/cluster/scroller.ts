/** A region that scrolls in both directions, also with the keyboard. */

import { element, type Child } from '../kit/dom.ts';

export function createScroller(label: string, content: Child): HTMLElement {
  return element('div', { class: 'scroller', role: 'region', 'aria-label': label, tabindex: '0' }, content);
}

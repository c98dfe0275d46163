/** Cells of names, which the style sheet shortens. */

import { setAttribute, setText } from '../kit/dom.ts';

/** Writes a name; the tooltip has all of it, and `more` in a second line. */
export function setName(cell: HTMLElement, name: string, more = ''): void {
  setText(cell, name);
  setAttribute(cell, 'title', `${name}\n${more}`.trim());
}

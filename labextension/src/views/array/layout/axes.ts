/** Letter and colour of each axis, consistent across all parts. */

import { element } from '../../kit/dom.ts';

const LETTERS = 'ijklmnpqrstuvw';
/** Number of colours in the style sheet; letters distinguish axes that share one. */
const COLORS = 6;

export function axisLetter(axis: number): string {
  return LETTERS[axis] ?? `x${axis}`;
}

/** Creates text in the colour of an axis. */
export function axisText(axis: number, text: string | number): HTMLElement {
  return element('b', { 'data-axis': String(axis % COLORS) }, String(text));
}

/** A letter and a colour for each axis, the same wherever the axis is shown. */

import { element } from '../../kit/dom.ts';

const LETTERS = 'ijklmnpqrstuvw';
/** Colours of the style sheet; letters tell axes apart that share one. */
const COLORS = 6;

export function axisLetter(axis: number): string {
  return LETTERS[axis] ?? `x${axis}`;
}

/** Text in the colour of an axis. */
export function axisText(axis: number, text: string | number): HTMLElement {
  return element('b', { 'data-axis': String(axis % COLORS) }, String(text));
}

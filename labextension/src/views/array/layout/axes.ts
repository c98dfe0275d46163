/** Letter and colour of each axis, consistent across all parts. */

import { element } from '../../kit/dom.ts';

const LETTERS = 'ijklmnpqrstuvw';
/** Style sheets mix them with the text's colour; letters distinguish axes that share one. */
const COLOURS = ['#d1495b', '#1f77d0', '#2b9348', '#b5651d', '#8e44ad', '#00868b'];

export function axisLetter(axis: number): string {
  return LETTERS[axis] ?? `x${axis}`;
}

export function axisText(axis: number, text: string | number): HTMLElement {
  const named = element('b', { 'data-axis': '' }, String(text));
  named.style.setProperty('--axis', COLOURS[axis % COLOURS.length]!);
  return named;
}

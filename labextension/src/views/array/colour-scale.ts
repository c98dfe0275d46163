/** Colours cells by value: a checkbox and the scale beside it. The style sheets define the colours. */

import { createField } from '../kit/controls.ts';
import { element, part, setAttribute, setText } from '../kit/dom.ts';
import { __ } from '../kit/phrases.ts';

/** `diverging`: two colours, one below zero and one above. `sequential`: from zero to the maximum. */
export type ScaleKind = 'diverging' | 'sequential';

/** Number of steps of scales between full colours; none is so close to the middle that text is unreadable on it. */
const STEPS = 5;

export function createColourScale(changed: () => void) {
  const box = createField(__('Colour'), { type: 'checkbox' }, changed);
  const ends = [element('span'), element('span')] as const;
  const legend = part('span', 'scale', ends[0], element('i'), ends[1]);
  let shown: ScaleKind | null = null;
  return {
    elements: [box.element, legend] as readonly HTMLElement[],
    /** Updates the scale; null kind: there is nothing to colour. Returns whether cells are coloured. */
    show(kind: ScaleKind | null, low: string, high: string): boolean {
      shown = box.input.checked ? kind : null;
      box.element.hidden = kind === null;
      legend.hidden = shown === null;
      setAttribute(legend, 'data-scale', shown);
      setText(ends[0], low);
      setText(ends[1], high);
      return shown !== null;
    },
    /** Colours a cell. `share` is from -1 to 1 on a diverging scale, from 0 to 1 on a sequential one, and null for none. */
    tint(cell: HTMLElement, share: number | null): void {
      const size = Math.abs(share ?? 0);
      const kind = shown === 'sequential' ? 'amount' : (share ?? 0) < 0 ? 'negative' : 'positive';
      // Zero is the start of a sequential scale, but uncoloured in a diverging one.
      const plain = shown === null || share === null || (size === 0 && shown === 'diverging');
      setAttribute(cell, 'data-tint', plain ? null : kind);
      const step = Math.round(size * STEPS) / STEPS;
      // Beyond the middle the text has the contrasting colour.
      setAttribute(cell, 'data-far', !plain && step > 0.5 ? '' : null);
      cell.style.setProperty('--hue', `var(--sd-${kind})`);
      cell.style.setProperty('--share', percent(size));
      cell.style.setProperty('--step', percent(step));
    }
  };
}

const percent = (share: number): string => `${Math.round(share * 100)}%`;

/** The range of a histogram: that of the values, or one that the user pins with a button or by its ends. */

import type { Parameters } from '../../../../src/pictures/kit/live-messages.ts';
import type { HistogramDescription } from '../../../../src/pictures/array/statistics-schema.ts';
import { createButton, createField } from '../kit/controls.ts';
import { element, setAttribute, setText } from '../kit/dom.ts';
import { formatCount, __ } from '../kit/phrases.ts';

/** Creates the range. `changed` is called when counts for another range are needed. */
export function createPinnedRange(changed: () => void) {
  let shown: HistogramDescription | undefined;
  let ends: readonly [low: number, high: number] | undefined;

  const pinTo = (range: readonly [number, number] | undefined): void => {
    ends = range;
    setAttribute(pin, 'aria-pressed', String(ends !== undefined));
    changed();
  };
  /** Pins the entered ends; an empty field means the current end. It stays empty, since the user may be about to type. */
  const entered = (): void => {
    const texts = [low, high].map(({ input }) => input.value.trim());
    const now = shown && rangeOf(shown);
    if (texts.every(text => text === '') || now === undefined) pinTo(undefined);
    else pinTo([0, 1].map(end => (texts[end] === '' ? now[end]! : Number(texts[end]))) as [number, number]);
  };
  const low = createField(__('From'), { size: '9' }, entered);
  const high = createField(__('to'), { size: '9' }, entered);
  const pin = createButton(
    __('Pin range'),
    __('Keep this range while the values change; press again to follow them'),
    () => {
      const range = ends === undefined && shown ? rangeOf(shown) : undefined;
      [low, high].forEach(({ input }, end) => (input.value = range ? String(range[end]) : ''));
      pinTo(range);
    }
  );
  const sentence = element('p', { class: 'readout', role: 'status', hidden: '' });
  setAttribute(pin, 'aria-pressed', 'false');

  return {
    elements: [low.element, high.element, pin] as readonly HTMLElement[],
    /** States the pinned ends and how many elements lie outside; hidden while nothing is pinned. */
    sentence,
    get isPinned(): boolean {
      return ends !== undefined;
    },
    get parameters(): Parameters {
      return ends ? { low: ends[0], high: ends[1] } : {};
    },
    show(histogram: HistogramDescription): void {
      shown = histogram;
      sentence.hidden = ends === undefined;
      if (ends === undefined) return;
      const { below, above } = histogram;
      const outside =
        below + above === 0
          ? __('no elements outside.')
          : __('%1 elements below and %2 above.', formatCount(below), formatCount(above));
      setText(sentence, __('Pinned from %1 to %2: %3', ...ends, outside));
    }
  };
}

/** Returns the ends of the displayed histogram, rounded outwards to few digits so that no element is excluded. */
function rangeOf({ counts, low, width, whole }: HistogramDescription): readonly [number, number] {
  const high = low + counts.length * width;
  if (whole) return [low, Math.max(low + 1, high - 1)];
  const span = high - low || Math.abs(low) || 1;
  const step = 10 ** Math.floor(Math.log10(span) - 5);
  const rounded = (value: number): number => Number((value * step).toPrecision(12));
  return [rounded(Math.floor(low / step)), rounded(Math.ceil(high / step + 1e-6))];
}

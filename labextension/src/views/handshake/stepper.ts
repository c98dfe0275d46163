/** Steps back and forward with buttons, arrow keys and a slider; the step's sentence is announced. */

import { createButton } from '../kit/controls.ts';
import { element, part, type Part, setAttribute, setProse, setText } from '../kit/dom.ts';
import { isCombined, onKeys } from '../kit/cursor.ts';
import type { Shown } from './shown.ts';
import { __ } from '../kit/phrases.ts';

const KEYS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };

/** Creates the stepper. `goTo` accepts any number, and null for all steps. */
export function createStepper(goTo: (step: number | null) => void): Part<[shown: Shown]> {
  let now: number | null = null;
  let last = 0;
  const move = (by: number): void => goTo(now === null ? (by > 0 ? 0 : last) : now + by);
  const whole = createButton(__('Show all'), '', () => goTo(null));
  const slider = element('input', { type: 'range', min: '1', 'aria-label': __('Step') });
  slider.addEventListener('input', () => goTo(Number(slider.value) - 1));
  const controls = element(
    'div',
    { class: 'stepper', role: 'group', 'aria-label': __('Steps') },
    createButton(__('◀ Back'), '', () => move(-1)),
    slider,
    createButton(__('Next ▶'), '', () => move(1)),
    whole
  );
  onKeys(controls, event => {
    const { key } = event;
    if (isCombined(event) || event.shiftKey) return false;
    if (KEYS[key] !== undefined) move(KEYS[key]);
    else if (key === 'Home') goTo(0);
    else if (key === 'End') goTo(last);
    else if (key === 'Escape') goTo(null);
    else return false;
    return true;
  });
  const number = element('strong');
  const sentence = element('span');
  const rules = part('span', 'muted');
  return {
    element: element(
      'div',
      {},
      controls,
      element('p', { class: 'sentence', role: 'status' }, number, ' ', sentence, ' ', rules)
    ),
    update({ steps, step }) {
      now = step;
      last = steps.length - 1;
      const found = step === null ? undefined : steps[step];
      const place = step === null ? __('%1 steps', steps.length) : __('%1 of %2', step + 1, steps.length);
      slider.max = String(steps.length);
      slider.value = String(step === null ? steps.length : step + 1);
      setAttribute(slider, 'aria-valuetext', place);
      setAttribute(whole, 'aria-pressed', String(step === null));
      setText(number, place);
      setProse(
        sentence,
        found
          ? __(...found.says)
          : __(
              'Bars are device work: filled for writes, open for reads. ◆ is an event, = a wait for it. Use the buttons or arrow keys to step.'
            )
      );
      setText(rules, found?.rules.length ? __('Rules: %1', found.rules.join(', ')) : '');
    }
  };
}

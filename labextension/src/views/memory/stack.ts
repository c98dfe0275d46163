/** Where an allocation was made, in a table or a list. */

import { element, setText, type Part } from '../kit/dom.ts';
import { __ } from '../kit/phrases.ts';

/** Creates a stack that shows its innermost frame and expands; an unknown one is a dash outside the tab order. */
export function createStack(): Part<[stack: string]> {
  const summary = element('summary');
  const frames = element('pre');
  const details = element('details', {}, summary, frames);
  const none = element('span', { title: __('unknown') }, '–');
  return {
    element: element('div', {}, details, none),
    update(stack) {
      details.hidden = stack === '';
      none.hidden = stack !== '';
      setText(summary, stack.split('\n')[0]?.replace('at ', '') ?? '');
      setText(frames, stack);
    }
  };
}

/** Helpers shared by the parts of the memory picture: keys and stacks. */

import { isCombined, onKeys } from '../kit/cursor.ts';
import { element, setText, type Part } from '../kit/dom.ts';
import { __ } from '../kit/phrases.ts';

/** Calls `go` with the target of a navigation key. */
export function onIndexKeys(
  target: HTMLElement,
  targets: () => Readonly<Record<string, number>>,
  go: (index: number) => void
): void {
  onKeys(target, event => {
    const index = isCombined(event) ? undefined : targets()[event.key];
    if (index !== undefined) go(index);
    return index !== undefined;
  });
}

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

/** List of failed allocation requests, each with its reason. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import { createButton } from '../kit/controls.ts';
import { createKeyedList, element, part, type Part, setText } from '../kit/dom.ts';
import { createStack } from './stack.ts';
import type { Failure } from './history.ts';
import { __ } from '../kit/phrases.ts';

/** Number of rows shown; the latest are kept. */
const MOST_ROWS = 20;

/** Creates the list. `show` moves the cursor to the event with that number. */
export function createFailureList(show: (number: number) => void): Part<[failures: readonly Failure[]]> {
  const root = part('ul', 'mv-failures');
  const list = createKeyedList<Failure>(
    root,
    ({ number }) => String(number),
    ({ number }) => {
      const head = element('b');
      const why = element('span');
      const stack = createStack();
      const button = createButton(__('Show'), '', () => show(number));
      return {
        element: element('li', {}, head, why, button, stack),
        update({ bytes, cell, at, reason, stack: frames }) {
          setText(head, __('✕ %1 refused', formatBytes(bytes)));
          setText(why, `${[cell, formatDuration(1000 * at)].filter(Boolean).join(', ')}. ${reason}`);
          stack.update(frames);
          stack.element.hidden = frames === '';
        }
      };
    }
  );
  return {
    element: root,
    update(failures) {
      root.hidden = failures.length === 0;
      list(failures.slice(-MOST_ROWS));
    }
  };
}

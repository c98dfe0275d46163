/** Requests that were refused, each with a sentence why. */

import { formatBytes } from '../array-inspector/format.ts';
import { createKeyedList, element, setText } from '../dom.ts';
import type { Phrases } from '../phrases.ts';
import { formatTime } from './format.ts';
import type { Failure } from './history.ts';

export interface FailureList {
  readonly element: HTMLElement;
  update(failures: readonly Failure[]): void;
}

/** Rows that are shown, the latest. */
const MOST_ROWS = 20;

/** `show` moves the cursor to the event of that number. */
export function createFailureList(phrases: Phrases, show: (number: number) => void): FailureList {
  const titles = [
    phrases.__('Asked for'),
    phrases.__('Free on the device'),
    phrases.__('Largest hole'),
    phrases.__('Cell'),
    phrases.__('Time')
  ];
  const body = element('tbody');
  const caption = element('caption');
  const root = element(
    'table',
    { class: 'stridelab-table stridelab-memory-failures' },
    caption,
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        ...[...titles, phrases.__('Why')].map(title => element('th', { scope: 'col' }, title))
      )
    ),
    body
  );
  const list = createKeyedList<Failure>(
    body,
    ({ number }) => String(number),
    ({ number }) => {
      const cells = titles.map(() => element('td'));
      const why = element('span');
      const button = element(
        'button',
        { class: 'stridelab-button', type: 'button', 'data-lm-suppress-shortcuts': 'true' },
        phrases.__('Show')
      );
      button.addEventListener('click', () => show(number));
      const stack = element('pre');
      const details = element('details', {}, element('summary', {}, phrases.__('Where')), stack);
      return {
        element: element('tr', {}, ...cells, element('td', {}, why, ' ', button, details)),
        update(failure) {
          const known = (bytes: number): string => (bytes < 0 ? '–' : formatBytes(bytes));
          const { bytes, free, largest, cell, at } = failure;
          const texts = [`✕ ${formatBytes(bytes)}`, known(free), known(largest), cell || '–', formatTime(at)];
          for (const [index, text] of texts.entries()) setText(cells[index] as HTMLElement, text);
          setText(why, failure.reason);
          setText(stack, failure.stack);
          details.hidden = failure.stack === '';
        }
      };
    }
  );
  return {
    element: root,
    update(failures) {
      root.hidden = failures.length === 0;
      setText(
        caption,
        failures.length === 1
          ? phrases.__('One request was refused')
          : phrases.__('%1 requests were refused', failures.length)
      );
      list(failures.slice(-MOST_ROWS));
    }
  };
}

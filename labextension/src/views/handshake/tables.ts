/** The tables of a handshake: its steps in sentences, and what each stream argument means. */

import type { StreamArgument } from '../../../../src/description/handshake/schema.ts';
import type { Says } from '../../../../src/description/handshake/steps.ts';
import { createKeyedList, element, setAttribute, setProse, setText } from '../dom.ts';
import type { Phrases } from '../phrases.ts';

export interface StepRow {
  readonly number: number;
  readonly time: string;
  readonly says: Says;
  readonly rules: readonly number[];
  readonly now: boolean;
}

interface Table<Row> {
  readonly element: HTMLElement;
  update(rows: readonly Row[], caption: string): void;
}

/** `rules 73, 75`; empty for none. */
export function rulesText(rules: readonly number[], { __ }: Phrases): string {
  if (rules.length === 0) return '';
  return rules.length === 1 ? __('rule %1', rules[0] as number) : __('rules %1', rules.join(', '));
}

/** Cells as sentences; the first is the head of its row. A row of `now` is where the reader is. */
function createTable<Row>(
  headings: readonly string[],
  cells: (row: Row) => readonly string[],
  isNow: (row: Row) => boolean
): Table<Row> {
  const caption = element('caption');
  const body = element('tbody');
  const update = createKeyedList<readonly [key: number, row: Row]>(
    body,
    ([key]) => String(key),
    () => {
      const columns = headings.map((_, index) =>
        element(index === 0 ? 'th' : 'td', index === 0 ? { scope: 'row' } : {})
      );
      const row = element('tr', {}, ...columns);
      return {
        element: row,
        update([, item]) {
          setAttribute(row, 'aria-current', isNow(item) ? 'step' : null);
          for (const [index, text] of cells(item).entries()) setProse(columns[index] as HTMLElement, text);
        }
      };
    }
  );
  const head = headings.map(text => element('th', { scope: 'col' }, text));
  return {
    element: element(
      'table',
      { class: 'stridelab-table stridelab-handshake-table' },
      caption,
      element('thead', {}, element('tr', {}, ...head)),
      body
    ),
    update(rows, text) {
      setText(caption, text);
      update(rows.map((row, index) => [index, row]));
    }
  };
}

export function createStepTable(phrases: Phrases): Table<StepRow> {
  const { __ } = phrases;
  return createTable<StepRow>(
    [__('Step'), __('Time'), __('What happens'), __('Rules')],
    ({ number, time, says, rules }) => [String(number), time, __(...says), rules.join(', ')],
    row => row.now
  );
}

/** `used` is the argument of the exchange that is shown. */
export function createArgumentTable({ __ }: Phrases): Table<StreamArgument & { readonly used: boolean }> {
  return createTable<StreamArgument & { readonly used: boolean }>(
    [__('stream'), __('Means'), __('What goes wrong'), __('Rules')],
    ({ value, meaning, trap, rules, used }) => [
      used ? __('`%1` ← here', value) : `\`${value}\``,
      __(meaning),
      __(trap),
      rules.join(', ')
    ],
    row => row.used
  );
}

/** What is alive at the cursor, as a table that can be sorted: the alternative to both drawings. */

import { formatBytes } from '../array-inspector/format.ts';
import { createKeyedList, element, setAttribute, setText } from '../dom.ts';
import type { KeyedChild } from '../dom.ts';
import type { Phrases } from '../phrases.ts';
import { formatTime, ownerWords } from './format.ts';
import type { Allocation } from './history.ts';
import { colourOf } from './block-map.ts';

/** Rows that are shown at first, and that a press of the button adds. */
const STEP = 50;

export interface AllocationTable {
  readonly element: HTMLElement;
  /** `now`: time at the cursor, for ages. */
  update(caption: string, rows: readonly Allocation[], now: number, selected: number | null): void;
}

type Key = 'bytes' | 'owner' | 'what' | 'cell' | 'stream' | 'madeAt';

export function createAllocationTable(phrases: Phrases, select: (id: number) => void): AllocationTable {
  const columns: readonly (readonly [Key, string])[] = [
    ['bytes', phrases.__('Size')],
    ['owner', phrases.__('Variable')],
    ['what', phrases.__('Array')],
    ['cell', phrases.__('Cell')],
    ['stream', phrases.__('Stream')],
    ['madeAt', phrases.__('Age')]
  ];
  let sorted: Key = 'bytes';
  let direction = -1;
  let limit = STEP;
  let shown: Parameters<AllocationTable['update']> = ['', [], 0, null];
  const heads = columns.map(([key, label]) => {
    const button = element(
      'button',
      { class: 'stridelab-memory-sort', type: 'button', 'data-lm-suppress-shortcuts': 'true' },
      label
    );
    button.addEventListener('click', () => {
      direction = sorted === key ? -direction : key === 'bytes' ? -1 : 1;
      sorted = key;
      refresh();
    });
    return element('th', { scope: 'col' }, button);
  });
  const body = element('tbody');
  const caption = element('caption');
  const table = element(
    'table',
    { class: 'stridelab-table' },
    caption,
    element('thead', {}, element('tr', {}, ...heads, element('th', { scope: 'col' }, phrases.__('Made at')))),
    body
  );
  const more = element('button', { class: 'stridelab-button', type: 'button' });
  more.addEventListener('click', () => {
    limit += STEP;
    refresh();
  });

  const createRow = ({ id }: Allocation): KeyedChild<Allocation> => {
    const cells = columns.map(([key]) =>
      element('td', key === 'bytes' ? { class: 'stridelab-number' } : {})
    );
    const swatch = element('i', { 'aria-hidden': 'true' });
    const owner = element('span');
    cells[1]?.append(swatch, owner);
    const summary = element('summary', { 'data-lm-suppress-shortcuts': 'true' });
    const frames = element('pre');
    const details = element('details', {}, summary, frames);
    const row = element('tr', {}, ...cells, element('td', {}, details));
    row.addEventListener('click', () => select(id));
    return {
      element: row,
      update(allocation) {
        const { bytes, what, cell, stream, stack, made, madeAt } = allocation;
        const age = made < 0 ? phrases.__('before the log') : formatTime(Math.max(0, shown[2] - madeAt));
        const texts = [formatBytes(bytes), null, what, cell, stream, age];
        for (const [index, text] of texts.entries())
          if (text !== null) setText(cells[index] as HTMLElement, text || '–');
        setAttribute(cells[0] as HTMLElement, 'title', phrases.__('%1 bytes', bytes.toLocaleString()));
        setText(owner, ownerWords(allocation, phrases));
        setAttribute(swatch, 'data-owner', String(colourOf(allocation)));
        const [first = ''] = stack.split('\n');
        setText(summary, first.replace(/^at /, ''));
        setText(frames, stack);
        details.hidden = stack === '';
        setAttribute(row, 'aria-current', id === shown[3] ? 'true' : null);
      }
    };
  };
  const list = createKeyedList<Allocation>(body, ({ id }) => String(id), createRow);

  const refresh = (): void => {
    const [text, rows] = shown;
    setText(caption, text);
    for (const [index, head] of heads.entries()) {
      const isSorted = columns[index]?.[0] === sorted;
      setAttribute(head, 'aria-sort', isSorted ? (direction < 0 ? 'descending' : 'ascending') : null);
    }
    // Those without a text come last, whichever way.
    const ordered = [...rows].sort((a, b) => {
      const [left, right] = [a[sorted], b[sorted]];
      if (left === right) return b.bytes - a.bytes || a.id - b.id;
      if (left === '' || right === '') return left === '' ? 1 : -1;
      return (left < right ? -1 : 1) * direction * (sorted === 'madeAt' ? -1 : 1);
    });
    list(ordered.slice(0, limit));
    more.hidden = ordered.length <= limit;
    setText(more, phrases.__('Show more: %1 are left', ordered.length - limit));
  };
  return {
    element: element('div', { class: 'stridelab-memory-table' }, table, more),
    update(...next) {
      shown = next;
      refresh();
    }
  };
}

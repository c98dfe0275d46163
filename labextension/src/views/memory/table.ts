/** Sortable table of the allocations alive at the cursor: the accessible alternative to the timeline and the map. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import { createButton } from '../kit/controls.ts';
import { createKeyedList, createTable, element, part, type Part, setAttribute, setText } from '../kit/dom.ts';
import { createStack } from './stack.ts';
import type { Allocation } from './history.ts';
import { __ } from '../kit/phrases.ts';

/** Rows shown at first, and added by each press of the button. */
const STEP = 50;
const NUMERIC: readonly string[] = ['bytes', 'madeAt'];

export interface TableData {
  readonly caption: string;
  readonly rows: readonly Allocation[];
  /** Time at the cursor, from which ages are computed. */
  readonly now: number;
  readonly selected: number | null;
  readonly colourOf: (allocation: Allocation) => number;
}

export function createAllocationTable(select: (id: number) => void): Part<[data: TableData]> {
  const columns = {
    bytes: __('Size'),
    owner: __('Variable'),
    what: __('Array'),
    cell: __('Cell'),
    stream: __('Stream'),
    madeAt: __('Age'),
    stack: __('Allocated at')
  };
  const keys = Object.keys(columns) as (keyof typeof columns)[];
  let sorted: keyof typeof columns = 'bytes';
  let descending = true;
  let limit = STEP;
  let data: TableData | undefined;
  const heads = keys.map(key => {
    const sort = (): void => {
      descending = sorted === key ? !descending : key === 'bytes';
      sorted = key;
      refresh();
    };
    return element(
      'th',
      { scope: 'col', ...(NUMERIC.includes(key) && { class: 'number' }) },
      createButton(columns[key], '', sort, '')
    );
  });
  const body = element('tbody');
  const caption = element('caption');
  const more = createButton('', '', () => {
    limit += STEP;
    refresh();
  });
  const list = createKeyedList<Allocation>(
    body,
    ({ id }) => String(id),
    ({ id }) => {
      const swatch = element('i');
      const texts = keys.slice(0, -1).map(() => element('span'));
      const stack = createStack();
      const row = element(
        'tr',
        {},
        ...texts.map((text, at) =>
          element('td', { ...(NUMERIC.includes(keys[at] ?? '') && { class: 'number' }) }, text)
        ),
        element('td', {}, stack)
      );
      texts[1]?.before(swatch);
      row.addEventListener('click', () => select(id));
      return {
        element: row,
        update(allocation) {
          if (data === undefined) return;
          const { bytes, owner, what, cell, stream, made, madeAt } = allocation;
          const age = made < 0 ? __('before the log') : formatDuration(1000 * Math.max(0, data.now - madeAt));
          for (const [index, text] of [formatBytes(bytes), owner, what, cell, stream, age].entries())
            setText(texts[index] as HTMLElement, text || '–');
          setAttribute(texts[1] as HTMLElement, 'title', owner || null);
          swatch.style.background = `var(--sd-owner-${data.colourOf(allocation)})`;
          stack.update(allocation.stack);
          setAttribute(row, 'aria-current', id === data.selected ? 'true' : null);
        }
      };
    }
  );

  const refresh = (): void => {
    if (data === undefined) return;
    setText(caption, data.caption);
    for (const [index, head] of heads.entries()) {
      const way = descending ? 'descending' : 'ascending';
      setAttribute(head, 'aria-sort', keys[index] === sorted ? way : null);
    }
    // Age and creation time sort in opposite directions.
    const sign = descending !== (sorted === 'madeAt') ? 1 : -1;
    const ordered = [...data.rows].sort((a, b) => {
      const [left, right] = [a[sorted], b[sorted]];
      return left === right ? b.bytes - a.bytes : left < right ? sign : -sign;
    });
    list(ordered.slice(0, limit));
    more.hidden = ordered.length <= limit;
    setText(more, __('Show more (%1 left)', ordered.length - limit));
  };
  return {
    element: part('div', 'mv-table', createTable('', caption, heads, body), more),
    update(next) {
      data = next;
      refresh();
    }
  };
}

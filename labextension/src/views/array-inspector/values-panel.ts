/** The first values, and what seeing them cost: a copy to the host. */

import type { ArrayDescription, PreviewDescription } from '../../../../src/description/schema.ts';
import { createKeyedList, element, setAttribute, setText } from '../dom.ts';
import type { KeyedChild } from '../dom.ts';
import { formatBytes, formatCount } from './format.ts';
import type { Panel, PanelContext } from './panel.ts';
import type { Phrases } from '../phrases.ts';

interface GridRow {
  readonly index: number;
  readonly values: readonly string[];
}

interface GridCell {
  readonly column: number;
  readonly text: string;
}

export function createValuesPanel(context: PanelContext): Panel {
  const { phrases } = context;
  const caption = element('caption');
  const headings = element('tr');
  const body = element('tbody');
  const table = element(
    'table',
    { class: 'stridelab-table stridelab-grid' },
    caption,
    element('thead', {}, headings),
    body
  );
  const empty = element('p', { class: 'stridelab-empty' });
  const truncated = element('p', { class: 'stridelab-truncated' });
  const updateHeadings = createKeyedList<number>(headings, String, createHeading);
  const updateRows = createKeyedList<GridRow>(
    body,
    row => String(row.index),
    () => createGridRow(context)
  );

  return {
    element: element('div', {}, table, truncated, empty),
    update(array) {
      const { preview } = array;
      // The last picture of a freed array may still carry values, which are nowhere any more.
      const hasValues =
        array.lifetime !== 'freed' && preview !== null && preview.rows.length > 0 && array.size > 0;
      table.hidden = !hasValues;
      empty.hidden = hasValues;
      truncated.hidden = !(hasValues && preview.truncated);
      setText(empty, emptyReason(array, phrases));
      if (!hasValues) return;
      setText(caption, captionOf(array, preview, phrases));
      setText(truncated, phrases.__('… and more: %1 elements in all.', formatCount(array.size)));
      setAttribute(table, 'data-rank', String(Math.min(array.shape.length, 2)));
      const width = Math.max(...preview.rows.map(row => row.length));
      updateHeadings(Array.from({ length: width + 1 }, (_, position) => position - 1));
      updateRows(preview.rows.map((values, index) => ({ index, values })));
    }
  };
}

/** Position -1 is the column of row numbers. */
function createHeading(position: number): KeyedChild<number> {
  const heading =
    position < 0
      ? element('td')
      : element('th', { scope: 'col', class: 'stridelab-number' }, String(position));
  return { element: heading, update: () => undefined };
}

function createGridRow({ marks, phrases }: PanelContext): KeyedChild<GridRow> {
  const row = element('tr');
  const updateCells = createKeyedList<GridCell>(
    row,
    cell => String(cell.column),
    ({ column }) => {
      if (column < 0) {
        const number = element('th', { scope: 'row', class: 'stridelab-number' });
        return { element: number, update: cell => void setText(number, cell.text) };
      }
      const value = element('td', { class: 'stridelab-number stridelab-value' });
      return { element: value, update: cell => marks.write(value, cell.text, phrases.__('values')) };
    }
  );
  return {
    element: row,
    update({ index, values }) {
      updateCells([{ column: -1, text: String(index) }, ...values.map((text, column) => ({ column, text }))]);
    }
  };
}

function captionOf(array: ArrayDescription, preview: PreviewDescription, phrases: Phrases): string {
  const leading = Math.max(array.shape.length - 2, 0);
  const copied = phrases.__('%1 copied to the host on %2', formatBytes(preview.copiedBytes), preview.stream);
  if (leading === 0) return copied;
  const position = [...Array.from({ length: leading }, () => '0'), ':', ':'].join(', ');
  return phrases.__('First matrix, [%1]; %2', position, copied);
}

function emptyReason(array: ArrayDescription, phrases: Phrases): string {
  if (array.lifetime === 'freed') return phrases.__('The memory was freed, so there are no values to show.');
  if (array.size === 0) return phrases.__('The array has no elements, so there is nothing to copy.');
  if (array.streams.some(use => use.state === 'busy'))
    return phrases.__('Work was pending, and reading the values would have waited for it.');
  return phrases.__('No values were copied to the host for this picture.');
}

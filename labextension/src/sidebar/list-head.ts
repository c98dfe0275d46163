/** The column heads, which sort the list; `aria-sort` and a sign show the order. */

import { createButton } from '../views/kit/controls.ts';
import { element, type Part, setAttribute, setText } from '../views/kit/dom.ts';
import { COLUMNS, type Column } from './arrange.ts';
import { __ } from '../views/kit/phrases.ts';

export function createListHead(
  onSort: (column: Column) => void
): Part<[column: Column, descending: boolean]> {
  const labels: Readonly<Record<Column, string>> = {
    name: __('Name'),
    shape: __('Shape'),
    dtype: __('Dtype'),
    device: __('Device'),
    size: __('Size')
  };
  const heads = COLUMNS.map(column => {
    const sign = element('span', { 'aria-hidden': 'true' });
    const button = createButton(labels[column], '', () => onSort(column), '');
    button.append(sign);
    const head = element('div', { 'data-cell': column, role: 'columnheader' }, button);
    return { column, head, sign };
  });
  // Shown for rows of two lines, where the heads are not columns.
  const sign = element('small', { 'data-cell': 'sort', role: 'none', 'aria-hidden': 'true' }, '⇅');
  const row = element('div', { role: 'row', 'aria-rowindex': '1' }, sign, ...heads.map(({ head }) => head));
  return {
    element: element('div', { class: 'list-head', role: 'rowgroup' }, row),
    update(sorted, descending) {
      for (const { column, head, sign } of heads) {
        const isSorted = column === sorted;
        setAttribute(head, 'aria-sort', isSorted ? (descending ? 'descending' : 'ascending') : 'none');
        setText(sign, isSorted ? (descending ? ' ▼' : ' ▲') : '');
      }
    }
  };
}

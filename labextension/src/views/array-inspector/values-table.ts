/** A page of values as a table with a cursor: one cell is in the tab order, and the arrow keys move it, beyond the page too. */

import { createKeyedList, element, setAttribute, setText } from '../dom.ts';
import type { KeyedChild } from '../dom.ts';
import { createGrid, nextCell, type Cell } from '../grid-keys.ts';
import type { PanelContext } from './panel.ts';

/** Values over the rows and columns of a grid that is larger than what is shown of it. */
export interface GridPage {
  readonly height: number;
  readonly width: number;
  /** Of the first cell shown. */
  readonly row: number;
  readonly column: number;
  readonly texts: readonly (readonly string[])[];
  /** What stands before row and above column numbers; null where the array has no such axis. */
  rowName(row: number): string | null;
  columnName(column: number): string | null;
}

export interface ValuesTable {
  readonly element: HTMLTableElement;
  readonly caption: HTMLElement;
  /** The cell under the cursor, in the whole grid. */
  readonly cursor: Cell;
  show(page: GridPage): void;
  /** Moves the cursor; the page that holds it is asked for where it is not this one. */
  moveTo(cell: Cell): void;
  /** Values between `-limit` and `limit` are tinted; without one none is. */
  tint(limit: number | undefined): void;
}

/** What the library writes for values that are no ordinary numbers. */
const SPECIAL: Readonly<Record<string, readonly [kind: string, sign: string]>> = {
  NaN: ['nan', 'NaN'],
  Infinity: ['inf', '∞'],
  '-Infinity': ['inf', '−∞'],
  '-0': ['zero', '−0'],
  '--': ['masked', '--']
};

export function createValuesTable(
  { phrases, marks }: PanelContext,
  /** The cursor moved; `away` where the page does not hold it. */
  moved: (text: string, away: boolean) => void
): ValuesTable {
  const caption = element('caption');
  const headings = element('tr');
  const body = element('tbody');
  const table = createGrid(
    phrases.__('Values'),
    'stridelab-values',
    caption,
    element('thead', {}, headings),
    body
  );
  let page: GridPage | undefined;
  let cursor: Cell = [0, 0];
  let limit: number | undefined;
  /** Where the page that is shown begins: only the same cells are compared. */
  let origin = '';
  let wantsFocus = false;

  const updateHeadings = createKeyedList<number>(headings, String, position => {
    const heading = position < 0 ? element('td') : element('th', { scope: 'col', class: 'stridelab-number' });
    return {
      element: heading,
      update: at => void setText(heading, at < 0 ? '' : (page?.columnName(page.column + at) ?? ''))
    };
  });
  const updateRows = createKeyedList<number>(body, String, createRow);

  function createRow(at: number): KeyedChild<number> {
    const row = element('tr');
    const heading = element('th', { scope: 'row', class: 'stridelab-number' });
    row.append(heading);
    const shown: HTMLElement[] = [];
    return {
      element: row,
      update() {
        if (!page) return;
        setText(heading, page.rowName(page.row + at) ?? '');
        const texts = page.texts[at] ?? [];
        while (shown.length > texts.length) shown.pop()?.remove();
        for (const [column, text] of texts.entries()) {
          const cell = (shown[column] ??= row.appendChild(
            element('td', { class: 'stridelab-number stridelab-value' })
          ));
          showValue(cell, text, [page.row + at, page.column + column]);
        }
      }
    };
  }

  function showValue(cell: HTMLElement, text: string, [row, column]: Cell): void {
    const [kind, sign] = SPECIAL[text] ?? [null, text];
    if (origin === '') setText(cell, sign);
    else marks.write(cell, sign, phrases.__('values'));
    setAttribute(cell, 'data-special', kind);
    const value = Number(text);
    const share =
      limit === undefined || !Number.isFinite(value) || kind !== null ? 0 : Math.abs(value) / limit;
    setAttribute(cell, 'data-tint', share === 0 ? null : value < 0 ? 'negative' : 'positive');
    cell.style.setProperty('--share', `${Math.round(Math.min(share, 1) * 60)}%`);
    cell.tabIndex = row === cursor[0] && column === cursor[1] ? 0 : -1;
  }

  const cellAt = ([row, column]: Cell): HTMLElement | undefined =>
    page && (body.rows[row - page.row]?.cells[column - page.column + 1]);
  const place = (focus: boolean): void => {
    for (const cell of body.querySelectorAll<HTMLElement>('td[tabindex="0"]')) cell.tabIndex = -1;
    const cell = cellAt(cursor);
    if (cell) cell.tabIndex = 0;
    if (cell && focus) cell.focus();
    wantsFocus = focus && !cell;
    moved(cell?.textContent ?? '', !cell);
  };

  table.addEventListener('focusin', event => {
    const cell = (event.target as HTMLElement).closest('td');
    const row = cell?.closest('tr');
    if (!page || !cell || !row) return;
    cursor = [page.row + row.sectionRowIndex, page.column + cell.cellIndex - 1];
    place(false);
  });
  table.addEventListener('click', event => (event.target as HTMLElement).closest('td')?.focus());
  table.addEventListener('keydown', event => {
    const to = page && nextCell(event, cursor, { ...page, page: page.texts.length });
    if (!to) return;
    event.preventDefault();
    event.stopPropagation();
    cursor = to;
    place(true);
  });

  const draw = (): void => {
    updateHeadings(Array.from({ length: (page?.texts[0]?.length ?? 0) + 1 }, (_, position) => position - 1));
    updateRows(page?.texts.map((_, at) => at) ?? []);
  };

  return {
    element: table,
    caption,
    get cursor() {
      return cursor;
    },
    show(next) {
      const start = [next.row, next.column, next.width].join();
      const same = origin === start;
      page = next;
      origin = same ? start : '';
      const inside = (at: number, from: number, count: number): number =>
        Math.max(from, Math.min(at, from + count - 1));
      cursor = [
        inside(cursor[0], next.row, next.texts.length),
        inside(cursor[1], next.column, next.texts[0]?.length ?? 1)
      ];
      draw();
      origin = start;
      if (wantsFocus) place(true);
      else moved(cellAt(cursor)?.textContent ?? '', false);
    },
    moveTo(cell) {
      cursor = cell;
      place(true);
    },
    tint(value) {
      limit = value;
      const before = origin;
      origin = '';
      draw();
      origin = before;
    }
  };
}

/**
 * Pages of a grid of cells held by the kernel: a table with a cursor that moves beyond the page, buttons and
 * a field for navigation, and the cost of the read. The tabs of values and of bytes are sheets.
 */

import type { ArrayDescription } from '../../../../src/pictures/array/schema.ts';
import type { Parameters } from '../../../../src/pictures/kit/live-messages.ts';
import type { PageOfCells } from '../../../../src/pictures/array/page-schema.ts';
import { createButton, createField, disable } from '../kit/controls.ts';
import { createKeyedList, element, part, setText } from '../kit/dom.ts';
import { clamp, nextCell, onKeys, rove, type Cell } from '../kit/cursor.ts';
import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { createLook } from './look.ts';
import type { Frame } from '../kit/framed.ts';
import { formatCount, __ } from '../kit/phrases.ts';

export interface SheetOptions {
  readonly frame: Frame;
  /** The request for pages, and the table's name in the style sheet. */
  readonly method: string;
  readonly label: string;
  readonly leads: readonly string[];
  /** Parameters of the request besides the position. */
  size(): { readonly rows: number; readonly columns: number } & Parameters;
  start(): Parameters;
  heading(column: number): string;
  /** Texts of the cells before a row, and of one after it. */
  lead(row: number): readonly string[];
  tail?(cells: readonly string[]): string;
  write(cell: HTMLElement, text: string, place: Cell, samePage: boolean): void;
  moved(place: Cell): void;
  /** Returns the caption: which part is shown, and what was copied for it. */
  caption(place: string, copied: string): string;
}

export type Sheet<Page extends PageOfCells> = ReturnType<typeof createSheet<Page>>;

export function createSheet<Page extends PageOfCells>(options: SheetOptions) {
  const { frame, method, label, leads, size, start, heading, lead, tail, write, moved, caption } = options;
  /** Requested position: a cell, or the index of an element. */
  let wanted: Parameters | undefined;
  /** The position requested when the pending answer was requested: an outdated answer must not move the cursor back. */
  let asked: Parameters | undefined;
  let wantsFocus = false;
  let shownPage = '';
  let samePage = false;

  const look = createLook({
    frame,
    method,
    parameters() {
      wanted ??= start();
      asked = wanted;
      return { ...size(), ...wanted };
    },
    show({ content }) {
      if (wanted === asked) sheet.show(content as unknown as Page);
    }
  });
  const ask = (place: Parameters): void => {
    wanted = place;
    look.ask();
  };
  const step = (sign: string, title: string, rows: number, columns: number): HTMLButtonElement =>
    createButton(sign, title, () => {
      const { page } = sheet;
      if (!page) return;
      // By the received page, which may be shorter than requested. Pages begin at multiples of their length.
      const beyond = (first: number, length: number, by: number): number =>
        by === 0 ? first : by > 0 ? first + length : Math.max(first - 1, 0);
      ask({
        row: beyond(page.row, page.cells.length, rows),
        column: beyond(page.column, page.cells[0]?.length ?? 1, columns)
      });
    });
  const steps = [
    step('▴', __('Previous rows'), -1, 0),
    step('▾', __('Next rows'), 1, 0),
    step('◂', __('Previous columns'), 0, -1),
    step('▸', __('Next columns'), 0, 1)
  ];
  const jump = createField(__('Go to index'), { size: '9' }, ({ value }) =>
    ask({
      index: value
        .split(/[\s,]+/)
        .filter(Boolean)
        .map(Number)
    })
  );
  const tools = part('div', 'tools', ...steps, jump);
  const captionElement = element('caption', {}, label);
  const headings = element('tr');
  const body = element('tbody');
  const table = element(
    'table',
    {
      class: `table grid ${method}`,
      role: 'grid',
      'aria-label': label
    },
    captionElement,
    element('thead', {}, headings),
    body
  );
  const content = element('div', {}, table);
  const empty = part('p', 'empty');
  const updateHeadings = createKeyedList<number>(headings, String, position => {
    const cell = leads[position] === '' ? element('td') : element('th', { scope: 'col' });
    return {
      element: cell,
      update: at => void setText(cell, leads[at] ?? heading((sheet.page?.column ?? 0) + at - leads.length))
    };
  });
  const updateRows = createKeyedList<number>(body, String, at => {
    const before = leads.map((_, place) =>
      place === 0 ? element('th', { scope: 'row' }) : part('td', 'muted')
    );
    const after = part('td', 'tail');
    const row = element('tr', {}, ...before);
    if (tail) row.append(after);
    const cells: HTMLElement[] = [];
    return {
      element: row,
      update() {
        const { page } = sheet;
        if (!page) return;
        const texts = page.cells[at] ?? [];
        for (const [place, text] of lead(page.row + at).entries())
          setText(before[place] as HTMLElement, text);
        while (cells.length > texts.length) cells.pop()?.remove();
        for (const [column, text] of texts.entries()) {
          const known = cells[column];
          const cell = (cells[column] ??= element('td', { tabindex: '-1' }));
          if (!known) row.insertBefore(cell, tail ? after : null);
          write(cell, text, [page.row + at, page.column + column], samePage && known !== undefined);
        }
        if (tail) setText(after, tail(texts));
      }
    };
  });

  const place = (focus: boolean): void => {
    const cell = sheet.cellAt(sheet.cursor);
    wantsFocus = focus && !cell;
    rove(body, cell, focus);
    if (cell) moved(sheet.cursor);
    else ask({ row: sheet.cursor[0], column: sheet.cursor[1] });
  };
  const placeOf = (target: EventTarget | null): Cell | undefined => {
    const cell = (target as HTMLElement).closest<HTMLTableCellElement>('td[tabindex]');
    const row = cell?.parentElement as HTMLTableRowElement | undefined;
    const { page } = sheet;
    return cell && row && page
      ? [page.row + row.sectionRowIndex, page.column + cell.cellIndex - leads.length]
      : undefined;
  };
  table.addEventListener('focusin', event => {
    const at = placeOf(event.target);
    if (at && at.join() !== sheet.cursor.join()) sheet.moveTo(at, false);
  });
  table.addEventListener('click', event => {
    const at = placeOf(event.target);
    if (at) sheet.moveTo(at, true);
  });
  onKeys(table, event => {
    const { page } = sheet;
    const to = page && nextCell(event, sheet.cursor, { ...page, page: size().rows });
    if (to) sheet.moveTo(to, true);
    return to !== undefined;
  });

  const sheet = {
    tools,
    body,
    content,
    elements: [tools, look.element, content, empty] as readonly HTMLElement[],
    look,
    page: undefined as Page | undefined,
    cursor: [0, 0] as Cell,
    /** Requests the page again, possibly with other parameters, or that of another position. */
    reload: (place?: Parameters): void => ask({ ...(place ?? wanted) }),
    draw(): void {
      const { page } = sheet;
      updateHeadings(Array.from({ length: leads.length + (page?.cells[0]?.length ?? 0) }, (_, at) => at));
      updateRows(page?.cells.map((_, at) => at) ?? []);
    },
    show(page: Page): void {
      const { row, column, cells, height, width, copiedBytes, stream } = page;
      const here = [row, column, width, size()['leading']].join();
      samePage = here === shownPage;
      shownPage = here;
      sheet.page = page;
      wanted = { row, column };
      // Cell elements are reused: the focus follows the cursor.
      const hasFocus = body.contains((body.getRootNode() as Document | ShadowRoot).activeElement);
      sheet.draw();
      samePage = false;
      const [below, right] = [row + cells.length, column + (cells[0]?.length ?? 0)];
      // The last row may be shorter.
      const [atRow, atColumn] = page.cursor ?? sheet.cursor;
      const held = clamp(atRow, row, below - 1);
      sheet.cursor = [held, clamp(atColumn, column, column + (cells[held - row]?.length ?? 1) - 1)];
      const rows = __('rows %1–%2 of %3', row, below - 1, formatCount(height));
      const columns = __('columns %1–%2 of %3', column, right - 1, formatCount(width));
      const copied = __('%1 copied to the host on %2', formatBytes(copiedBytes), stream);
      setText(captionElement, caption(right - column < width ? `${rows}; ${columns}` : rows, copied));
      const ends = [row === 0, below >= height, column === 0, right >= width];
      for (const [index, button] of steps.entries()) disable(button, ends[index] === true);
      place(wantsFocus || hasFocus);
      content.hidden = false;
      empty.hidden = true;
    },
    moveTo(to: Cell, focus: boolean): void {
      sheet.cursor = to;
      place(focus);
    },
    cellAt([row, column]: Cell): HTMLElement | undefined {
      const { page } = sheet;
      return page && body.rows[row - page.row]?.cells[column - page.column + leads.length];
    },
    update(array: ArrayDescription, reason: string): void {
      look.update(array);
      if (array.lifetime !== 'live' || array.size === 0) sheet.page = undefined;
      tools.hidden = !look.live;
      content.hidden = !sheet.page;
      empty.hidden = sheet.page !== undefined;
      setText(empty, reason);
      jump.input.placeholder = array.shape.map(() => 0).join(', ');
    }
  };
  return sheet;
}

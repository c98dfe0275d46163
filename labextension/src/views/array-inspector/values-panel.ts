/** The values, page by page over the last two axes, and what seeing them cost: a copy to the host. */

import type { ArrayDescription } from '../../../../src/description/schema.ts';
import { createButton, createCheck, createField, disable } from '../controls.ts';
import { createKeyedList, element, setText } from '../dom.ts';
import { formatBytes, formatCount } from './format.ts';
import { createLook } from './look.ts';
import type { Panel, PanelContext } from './panel.ts';
import type { Phrases } from '../phrases.ts';
import { createValuesTable, type GridPage } from './values-table.ts';
import type { Channel, Message } from '../view.ts';

/** Rows of a page. */
const ROWS = 16;
/** Columns of an array with one axis, which is folded. */
const FOLD = 8;
/** Pixels of a column, by dtype; of the rest, records and text, the widest. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/^(u?int[48]|bool)$/, 58],
  [/^u?int16$/, 76],
  [/^complex/, 180],
  [/^(u?int|b?float)/, 106]
];
const WIDEST = 200;

export interface LookPanel extends Panel {
  /** Called when its tab is opened. */
  opened(): void;
  dispose(): void;
}

export function createValuesPanel(context: PanelContext, channel: Channel | undefined): LookPanel {
  const { phrases } = context;
  let array: ArrayDescription | undefined;
  /** What is shown or asked for: indices of the leading axes, and the first cell of the grid. */
  let leading: number[] = [];
  let [row, column] = [0, 0];
  let shown: GridPage | undefined;
  let copied = '';
  /** Whether the kernel has told a page, which says more than the picture's first values. */
  let told = false;

  const empty = element('p', { class: 'stridelab-empty' });
  const truncated = element('p', { class: 'stridelab-truncated' });
  const readout = element('p', { class: 'stridelab-readout' });
  const table = createValuesTable(context, (text, away) => {
    if (away) goTo(...table.cursor);
    else setText(readout, readoutOf(table.cursor, text));
  });
  const look = createLook({
    phrases,
    channel,
    method: 'values',
    parameters: () => {
      const [width, height] = pageSize();
      return isFolded()
        ? { leading, row: 0, column: row * FOLD, rows: 1, columns: height * FOLD }
        : { leading, row, column, rows: height, columns: width };
    },
    show: receive
  });
  const where = element('span', { class: 'stridelab-muted' });
  const step = (label: string, title: string, rows: number, columns: number): HTMLButtonElement =>
    createButton(label, title, () => {
      const [width, height] = pageSize();
      goTo(row + rows * height, column + columns * width);
    });
  const buttons = [
    step('▴', phrases.__('Rows before'), -1, 0),
    step('▾', phrases.__('Rows after'), 1, 0),
    step('◂', phrases.__('Columns before'), 0, -1),
    step('▸', phrases.__('Columns after'), 0, 1)
  ];
  const jump = createField(phrases.__('Go to index'), { size: '10', placeholder: '0, 0' }, goToIndex);
  const axes = element('span', { class: 'stridelab-axes' });
  const updateAxes = createKeyedList<number>(axes, String, axis => {
    const field = createField(phrases.__('axis %1', axis), { type: 'number', min: '0', value: '0' }, text => {
      leading[axis] = Math.max(0, Math.min(Number(text) || 0, (array?.shape[axis] ?? 1) - 1));
      look.ask();
    });
    return {
      element: field.element,
      update: () => {
        field.input.max = String((array?.shape[axis] ?? 1) - 1);
        if (document.activeElement !== field.input) field.input.value = String(leading[axis] ?? 0);
      }
    };
  });
  const colour = createCheck(phrases.__('Colour'), () => tint());
  const legend = element('span', { class: 'stridelab-legend' });
  const bar = element('span', { 'aria-hidden': 'true' });
  const ends = [element('span'), element('span')] as const;
  legend.append(ends[0], bar, ends[1]);
  const toolbar = element(
    'div',
    { class: 'stridelab-tools' },
    axes,
    ...buttons,
    where,
    jump.element,
    colour.element,
    legend
  );

  function isFolded(): boolean {
    return array?.shape.length === 1;
  }
  function pageSize(): readonly [width: number, height: number] {
    const each = WIDTHS.find(([name]) => name.test(array?.dtype ?? ''))?.[1] ?? WIDEST;
    const room = (toolbar.clientWidth || 860) - 80;
    return [isFolded() ? FOLD : Math.max(2, Math.min(24, Math.floor(room / each))), ROWS];
  }
  /** Rows and columns of the grid that the pages are parts of. */
  function gridSize(): readonly [height: number, width: number] {
    const { shape = [] } = array ?? {};
    const [height, width] = [shape.at(-2) ?? 1, shape.at(-1) ?? 1];
    return isFolded() ? [Math.ceil(width / FOLD), FOLD] : [height, width];
  }
  function goTo(toRow: number, toColumn: number): void {
    const [width, height] = pageSize();
    const [rows, columns] = gridSize();
    const start = (to: number, from: number, count: number, length: number): number => {
      const first = to >= from && to < from + count ? from : Math.floor(to / count) * count;
      return Math.max(0, Math.min(first, length - 1));
    };
    row = start(toRow, row, height, rows);
    column = start(toColumn, column, width, columns);
    look.ask();
  }
  function goToIndex(text: string): void {
    const index = text
      .split(/[\s,]+/)
      .filter(part => part !== '')
      .map(Number);
    const { shape = [] } = array ?? {};
    const fits =
      index.length === shape.length &&
      index.every((at, axis) => Number.isInteger(at) && at >= 0 && at < (shape[axis] ?? 0));
    jump.input.setCustomValidity(
      fits ? '' : phrases.__('An index needs %1 whole numbers inside the shape.', shape.length)
    );
    jump.input.reportValidity();
    if (!fits) return;
    const [last = 0, previous = 0] = [index.at(-1), index.at(-2)];
    const before = index.slice(0, Math.max(0, shape.length - 2));
    const elsewhere = before.some((at, axis) => at !== (leading[axis] ?? 0));
    leading = before;
    updateAxes(before.map((_, axis) => axis));
    table.moveTo(isFolded() ? [Math.floor(last / FOLD), last % FOLD] : [previous, last]);
    if (elsewhere) look.ask();
  }
  function indexOf([atRow, atColumn]: readonly [number, number]): readonly number[] {
    const rank = array?.shape.length ?? 0;
    if (isFolded()) return [atRow * FOLD + atColumn];
    return rank === 0 ? [] : [...leading, atRow, atColumn].slice(-rank);
  }
  function readoutOf(cell: readonly [number, number], text: string): string {
    return `[${indexOf(cell).join(', ')}] = ${text}`;
  }
  function receive({ content }: Message): void {
    const { rows, row: atRow, column: atColumn, copiedBytes, stream } = content;
    const valid = Array.isArray(rows) && rows.every(Array.isArray);
    if (!valid || typeof atRow !== 'number' || typeof atColumn !== 'number') return;
    const texts = (rows as unknown[][]).map(each => each.map(String));
    told = true;
    copied = copiedOf(Number(copiedBytes), String(stream));
    if (isFolded()) showPage(atColumn / FOLD, 0, fold(texts[0] ?? []));
    else showPage(atRow, atColumn, texts);
    showParts();
  }
  /** What there is to see: a page, or a sentence in its place. */
  function showParts(): void {
    const { lifetime, preview, size = 0 } = array ?? {};
    const has = lifetime === 'live' && size > 0 && shown !== undefined;
    const paged = look.live && size > 0;
    toolbar.hidden = !paged;
    empty.hidden = has;
    table.element.hidden = !has;
    readout.hidden = !has;
    truncated.hidden = paged || !has || preview?.truncated !== true;
  }
  function showPage(firstRow: number, firstColumn: number, texts: readonly (readonly string[])[]): void {
    const [height, width] = gridSize();
    const rank = array?.shape.length ?? 0;
    shown = {
      height,
      width,
      row: firstRow,
      column: firstColumn,
      texts,
      rowName: at => (rank === 0 ? null : String(isFolded() ? at * FOLD : at)),
      columnName: at => (rank === 0 ? null : isFolded() ? `+${at}` : String(at))
    };
    [row, column] = [firstRow, firstColumn];
    table.show(shown);
    setText(table.caption, captionOf(leading, copied, phrases));
    const last = [firstRow + texts.length, firstColumn + (texts[0]?.length ?? 0)] as const;
    const rows = phrases.__('rows %1–%2 of %3', firstRow, last[0] - 1, formatCount(height));
    const columns = phrases.__('columns %1–%2 of %3', firstColumn, last[1] - 1, formatCount(width));
    setText(where, isFolded() ? rangeOf(firstRow * FOLD, texts.flat().length) : `${rows}, ${columns}`);
    const ended = [firstRow === 0, last[0] >= height, firstColumn === 0, last[1] >= width];
    for (const [index, button] of buttons.entries()) disable(button, ended[index] === true);
    tint();
  }
  function copiedOf(bytes: number, stream: string): string {
    return phrases.__('%1 copied to the host on %2', formatBytes(bytes), stream);
  }
  function rangeOf(first: number, count: number): string {
    return phrases.__('elements %1–%2 of %3', first, first + count - 1, formatCount(array?.size ?? 0));
  }
  function tint(): void {
    const numeric = /^(u?int|b?float)/.test(array?.dtype ?? '');
    colour.element.hidden = !numeric;
    const on = numeric && colour.input.checked;
    legend.hidden = !on;
    const statistics = array?.statistics;
    const known = statistics?.state === 'measured' ? [statistics.minimum, statistics.maximum] : [];
    const all = [...known.map(Number), ...(shown?.texts.flat().map(Number) ?? [])];
    const limit = Math.max(...all.filter(Number.isFinite).map(Math.abs), 0);
    setText(ends[0], `−${limit}`);
    setText(ends[1], `+${limit}`);
    table.tint(on && limit > 0 ? limit : undefined);
  }

  return {
    element: element('div', {}, toolbar, look.element, table.element, readout, truncated, empty),
    opened: () => look.ask(),
    dispose: () => look.dispose(),
    update(next, connected) {
      array = next;
      look.update(next, connected);
      const rows = next.preview?.rows ?? [];
      if (next.lifetime !== 'live' || (!look.live && rows.length === 0)) shown = undefined;
      setText(empty, emptyReason(next, phrases));
      setText(truncated, phrases.__('… and more: %1 elements in all.', formatCount(next.size)));
      const ahead = Math.max(next.shape.length - 2, 0);
      if (leading.length !== ahead) leading = new Array<number>(ahead).fill(0);
      // The first values that the picture holds, until the kernel has told a page.
      if (next.preview && rows.length > 0 && (!look.live || shown === undefined || !told)) {
        leading.fill(0);
        copied = copiedOf(next.preview.copiedBytes, next.preview.stream);
        showPage(0, 0, rows);
      }
      updateAxes(leading.map((_, axis) => axis));
      showParts();
    }
  };
}

/** One axis in lines of {@link FOLD}. */
function fold(texts: readonly string[]): string[][] {
  const lines = Math.ceil(texts.length / FOLD);
  return Array.from({ length: lines }, (_, line) => texts.slice(line * FOLD, (line + 1) * FOLD));
}

function captionOf(leading: readonly number[], copied: string, phrases: Phrases): string {
  return leading.length === 0
    ? copied
    : phrases.__('Matrix [%1]; %2', [...leading, ':', ':'].join(', '), copied);
}

function emptyReason(array: ArrayDescription, phrases: Phrases): string {
  if (array.lifetime === 'freed') return phrases.__('The memory was freed, so there are no values to show.');
  if (array.size === 0) return phrases.__('The array has no elements, so there is nothing to copy.');
  if (array.streams.some(use => use.state === 'busy'))
    return phrases.__('Work was pending, and reading the values would have waited for it.');
  return phrases.__('No values were copied to the host for this picture.');
}

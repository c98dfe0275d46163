/** The records as a paged table: the accessible alternative to the canvas. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import { formatCount } from '../kit/count.ts';
import { createTable, element, part, setAttribute, setText, type Part } from '../kit/dom.ts';
import { createButton, createChoice, disable } from '../kit/controls.ts';
import type { Records } from './records.ts';
import { formatTime } from './time.ts';
import { __ } from '../kit/phrases.ts';

const PAGE = 20;
/** Columns of text; the others are numeric. */
const WORDS = [1, 2, 3, 7];

/** Shows the current page of the records that pass the filter. */
export type List = Part<[matches: Uint8Array, selected: number | undefined]>;

export function createList(
  records: Records,
  words: readonly string[],
  select: (number: number) => void
): List {
  let page = 0;
  let order: number[] = [];
  let matches: Uint8Array = new Uint8Array();
  let selected: number | undefined;
  const turn = (by: number): void => {
    page += by;
    draw();
  };
  const previous = createButton(__('Previous'), '', () => turn(-1));
  const next = createButton(__('Next'), '', () => turn(1));
  const place = element('span', { class: 'muted', role: 'status' });
  const sorting = createChoice(__('Order'), [__('in order'), __('longest first')], () => {
    page = 0;
    list.update(matches, selected);
  });
  const cellOf = (
    tag: 'th' | 'td',
    column: number,
    attributes: Record<string, string>,
    child: Node | string = ''
  ) => element(tag, { ...attributes, ...(!WORDS.includes(column) && { class: 'number' }) }, child);
  const heads = [
    '#',
    __('Operation'),
    __('Kind'),
    __('Where'),
    __('Start'),
    __('Duration'),
    __('Size'),
    __('Cell')
  ].map((text, column) => cellOf('th', column, { scope: 'col' }, text));
  const rows = Array.from({ length: PAGE }, () => {
    const open = createButton('', '', () => select(Number(open.value)), 'verdict');
    const cells = heads.map((_, column) =>
      column === 1 ? cellOf('th', column, { scope: 'row' }, open) : cellOf('td', column, {})
    );
    return { row: element('tr', {}, ...cells), cells, open };
  });
  const table = createTable(
    '',
    __('Stream operations use device time, threads use host time.'),
    heads,
    element('tbody', {}, ...rows.map(({ row }) => row))
  );
  const lengthOf = (slot: number): number => {
    const { duration, submitDuration, lane } = records.columns;
    return (records.lanes[lane[slot]!] === undefined ? submitDuration : duration)[slot]!;
  };

  const draw = (): void => {
    const pages = Math.max(1, Math.ceil(order.length / PAGE));
    page = Math.min(Math.max(0, page), pages - 1);
    disable(previous, page === 0);
    disable(next, page === pages - 1);
    setText(place, __('Page %1 of %2, %3 records', page + 1, pages, formatCount(order.length)));
    const { columns, lanes, kinds, factsOf } = records;
    for (const [index, { row, cells, open }] of rows.entries()) {
      const slot = order[page * PAGE + index];
      row.hidden = slot === undefined;
      if (slot === undefined) continue;
      const number = columns.number[slot]!;
      const lane = lanes[columns.lane[slot]!];
      const { name, cell } = factsOf(slot);
      const [start, length, bytes] = [
        (lane ? columns.start : columns.submitted)[slot]!,
        lengthOf(slot),
        columns.bytes[slot]!
      ];
      const texts = [
        String(number),
        name,
        words[kinds[slot]!],
        (lane ?? lanes[columns.host[slot]!])?.name,
        Number.isNaN(start) ? '–' : formatTime(start, 1),
        length > 0 ? formatDuration(length) : Number.isNaN(length) ? '–' : '',
        bytes > 0 ? formatBytes(bytes) : '',
        cell
      ];
      for (const [column, text] of texts.entries()) setText(column === 1 ? open : cells[column]!, text ?? '');
      open.value = texts[0]!;
      setAttribute(row, 'aria-current', number === selected ? 'true' : null);
    }
  };
  const list: List = {
    element: element('div', {}, table, part('div', 'actions', previous, next, place, sorting)),
    update(passing, chosen) {
      [matches, selected] = [passing, chosen];
      const { columns } = records;
      order = [...columns.facts.keys()].filter(slot => matches[columns.facts[slot]!]);
      if (sorting.selectedIndex === 0) order.sort((a, b) => columns.number[a]! - columns.number[b]!);
      else order.sort((a, b) => (lengthOf(b) || 0) - (lengthOf(a) || 0));
      draw();
    }
  };
  return list;
}

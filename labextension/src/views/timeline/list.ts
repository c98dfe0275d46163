/** The records as a paged table: the accessible alternative to the canvas. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { formatDuration } from '../../../../src/base/time-text.ts';
import { createButton, createSelect, disable } from '../kit/controls.ts';
import { element, part, type Part, setAttribute, setText } from '../kit/dom.ts';
import { createItemTable } from '../kit/item-table.ts';
import type { Entry, Records } from './records.ts';
import { formatTime } from './time.ts';
import { formatCount, __ } from '../kit/phrases.ts';

const PAGE = 20;

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
  const { element: sorting } = createSelect(
    () => {
      page = 0;
      list.update(matches, selected);
    },
    { class: 'button', 'aria-label': __('Order') },
    [
      ['time', __('Oldest first')],
      ['length', __('Longest first')]
    ]
  );
  /** Shows the operation as a button that selects its record. */
  const showName = ({ number, name }: Entry, cell: HTMLElement): void => {
    if (cell.firstChild === null) cell.append(createButton('', '', () => select(number), 'verdict'));
    setText(cell.firstElementChild as HTMLElement, name);
  };
  const table = createItemTable<Entry>(
    '',
    __('Stream operations use device time, threads use host time.'),
    ({ number }) => String(number),
    [
      ['#', ({ number }) => String(number), 'number'],
      [__('Operation'), showName, 'head'],
      [__('Kind'), ({ kind }) => words[kind]!],
      [__('Where'), ({ lane, host }) => (lane ?? host)?.name ?? ''],
      [__('Start'), entry => startText(entry.lane ? entry.start : entry.submitted), 'number'],
      [__('Duration'), entry => durationText(entry.lane ? entry.duration : entry.submitDuration), 'number'],
      [__('Size'), ({ bytes }) => (bytes > 0 ? formatBytes(bytes) : ''), 'number'],
      [__('Cell'), ({ cell }) => cell ?? '']
    ],
    (row, { number }) => setAttribute(row, 'aria-current', number === selected ? 'true' : null)
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
    table.update(order.slice(page * PAGE, (page + 1) * PAGE).map(records.entryAt));
  };
  const list: List = {
    element: element('div', {}, table, part('div', 'actions', previous, next, place, sorting)),
    update(passing, chosen) {
      [matches, selected] = [passing, chosen];
      const { columns } = records;
      order = [...columns.facts.keys()].filter(slot => matches[columns.facts[slot]!]);
      if (sorting.value === 'time') order.sort((a, b) => columns.number[a]! - columns.number[b]!);
      else order.sort((a, b) => (lengthOf(b) || 0) - (lengthOf(a) || 0));
      draw();
    }
  };
  return list;
}

function startText(time: number): string {
  return Number.isNaN(time) ? '–' : formatTime(time, 1);
}

function durationText(time: number): string {
  if (Number.isNaN(time)) return '–';
  return time > 0 ? formatDuration(time) : '';
}

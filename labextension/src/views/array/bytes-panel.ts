/** The memory of the array, sixteen bytes a row: which bytes belong to it, and how an element's bytes form its value. */

import 'stridelab-panels-style';
import { BYTES_ROW, type BytesPage } from '../../../../src/pictures/array/page-schema.ts';
import { createColourScale } from './colour-scale.ts';
import { createButton } from '../kit/controls.ts';
import { element, part, setAttribute, setText } from '../kit/dom.ts';
import { onKeys, type Cell } from '../kit/cursor.ts';
import type { Frame } from '../kit/framed.ts';
import type { LookPanel } from './panel/panel.ts';
import { createSheet, type Sheet } from './sheet.ts';
import { __ } from '../kit/phrases.ts';

const ROWS = 16;

type Told = BytesPage['elements'][number];

export function createBytesPanel(frame: Frame): LookPanel {
  let itemsize = 1;
  let rank = 0;

  const offsetOf = ([row, column]: Cell): number => row * BYTES_ROW + column;
  const placeOf = (offset: number): Cell => [Math.floor(offset / BYTES_ROW), offset % BYTES_ROW];
  const ownersOf = (offset: number): readonly Told[] =>
    sheet.page?.elements.filter(([start]) => offset >= start && offset < start + itemsize) ?? [];
  const sheet: Sheet<BytesPage> = createSheet<BytesPage>({
    frame,
    method: 'bytes',
    label: __('Bytes'),
    leads: [__('Offset'), __('Address')],
    size: () => ({ rows: ROWS, columns: BYTES_ROW }),
    start: () => ({ index: new Array<number>(rank).fill(0) }),
    heading: column => column.toString(16),
    lead: row => {
      const start = row * BYTES_ROW;
      return [`+${hex(start)}`, `0x${(BigInt(sheet.page?.address ?? 0) + BigInt(start)).toString(16)}`];
    },
    tail: cells => cells.map(character).join(''),
    write(cell, text, place) {
      setText(cell, text);
      const own = ownersOf(offsetOf(place)).length > 0;
      setAttribute(cell, 'data-outside', own ? null : '');
      scale.tint(cell, own && text !== '' ? parseInt(text, 16) / 255 : null);
    },
    moved,
    caption: (place, copied) => __('%1; %2; dimmed bytes are outside this array', place, copied)
  });
  const lens = part('div', 'lens');
  const scale = createColourScale(() => {
    colour();
    sheet.draw();
  });
  const colour = (): boolean => scale.show('sequential', '00', 'ff');
  colour();
  const step = (label: string, title: string, by: number): HTMLButtonElement =>
    createButton(label, title, () => stepElement(by, false));
  sheet.tools.append(
    step(__('◂ Element'), __('Previous element in memory (Ctrl+←)'), -1),
    step(__('Element ▸'), __('Next element in memory (Ctrl+→)'), 1)
  );
  sheet.tools.append(...scale.elements);
  sheet.content.append(lens);
  onKeys(sheet.content, ({ ctrlKey, key }) => {
    if (!ctrlKey || !/^Arrow(Left|Right)$/.test(key)) return false;
    stepElement(key === 'ArrowRight' ? 1 : -1, true);
    return true;
  });

  function stepElement(by: number, focus: boolean): void {
    const at = ownersOf(offsetOf(sheet.cursor))[0]?.[0] ?? offsetOf(sheet.cursor);
    const starts = sheet.page?.elements.map(([start]) => start) ?? [];
    const next = by > 0 ? starts.find(start => start > at) : starts.findLast(start => start < at);
    const { row = 0, height = 1 } = sheet.page ?? {};
    // Outside the page, go to its neighbour, which may contain no bytes of the array.
    const beyond = by > 0 ? Math.min(row + ROWS, height - 1) : Math.max(row - 1, 0);
    sheet.moveTo(next === undefined || next < 0 ? [beyond, 0] : placeOf(next), focus);
  }

  function moved(place: Cell): void {
    const offset = offsetOf(place);
    const owners = ownersOf(offset);
    const [owner] = owners;
    for (const cell of sheet.body.querySelectorAll('[data-own]')) cell.removeAttribute('data-own');
    const own = owner
      ? Array.from({ length: itemsize }, (_, byte) => sheet.cellAt(placeOf(owner[0] + byte)))
      : [];
    for (const cell of own) cell?.setAttribute('data-own', '');
    const text = sheet.cellAt(place)?.textContent ?? '';
    const lines = [__('Byte +%1: 0x%2 = %3', hex(offset), text, parseInt(text, 16))];
    if (!owner) lines.push(__('Outside this array: a gap, or part of another view.'));
    else {
      lines.push(`[${owner[1].join(', ')}] = ${owner[2]}`);
      if (owners.length > 1) lines.push(__('%1 elements share this byte.', owners.length));
    }
    lens.replaceChildren(
      ...lines.map(line => element('p', {}, line)),
      ...(owner ? decode(owner[0], offset) : [])
    );
  }

  /** Shows a number from its highest byte down, as it is written, and the meaning of a float's bits. */
  function decode(start: number, offset: number): HTMLElement[] {
    const { bytes, sign, exponent, bias } = sheet.page?.number ?? { bytes: 0, sign: 0, exponent: 0, bias: 0 };
    if (bytes === 0) return [];
    const from = start + bytes * Math.floor((offset - start) / bytes);
    const digits = Array.from(
      { length: bytes },
      (_, at) => sheet.cellAt(placeOf(from + at))?.textContent ?? ''
    );
    if (digits.includes('')) return [];
    const number = digits.toReversed().join('');
    const order = __('Little-endian, most significant byte last: 0x%1', number);
    const line = element('p', {}, order);
    if (exponent === 0) return [line];
    const bits = BigInt(`0x${number}`)
      .toString(2)
      .padStart(bytes * 8, '0');
    const power = bits.slice(sign, sign + exponent);
    const value = parseInt(power, 2);
    const parts = [
      [bits.slice(0, sign), __('sign')],
      [power, __('exponent: %1 − %2 = %3', value, bias, value - bias)],
      [bits.slice(sign + exponent), __('mantissa')]
    ] as const;
    const spans = parts.map(([code, word]) => element('span', {}, element('code', {}, code), word));
    return [line, part('p', 'bits', ...spans)];
  }

  return {
    element: element('div', {}, ...sheet.elements),
    opened: () => sheet.look.open(),
    update(array) {
      itemsize = array.itemsize;
      rank = array.shape.length;
      sheet.update(
        array,
        array.lifetime === 'freed' || array.lifetime === 'lost' || array.size === 0
          ? __('No memory: it was freed or lost, or the array is empty.')
          : __('Bytes need a running kernel; they are not saved.')
      );
    }
  };
}

function character(digits: string): string {
  const byte = parseInt(digits, 16);
  return byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·';
}

function hex(value: number): string {
  return value.toString(16).padStart(4, '0');
}

/** The memory that the array lies in, sixteen bytes a row: which bytes are the array's, and how those of one element make its value. */

import type { ArrayDescription } from '../../../../src/description/schema.ts';
import type { BytesPage } from '../../../../src/description/page-schema.ts';
import { createButton, createField, disable } from '../controls.ts';
import { createKeyedList, element, setAttribute, setText } from '../dom.ts';
import { formatBytes, formatCount } from './format.ts';
import { createGrid, nextCell } from '../grid-keys.ts';
import { createLook } from './look.ts';
import { bitFields, partOf } from './number-format.ts';
import type { PanelContext } from './panel.ts';
import type { LookPanel } from './values-panel.ts';
import type { Channel, Message } from '../view.ts';

const ROW = 16;
const PAGE = 16 * ROW;

type Told = BytesPage['elements'][number];

export function createBytesPanel({ phrases, marks }: PanelContext, channel: Channel | undefined): LookPanel {
  let array: ArrayDescription | undefined;
  let page: BytesPage | undefined;
  let bytes: Uint8Array = new Uint8Array();
  /** What is wanted: a page from an offset on, or the one of an element. */
  let wanted: { readonly start?: number; readonly element?: readonly number[] } | undefined;
  /** Offset in the memory of the byte under the cursor; null for the array's first. */
  let cursor: number | null = null;
  let wantsFocus = false;

  const look = createLook({
    phrases,
    channel,
    method: 'bytes',
    parameters: () => ({ ...(wanted ?? { element: array?.shape.map(() => 0) ?? [] }), length: PAGE }),
    show: receive
  });
  const before = createButton('▴', phrases.__('Bytes before'), () => goTo((page?.start ?? 0) - PAGE));
  const after = createButton('▾', phrases.__('Bytes after'), () => goTo((page?.start ?? 0) + PAGE));
  const previous = createButton(
    phrases.__('◂ Element'),
    phrases.__('Previous element in memory (Ctrl+←)'),
    () => stepElement(-1)
  );
  const next = createButton(phrases.__('Element ▸'), phrases.__('Next element in memory (Ctrl+→)'), () =>
    stepElement(1)
  );
  const jump = createField(phrases.__('Go to index'), { size: '10', placeholder: '0, 0' }, text => {
    wanted = {
      element: text
        .split(/[\s,]+/)
        .filter(part => part !== '')
        .map(Number)
    };
    cursor = null;
    look.ask();
  });
  const where = element('span', { class: 'stridelab-muted' });
  const tools = element(
    'div',
    { class: 'stridelab-tools' },
    before,
    after,
    where,
    previous,
    next,
    jump.element
  );
  const caption = element('caption');
  const body = element('tbody');
  const digits = Array.from({ length: ROW }, (_, at) => element('th', { scope: 'col' }, at.toString(16)));
  const columns = [phrases.__('Offset'), phrases.__('Address')].map(text =>
    element('th', { scope: 'col' }, text)
  );
  const table = createGrid(
    phrases.__('Bytes'),
    'stridelab-bytes',
    caption,
    element(
      'thead',
      {},
      element('tr', {}, ...columns, ...digits, element('th', { scope: 'col' }, phrases.__('Text')))
    ),
    body
  );
  const lens = element('div', { class: 'stridelab-lens' });
  const content = element('div', {}, table, lens);
  const empty = element('p', { class: 'stridelab-empty' });
  const updateRows = createKeyedList<number>(body, String, createRow);

  function createRow(at: number): ReturnType<Parameters<typeof createKeyedList<number>>[2]> {
    const offset = element('th', { scope: 'row', class: 'stridelab-key' });
    const address = element('td', { class: 'stridelab-muted' });
    const cells = digits.map(() => element('td'));
    const text = element('td', { class: 'stridelab-ascii' });
    return {
      element: element('tr', {}, offset, address, ...cells, text),
      update() {
        if (!page) return;
        const start = page.start + at * ROW;
        setText(offset, `+${hex(start)}`);
        setText(address, `0x${(BigInt(page.address) + BigInt(start)).toString(16)}`);
        const row = bytes.subarray(at * ROW, (at + 1) * ROW);
        for (const [index, cell] of cells.entries()) {
          const byte = row[index];
          setText(cell, byte === undefined ? '' : byte.toString(16).padStart(2, '0'));
          setAttribute(
            cell,
            'data-outside',
            byte === undefined || ownersOf(start + index).length > 0 ? null : ''
          );
          cell.tabIndex = -1;
        }
        setText(
          text,
          [...row].map(byte => (byte > 31 && byte < 127 ? String.fromCharCode(byte) : '·')).join('')
        );
      }
    };
  }

  const itemsize = (): number => array?.itemsize ?? 1;
  function ownersOf(offset: number): Told[] {
    return page?.elements.filter(([start]) => offset >= start && offset < start + itemsize()) ?? [];
  }
  function cellAt(offset: number): HTMLElement | undefined {
    const at = offset - (page?.start ?? 0);
    return body.rows[Math.floor(at / ROW)]?.cells[2 + (at % ROW)];
  }
  function goTo(start: number): void {
    const last = Math.max(0, (page?.storageBytes ?? 1) - 1);
    const first = Math.max(0, Math.min(start, last));
    wanted = { start: first - (first % ROW) };
    cursor = Math.max(wanted.start ?? 0, Math.min(cursor ?? 0, (wanted.start ?? 0) + PAGE - 1, last));
    look.ask();
  }
  function moveTo(offset: number, focus: boolean): void {
    cursor = offset;
    wantsFocus = focus;
    if (page && (offset < page.start || offset >= page.start + bytes.length))
      goTo(offset < page.start ? offset - PAGE + ROW : offset);
    else place();
  }
  function stepElement(by: 1 | -1): void {
    if (!page || cursor === null) return;
    const at = cursor;
    const starts = page.elements.map(([start]) => start);
    const found =
      by > 0
        ? starts.find(start => start > at)
        : starts.findLast(start => start < at - (at - (ownersOf(at)[0]?.[0] ?? at)));
    if (found !== undefined) moveTo(found, false);
    else goTo(by > 0 ? page.start + bytes.length : page.start - PAGE);
  }
  function place(): void {
    if (!page) return;
    const at = cursor ?? page.elements[0]?.[0] ?? page.first;
    cursor = Math.max(page.start, Math.min(at, page.start + bytes.length - 1));
    const owner = ownersOf(cursor)[0];
    for (const cell of body.querySelectorAll('[data-own]')) cell.removeAttribute('data-own');
    for (const cell of body.querySelectorAll<HTMLElement>('td[tabindex="0"]')) cell.tabIndex = -1;
    for (let byte = 0; owner && byte < itemsize(); byte++) {
      const cell = owner[0] + byte < page.start ? undefined : cellAt(owner[0] + byte);
      if (cell) setAttribute(cell, 'data-own', '');
    }
    const cell = cellAt(cursor);
    if (cell) cell.tabIndex = 0;
    if (wantsFocus) cell?.focus();
    wantsFocus = false;
    decode(cursor, ownersOf(cursor));
  }
  function decode(offset: number, owners: readonly Told[]): void {
    const byte = bytes[offset - (page?.start ?? 0)] ?? 0;
    const [first] = owners;
    const lines: HTMLElement[] = [
      element('p', {}, phrases.__('Byte +%1: 0x%2 = %3', hex(offset), hex(byte), byte))
    ];
    if (!first)
      lines.push(element('p', {}, phrases.__('Not of this array: a gap, or what another view holds.')));
    else {
      const [start, index, text] = first;
      lines.push(
        element('p', {}, element('strong', {}, `[${index.join(', ')}] = ${text}`), ` ${valueNote(owners)}`)
      );
      lines.push(...bitLines(start, offset));
    }
    lens.replaceChildren(...lines);
  }
  function valueNote(owners: readonly Told[]): string {
    return owners.length > 1 ? phrases.__('and %1 more elements lie on this byte', owners.length - 1) : '';
  }
  /** The bytes of the element from the highest on, as its number is written, and the meaning of a float's bits. */
  function bitLines(start: number, offset: number): HTMLElement[] {
    if (!page || !array) return [];
    const [name, from, size] = partOf(array.dtype, itemsize(), offset - start);
    const at = start + from - page.start;
    if (at < 0 || at + size > bytes.length || size > 8 || !/^(u?int|b?float|bool)/.test(name)) return [];
    const own = [...bytes.subarray(at, at + size)];
    const number = `0x${own
      .toReversed()
      .map(byte => hex(byte))
      .join('')}`;
    const order = size > 1 ? phrases.__('little-endian: the highest byte is the last, %1', number) : number;
    const fields = bitFields(name, own);
    if (!fields) return [element('p', {}, order)];
    const exponent = parseInt(fields.exponent, 2);
    const parts = [
      [phrases.__('sign'), fields.sign],
      [phrases.__('exponent'), fields.exponent],
      [phrases.__('mantissa'), fields.mantissa]
    ] as const;
    return [
      element('p', {}, order),
      element(
        'p',
        { class: 'stridelab-bits' },
        ...parts
          .filter(([, bits]) => bits !== '')
          .map(([word, bits]) => element('span', {}, element('code', {}, bits), word)),
        element(
          'span',
          { class: 'stridelab-muted' },
          phrases.__('exponent %1 − %2 = %3', exponent, fields.bias, exponent - fields.bias)
        )
      )
    ];
  }
  function receive({ content: told, buffers }: Message): void {
    const [buffer] = buffers;
    if (!buffer || typeof told['start'] !== 'number' || !Array.isArray(told['elements'])) return;
    page = told as unknown as BytesPage;
    bytes = new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    updateRows(Array.from({ length: Math.ceil(bytes.length / ROW) }, (_, at) => at));
    const end = page.start + bytes.length;
    setText(
      where,
      phrases.__(
        'bytes %1–%2 of %3',
        formatCount(page.start),
        formatCount(end - 1),
        formatCount(page.storageBytes)
      )
    );
    setText(
      caption,
      phrases.__(
        '%1 copied to the host on %2; dimmed bytes are not of this array',
        formatBytes(page.copiedBytes),
        page.stream
      )
    );
    disable(before, page.start === 0);
    disable(after, end >= page.storageBytes);
    if (wanted?.element) cursor = null;
    wanted = { start: page.start };
    place();
    showParts();
  }
  function showParts(): void {
    tools.hidden = !look.live;
    content.hidden = page === undefined || array?.lifetime !== 'live';
    empty.hidden = !content.hidden || look.live;
  }

  table.addEventListener('focusin', event => {
    const cell = (event.target as HTMLElement).closest('td');
    const row = cell?.closest('tr');
    if (!cell || !row || !page) return;
    cursor = page.start + row.sectionRowIndex * ROW + cell.cellIndex - 2;
    place();
  });
  table.addEventListener('click', event =>
    (event.target as HTMLElement).closest<HTMLElement>('td[tabindex]')?.focus()
  );
  table.addEventListener('keydown', event => {
    if (!page || cursor === null) return;
    const { key, ctrlKey } = event;
    if (ctrlKey && (key === 'ArrowLeft' || key === 'ArrowRight')) {
      wantsFocus = true;
      stepElement(key === 'ArrowRight' ? 1 : -1);
    } else {
      const extent = { height: Math.ceil(page.storageBytes / ROW), width: ROW, page: PAGE / ROW };
      const linear = key === 'ArrowLeft' ? cursor - 1 : key === 'ArrowRight' ? cursor + 1 : undefined;
      const to = nextCell(event, [Math.floor(cursor / ROW), cursor % ROW], extent);
      if (!to) return;
      moveTo(Math.max(0, Math.min(linear ?? to[0] * ROW + to[1], page.storageBytes - 1)), true);
    }
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    element: element('div', {}, tools, look.element, content, empty),
    opened: () => look.ask(),
    dispose: () => look.dispose(),
    update(description, connected) {
      array = description;
      look.update(description, connected);
      setText(
        empty,
        description.lifetime === 'freed'
          ? phrases.__('The memory was freed: there are no bytes to show.')
          : description.size === 0
            ? phrases.__('The array has no elements, so no byte is its own.')
            : phrases.__('Bytes are not saved with a notebook.')
      );
      showParts();
    }
  };
}

function hex(value: number): string {
  return value.toString(16).padStart(value > 255 ? 4 : 2, '0');
}

/**
 * The array in memory: rows of bytes, with the GPU's sectors and cache lines as rulers. Shows a window of the
 * block, from single bytes to all of it.
 */

import {
  type Layout,
  LINE_BYTES,
  ordinalOf,
  placementsIn,
  runsIn,
  SECTOR_BYTES
} from '../../../../../src/layout/byte-map.ts';
import { createButton } from '../../kit/controls.ts';
import { clamp } from '../../kit/cursor.ts';
import { element, part, setAttribute, setText } from '../../kit/dom.ts';
import { formatBytes } from '../../../../../src/base/bytes-text.ts';
import { cellName, markCell, type Scene, type Side, type Spot, type Spots, tint } from './scene.ts';
import { __ } from '../../kit/phrases.ts';

const ROWS = 8;
/** Cells of a row too long for element numbers: each shows only whether it contains elements. */
const COARSE_CELLS = 32;

interface StripCell extends Spot {
  /** The element's number, where it begins. */
  readonly text: string;
}

export function createByteStrip(spots: Spots): Side {
  const title = element('span');
  const zoomButton = (sign: string, label: string, by: number): HTMLElement => {
    const button = createButton(sign, label, () => zoom(by));
    setAttribute(button, 'aria-label', label);
    return button;
  };
  const grid = element('div', { class: 'strip-bytes', role: 'grid', 'aria-label': __('Bytes') });
  let scene: Scene;
  let state: readonly [Scene, Spot, Spot];
  let drawn = '';
  /** Leading indices of the elements shown in the grid. */
  let slice: readonly number[] = [];
  let top = 0;
  let rowBytes = 0;
  let cells: HTMLElement[] = [];

  /** Rows begin at cache-line boundaries. */
  const rowOf = (byte: number): number => Math.floor((byte + scene.phase) / rowBytes);
  const startOf = (row: number): number => row * rowBytes - scene.phase;

  const zoom = (by: number): void => {
    const { start, end } = scene;
    const next = rowBytes * (rowBytes + by > LINE_BYTES ? 4 ** by : 2 ** by);
    if (next < SECTOR_BYTES || (by > 0 && rowBytes * ROWS >= end - start + LINE_BYTES)) return;
    rowBytes = next;
    show();
  };

  const cellsOf = (start: number): StripCell[] =>
    rowBytes > LINE_BYTES
      ? coarseCells(scene.layout, start, rowBytes / COARSE_CELLS)
      : exactCells(scene, start, start + rowBytes);

  const createCell = (cell: StripCell, rowStart: number): HTMLElement => {
    const node = element('div', { role: 'gridcell', 'data-kind': kindOf(cell, scene, slice) });
    const column = (byte: number): number => Math.round(((byte - rowStart) * LINE_BYTES) / rowBytes) + 1;
    node.style.gridColumn = `${column(cell.start)} / ${column(cell.end)}`;
    // A number is shown only if it fits.
    const room = ((grid.clientWidth || 760) - 60) * ((cell.end - cell.start) / rowBytes);
    const texts = [cell.text, cell.text.split(' ')[0] as string];
    node.textContent = texts.find(text => text.length * 6.5 + 3 <= room) ?? '';
    setAttribute(node, 'aria-label', cellName(cell, node.textContent));
    if (cell.index) tint(node, scene, cell.index);
    spots.set(node, cell);
    return node;
  };

  const build = (): void => {
    cells = [];
    const last = Math.min(rowOf(scene.end - 1), top + ROWS - 1);
    const rows: HTMLElement[] = [];
    for (let row = top; row <= last; row++) {
      const start = startOf(row);
      const line = cellsOf(start).map(cell => createCell(cell, start));
      cells.push(...line);
      const label = element('div', { role: 'rowheader' }, start < 0 ? `−${-start}` : `+${start}`);
      const track = element('div', { role: 'presentation' }, ...line);
      const isLine = (start + scene.phase) % LINE_BYTES === 0 ? { 'data-line': '' } : {};
      rows.push(element('div', { role: 'row', ...isLine }, label, track));
    }
    grid.replaceChildren(...rows);
    const exact = rowBytes <= LINE_BYTES;
    grid.style.setProperty('--sector', exact ? `${(100 * SECTOR_BYTES) / rowBytes}%` : '200%');
    setText(
      title,
      exact
        ? __('Memory, %1 bytes per row. Ticks: 32-byte sectors; bars: 128-byte lines', rowBytes)
        : __('Memory, %1 per row', formatBytes(rowBytes))
    );
  };

  const show = (): void => {
    const [next, chosen, spot] = state;
    scene = next;
    // The longest row whose elements have room for numbers of up to three digits.
    const needed = Math.min(String(next.size).length, 3) * 7 + 6;
    rowBytes ||=
      [LINE_BYTES, 64].find(bytes => (620 * next.layout.itemsize) / bytes >= needed) ?? SECTOR_BYTES;
    const row = rowOf(chosen.start);
    const first = rowOf(next.start);
    if (row < top || row >= top + ROWS || top < first) top = row - ROWS / 2;
    top = Math.max(first, Math.min(top, rowOf(next.end - 1) - ROWS + 1));
    if (chosen.index) slice = chosen.index.slice(0, -2);
    const form = JSON.stringify([next.layout, top, rowBytes, slice, grid.clientWidth]);
    if (form !== drawn) build();
    drawn = form;
    for (const cell of cells) markCell(cell, spots.get(cell) as Spot, chosen, spot);
    // One cell must always be in the tab order.
    if (!cells.some(cell => cell.tabIndex === 0)) setAttribute(cells[0] as HTMLElement, 'tabindex', '0');
  };

  new ResizeObserver(() => state && show()).observe(grid);
  return {
    element: part(
      'div',
      'block',
      part(
        'div',
        'row',
        title,
        zoomButton('−', __('More bytes per row'), 1),
        zoomButton('+', __('Fewer bytes per row'), -1)
      ),
      grid,
      createLegend()
    ),
    show(...next) {
      state = next;
      show();
    },
    move(key, { start, end }, far) {
      if (key === '+' || key === '-') {
        zoom(key === '+' ? -1 : 1);
        return state[1];
      }
      const row = startOf(rowOf(start));
      const targets: Readonly<Record<string, number>> = {
        ArrowLeft: start - 1,
        ArrowRight: end,
        ArrowUp: start - rowBytes,
        ArrowDown: start + rowBytes,
        PageUp: start - rowBytes * ROWS,
        PageDown: start + rowBytes * ROWS,
        Home: far ? scene.start : row,
        End: far ? scene.end - 1 : row + rowBytes - 1
      };
      const to = targets[key];
      if (to === undefined) return undefined;
      const byte = clamp(to, scene.start, scene.end - 1);
      return cellsOf(startOf(rowOf(byte))).find(cell => cell.start <= byte && byte < cell.end);
    }
  };
}

function createLegend(): HTMLElement {
  const swatch = (kind: string, word: string): HTMLElement =>
    element('li', {}, element('i', { 'data-kind': kind }), word);
  return part(
    'ul',
    'row',
    swatch('element', __('element, numbered in row-major order')),
    swatch('other', __('another slice')),
    swatch('shared', __('× shared')),
    swatch('gap', __('gap')),
    swatch('outside', __('outside the block'))
  );
}

function coarseCells(layout: Layout, rowStart: number, bytes: number): StripCell[] {
  return Array.from({ length: COARSE_CELLS }, (_, at) => {
    const start = rowStart + at * bytes;
    const end = start + bytes;
    const [place] = placementsIn(layout, start, end, 2);
    return { index: place?.index ?? null, start, end, count: place?.count ?? 0, text: '' };
  });
}

/** Returns a cell for each run of bytes that belong to the same elements; none crosses an end of the block. */
function exactCells(scene: Scene, rowStart: number, rowEnd: number): StripCell[] {
  const { layout } = scene;
  const cuts = [rowStart, scene.start, scene.end, rowEnd].map(byte => clamp(byte, rowStart, rowEnd));
  const runs = cuts.flatMap((from, at) => {
    const to = cuts[at + 1] ?? from;
    return to > from ? runsIn(layout, from, to) : [];
  });
  return runs.map(({ start, end, places }) => {
    const first = places.find(({ offset }) => offset === start);
    const count = places.reduce((sum, place) => sum + place.count, 0);
    const number = first ? String(ordinalOf(layout.shape, first.index)) : '';
    const text = first && count > 1 ? `${number} ×${count}` : number;
    return { index: (first ?? places[0])?.index ?? null, start, end, count, text };
  });
}

function kindOf({ index, count, start }: Spot, scene: Scene, slice: readonly number[]): string {
  if (index === null) return start < scene.start || start >= scene.end ? 'outside' : 'gap';
  if (count > 1) return 'shared';
  return slice.every((at, axis) => index[axis] === at) ? 'element' : 'other';
}

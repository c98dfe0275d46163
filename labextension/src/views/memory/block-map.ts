/** Map of memory blocks: a row per segment, blocks coloured by owner, holes hatched. Arrow keys move between blocks. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { createCanvas, type Palette } from '../kit/canvas.ts';
import { onKeyActions } from '../kit/cursor.ts';
import { element, setAttribute, setText, uniqueId } from '../kit/dom.ts';
import { BORROWED, type Allocation } from './history.ts';
import type { Layout, Place } from './layout.ts';
import { __ } from '../kit/phrases.ts';

const ROW = 26;
const LEFT = 136;
const RIGHT = 12;
/** Rows beyond this number are not drawn; the table lists their blocks. */
const MOST_ROWS = 200;
/** Minimum width of a block that shows its name: measuring thousands of texts would be slow. */
const LEAST_NAMED = 16;
/** Distance between the stripes of a hole, in pixels. */
const STRIPES = 6;

/** Creates the map. `select` receives the id of the allocation under the pointer, or null for a hole. */
export function createBlockMap(
  signal: AbortSignal,
  palette: Palette,
  colourOf: (allocation: Allocation) => number,
  select: (id: number | null) => void
) {
  let layout: Layout = { rows: [], places: [] };
  let at = 0;
  const canvas = createCanvas(signal, (context, width) => draw(context, width));
  const option = element('div', { id: uniqueId('block'), role: 'option', 'aria-selected': 'true' });
  const box = element(
    'div',
    {
      class: 'mv-map',
      role: 'listbox',
      tabindex: '0',
      'aria-label': __('Blocks by address'),
      'aria-activedescendant': option.id
    },
    element('div', {}, canvas),
    option
  );
  const scaleOf = (width: number): number =>
    (width - LEFT - RIGHT) / layout.rows.reduce((most, { bytes }) => Math.max(most, bytes), 1);

  const draw = (context: CanvasRenderingContext2D, width: number): void => {
    const { color } = palette;
    const scale = scaleOf(width);
    context.font = `11px ${getComputedStyle(box).fontFamily}`;
    context.fillStyle = color('muted');
    for (const [row, { label }] of layout.rows.entries())
      context.fillText(label, 12, row * ROW + 17, LEFT - 20);
    for (const [index, { row, offset, bytes, block }] of layout.places.entries()) {
      const [x, y] = [LEFT + offset * scale, row * ROW + 2];
      const [w, h] = [Math.max(1, bytes * scale - 1), ROW - 5];
      context.save();
      context.beginPath();
      context.rect(x, y, w, h);
      context.strokeStyle = color('strong-line');
      if (block !== null) {
        context.fillStyle = color(`owner-${colourOf(block)}`);
        context.fill();
        context.fillStyle = color('text');
        if (w > LEAST_NAMED && context.measureText(block.owner).width < w - 8)
          context.fillText(block.owner, x + 5, y + 15);
        if (block.kind === BORROWED) context.setLineDash([3, 3]);
        context.stroke();
      } else {
        context.stroke();
        context.clip();
        context.globalAlpha = 0.6;
        context.beginPath();
        for (let stripe = -h; stripe < w; stripe += STRIPES) {
          context.moveTo(x + stripe, y + h);
          context.lineTo(x + stripe + h, y);
        }
        context.stroke();
      }
      context.restore();
      if (index !== at) continue;
      context.strokeStyle = color('text');
      context.lineWidth = 2;
      context.strokeRect(x - 1, y - 1, w + 2, h + 2);
      context.lineWidth = 1;
    }
  };

  const describe = ({ row, bytes, pointer, block }: Place): string =>
    [
      block === null ? __('hole') : block.owner,
      formatBytes(bytes),
      `0x${pointer.toString(16)}`,
      block?.what,
      block?.cell,
      layout.rows[row]?.label
    ]
      .filter(Boolean)
      .join(', ');
  const show = (): void => {
    const { length } = layout.places;
    const place = layout.places[at];
    setText(option, place ? describe(place) : __('No memory is in use at the cursor.'));
    setAttribute(option, 'aria-setsize', String(length));
    setAttribute(option, 'aria-posinset', String(Math.min(at + 1, length)));
    canvas.invalidate();
  };
  const go = (index: number): void => {
    at = Math.max(0, Math.min(layout.places.length - 1, index));
    show();
    select(layout.places[at]?.block?.id ?? null);
  };
  /** Returns the index of the last place in a row that begins at or before a byte offset. */
  const find = (row: number, bytes: number): number => {
    const found = layout.places.findLastIndex(place => place.row === row && place.offset <= bytes);
    return found < 0 ? at : found;
  };
  onKeyActions(box, () => {
    const { row = 0, offset = 0 } = layout.places[at] ?? {};
    return {
      ArrowLeft: () => go(at - 1),
      ArrowRight: () => go(at + 1),
      ArrowUp: () => go(find(row - 1, offset)),
      ArrowDown: () => go(find(row + 1, offset)),
      Home: () => go(0),
      End: () => go(Infinity)
    };
  });
  canvas.element.addEventListener('click', ({ offsetX, offsetY }) =>
    go(find(Math.floor(offsetY / ROW), (offsetX - LEFT) / scaleOf(canvas.width)))
  );

  return {
    element: box,
    update({ rows, places }: Layout, selected: number | null): void {
      const before = layout.places[at];
      layout = { rows: rows.slice(0, MOST_ROWS), places: places.filter(({ row }) => row < MOST_ROWS) };
      at = Math.max(
        0,
        layout.places.findIndex(({ block, pointer }) =>
          selected === null ? block === null && pointer === before?.pointer : block?.id === selected
        )
      );
      canvas.element.style.height = `${layout.rows.length * ROW}px`;
      show();
    },
    redraw: canvas.invalidate
  };
}

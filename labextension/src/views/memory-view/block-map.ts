/** Where blocks lie: a row for each segment, blocks by owner, holes hatched. The keyboard goes from block to block. */

import { formatBytes } from '../array-inspector/format.ts';
import { createCanvas } from '../canvas.ts';
import { element, setAttribute, setText, uniqueId } from '../dom.ts';
import type { Palette } from '../palette.ts';
import type { Phrases } from '../phrases.ts';
import { formatAddress, ownerWords } from './format.ts';
import { BORROWED } from './history.ts';
import type { Allocation, Segment } from './history.ts';

const ROW = 26;
const LEFT = 132;
const COLOURS = 6;
/** More rows than this are left out, and counted. */
const MOST_ROWS = 200;
/** Pixels that a hole's stripes are apart. */
const STRIPES = 6;

interface Place {
  readonly row: number;
  /** Bytes from the row's start. */
  readonly offset: number;
  readonly bytes: number;
  readonly pointer: number;
  /** Null for a hole. */
  readonly block: Allocation | null;
}

interface MapRow {
  readonly label: string;
  readonly bytes: number;
}

export interface Layout {
  readonly rows: readonly MapRow[];
  readonly places: readonly Place[];
  /** Of the holes in segments. */
  readonly free: number;
  readonly largest: number;
  readonly holes: number;
}

/** Rows of segments by address, then one of blocks that the driver made each by itself, then one of what is borrowed. */
export function layOut(
  segments: readonly Segment[],
  alive: readonly Allocation[],
  phrases: Phrases
): Layout {
  const rows: MapRow[] = [];
  const places: Place[] = [];
  let [free, largest, holes] = [0, 0, 0];
  const blocks = [...alive].sort((a, b) => a.pointer - b.pointer);
  const inside = new Set<Allocation>();
  const hole = (row: number, offset: number, bytes: number, pointer: number): void => {
    if (bytes <= 0) return;
    places.push({ row, offset, bytes, pointer, block: null });
    free += bytes;
    holes += 1;
    largest = Math.max(largest, bytes);
  };
  let next = 0;
  for (const [index, { pointer, bytes }] of [...segments].sort((a, b) => a.pointer - b.pointer).entries()) {
    rows.push({ label: phrases.__('slab %1 · %2', index + 1, formatBytes(bytes)), bytes });
    let end = pointer;
    while (next < blocks.length && (blocks[next] as Allocation).pointer < pointer) next += 1;
    for (; next < blocks.length; next += 1) {
      const block = blocks[next] as Allocation;
      if (block.pointer >= pointer + bytes) break;
      if (block.kind === BORROWED) continue;
      hole(index, end - pointer, block.pointer - end, end);
      places.push({
        row: index,
        offset: block.pointer - pointer,
        bytes: block.bytes,
        pointer: block.pointer,
        block
      });
      inside.add(block);
      end = block.pointer + block.bytes;
    }
    hole(index, end - pointer, pointer + bytes - end, end);
  }
  for (const borrowed of [false, true]) {
    const list = blocks.filter(block => !inside.has(block) && (block.kind === BORROWED) === borrowed);
    if (list.length === 0) continue;
    let offset = 0;
    for (const block of list) {
      places.push({ row: rows.length, offset, bytes: block.bytes, pointer: block.pointer, block });
      offset += block.bytes;
    }
    const label = borrowed
      ? phrases.__('borrowed · %1', formatBytes(offset))
      : phrases.__('single blocks · %1', formatBytes(offset));
    rows.push({ label, bytes: offset });
  }
  return { rows, places, free, largest, holes };
}

/** The number of an owner's colour, always the same for a name; 0 where there is no variable. */
export function colourOf({ owner }: Allocation): number {
  if (owner === '') return 0;
  let hash = 0;
  for (const letter of owner.split(' ')[0] ?? '') hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return 1 + (hash % COLOURS);
}

export interface BlockMap {
  readonly element: HTMLElement;
  update(layout: Layout, selected: number | null): void;
  redraw(): void;
  dispose(): void;
}

/** `select` gets the allocation that is pointed at; null for a hole. */
export function createBlockMap(
  phrases: Phrases,
  palette: () => Palette,
  select: (id: number | null) => void
): BlockMap {
  let layout: Layout = { rows: [], places: [], free: 0, largest: 0, holes: 0 };
  let at = 0;
  const canvas = createCanvas((context, width) => draw(context, width));
  const option = element('div', {
    class: 'stridelab-memory-option',
    id: uniqueId('block'),
    role: 'option',
    'aria-selected': 'true'
  });
  const holder = element('div', { class: 'stridelab-memory-map-canvas' }, canvas.element);
  const box = element(
    'div',
    {
      class: 'stridelab-memory-map',
      role: 'listbox',
      tabindex: '0',
      'aria-label': phrases.__('Blocks of memory by address'),
      'aria-activedescendant': option.id,
      'data-lm-suppress-shortcuts': 'true'
    },
    holder,
    option
  );
  const scaleOf = (width: number): number =>
    (width - LEFT - 8) / layout.rows.reduce((most, { bytes }) => Math.max(most, bytes), 1);

  const draw = (context: CanvasRenderingContext2D, width: number): void => {
    const color = (name: string): string => palette().color(name);
    const scale = scaleOf(width);
    context.font = `11px ${getComputedStyle(box).fontFamily}`;
    context.fillStyle = color('muted');
    for (const [row, { label }] of layout.rows.entries()) context.fillText(label, 12, row * ROW + 17);
    for (const [index, { row, offset, bytes, block }] of layout.places.entries()) {
      const [x, y] = [LEFT + offset * scale, row * ROW + 2];
      const [w, h] = [Math.max(1, bytes * scale - 1), ROW - 5];
      context.save();
      context.beginPath();
      context.rect(x, y, w, h);
      context.clip();
      context.lineWidth = 1;
      if (block !== null) {
        context.fillStyle = color(`owner-${colourOf(block)}`);
        context.fill();
        const name = block.owner === '' ? (w > 80 ? phrases.__('no variable') : '?') : block.owner;
        context.fillStyle = color('text');
        if (context.measureText(name).width < w - 8) context.fillText(name, x + 5, y + 15);
        context.strokeStyle = color('strong-line');
        if (block.kind === BORROWED) context.setLineDash([3, 3]);
        context.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
      } else {
        context.strokeStyle = color('strong-line');
        context.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
        context.beginPath();
        for (let stripe = -h; stripe < w; stripe += STRIPES) {
          context.moveTo(x + stripe, y + h);
          context.lineTo(x + stripe + h, y);
        }
        context.globalAlpha = 0.6;
        context.stroke();
      }
      context.restore();
      if (index !== at) continue;
      context.strokeStyle = color('text');
      context.lineWidth = 2;
      context.strokeRect(x - 1, y - 1, Math.max(3, w + 2), h + 2);
    }
  };

  const describe = ({ row, bytes, pointer, block }: Place): string => {
    const where = phrases.__('%1 at %2', formatBytes(bytes), formatAddress(pointer));
    const label = layout.rows[row]?.label ?? '';
    if (block === null) return phrases.__('Hole: %1, in %2', where, label);
    const words = [ownerWords(block, phrases), where, block.what, block.cell];
    return `▮ ${words.filter(word => word !== '').join(', ')}`;
  };
  const show = (): void => {
    const place = layout.places[at];
    setText(option, place === undefined ? phrases.__('No memory is in use at the cursor.') : describe(place));
    setAttribute(option, 'aria-setsize', String(layout.places.length));
    setAttribute(option, 'aria-posinset', String(Math.min(at + 1, layout.places.length)));
    canvas.invalidate();
  };
  const go = (index: number): void => {
    at = Math.max(0, Math.min(layout.places.length - 1, index));
    show();
    select(layout.places[at]?.block?.id ?? null);
    holder.scrollTop = Math.min(holder.scrollTop, (layout.places[at]?.row ?? 0) * ROW);
  };
  /** The place of a row that lies nearest to a number of bytes. */
  const nearest = (row: number, offset: number): number => {
    let best = -1;
    let least = Infinity;
    for (const [index, place] of layout.places.entries()) {
      if (place.row !== row) continue;
      const distance = Math.max(place.offset - offset, offset - place.offset - place.bytes, 0);
      if (distance < least) [best, least] = [index, distance];
    }
    return best < 0 ? at : best;
  };
  box.addEventListener('keydown', event => {
    const place = layout.places[at];
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = place.offset + place.bytes / 2;
    const targets: Record<string, number> = {
      ArrowLeft: at - 1,
      ArrowRight: at + 1,
      ArrowUp: nearest(place.row - 1, middle),
      ArrowDown: nearest(place.row + 1, middle),
      Home: 0,
      End: layout.places.length - 1
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    go(target);
  });
  canvas.element.addEventListener('click', ({ clientX, clientY }) => {
    const { left, top, width } = canvas.element.getBoundingClientRect();
    go(nearest(Math.floor((clientY - top) / ROW), (clientX - left - LEFT) / scaleOf(width)));
  });

  return {
    element: box,
    update(next, selected) {
      const before = layout.places[at];
      const rows = next.rows.slice(0, MOST_ROWS);
      layout = { ...next, rows, places: next.places.filter(({ row }) => row < MOST_ROWS) };
      const found = layout.places.findIndex(({ block, pointer }) =>
        selected === null ? block === null && pointer === before?.pointer : block?.id === selected
      );
      at = Math.max(0, found);
      canvas.element.style.height = `${Math.max(1, rows.length) * ROW}px`;
      show();
    },
    redraw: canvas.invalidate,
    dispose: canvas.dispose
  };
}

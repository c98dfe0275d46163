/** Draws one frame of the timeline. Bars narrower than a pixel are merged, so that the cost is bounded by the width. */

import { NO_LANE } from '../../../../src/pictures/timeline/schema.ts';
import type { Palette } from '../kit/canvas.ts';
import { KERNEL, LABEL, type KindStyles } from './kinds.ts';
import { AXIS, GUTTER, type LaidRow, type Layout } from './layout.ts';
import type { Records } from './records.ts';
import { ticksOf } from './time.ts';

/** A selected bar: the number of its record, and the key of its row if that was chosen. */
export interface Pick {
  readonly number: number;
  readonly row?: string;
}

export interface Scene {
  readonly records: Records;
  readonly layout: Layout;
  readonly from: number;
  readonly to: number;
  /** Pixels scrolled out of view at the top. */
  readonly top: number;
  /** Indexed like facts: 1 if they pass the filter. */
  readonly matches: Uint8Array;
  readonly selected: Pick | undefined;
  readonly measured: readonly [from: number, to: number] | undefined;
}

/** Minimum width, in pixels, of a bar that is drawn separately. */
const OWN = 2;
/** With more bars than this, only the selected bar has arrows. */
const MOST_ARROWS = 24;
const DIMMED = 0.14;
const FONT = '11px ';
const LETTER = 6;

export function drawTimeline(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  scene: Scene,
  palette: Palette,
  styles: KindStyles,
  fontFamily: string
): void {
  const { records, layout, from, to, top, matches, measured } = scene;
  const { columns } = records;
  const selected = records.slotOf(scene.selected?.number);
  const scale = (width - GUTTER) / (to - from);
  const xOf = (time: number): number => GUTTER + (time - from) * scale;
  const { color: colorOf } = palette;
  const text = colorOf('text');
  const muted = colorOf('muted');
  const line = colorOf('line');
  const rect = (color: string, x: number, y: number, wide: number, high: number, alpha = 1): void => {
    context.fillStyle = color;
    context.globalAlpha = alpha;
    context.fillRect(x, y, wide, high);
    context.globalAlpha = 1;
  };
  const seen: number[] = [];
  const waits: number[] = [];
  context.font = FONT + fontFamily;
  context.textBaseline = 'middle';

  const drawBar = (slot: number, kind: number, x: number, right: number, { y, height }: LaidRow): void => {
    const left = Math.max(x, GUTTER - 4);
    const bar = { x: left, y: y + 3, width: Math.min(right, width + 4) - left, height: height - 6 };
    const alpha = matches[columns.facts[slot]!] ? 1 : DIMMED;
    styles.fill(context, kind, alpha, bar);
    if (slot === selected) {
      context.strokeStyle = text;
      context.lineWidth = 2;
      context.strokeRect(bar.x, bar.y, bar.width, bar.height);
    }
    const letters = Math.floor((bar.width - 10) / LETTER);
    if (letters < 3 || alpha < 1) return;
    const { name, labels } = records.factsOf(slot);
    const title = kind === LABEL ? (labels.at(-1) ?? name) : name;
    const shown = title.length > letters ? `${title.slice(0, letters - 1)}…` : title;
    // Text over a pattern needs a solid background.
    if (kind !== LABEL && kind !== KERNEL)
      rect(colorOf('surface'), bar.x + 4, bar.y + 2, shown.length * LETTER + 4, bar.height - 4, 0.72);
    context.fillStyle = text;
    context.fillText(shown, bar.x + 6, y + height / 2, bar.width - 8);
  };

  /** Draws a column for each part, whose height is the share of busy time. */
  const drawOlder = ({ row: { older }, y, height }: LaidRow): void => {
    for (const [part, busy] of older.busy.entries()) {
      const [x, right] = [xOf(part * older.width), xOf((part + 1) * older.width)];
      const tall = Math.min(1, busy / older.width) * (height - 6);
      if (busy > 0 && right > GUTTER && x < width)
        rect(muted, x, y + height - 3 - Math.max(1, tall), Math.max(1, right - x), Math.max(1, tall), 0.55);
    }
  };

  const drawRow = (laid: LaidRow): void => {
    const { row, y, height, kind: rowKind } = laid;
    row.settle();
    drawOlder(laid);
    const { slots, starts, ends } = row;
    const count = slots.length;
    let [pixel, covered, longest, chosen] = [-1, 0, -1, 0];
    const flush = (): void => {
      if (pixel < 0) return;
      const matched = matches[columns.facts[chosen]!]!;
      const alpha = matched ? 0.45 + 0.55 * Math.min(1, covered) : DIMMED;
      rect(styles.color(records.kinds[chosen]!), pixel, y + 3, 1, height - 6, alpha);
      pixel = -1;
    };
    for (let index = row.firstAfter(from - OWN / scale); index < count; index += 1) {
      const start = starts[index]!;
      if (start > to) break;
      const slot = slots[index]!;
      const length = (ends[index]! - start) * scale;
      const x = xOf(start);
      if (length < OWN && slot !== selected) {
        const at = Math.floor(x);
        if (at !== pixel) {
          flush();
          [pixel, covered, longest] = [at, 0, -1];
        }
        covered += length;
        const weight = matches[columns.facts[slot]!] ? length + 1 : length;
        if (weight > longest) [longest, chosen] = [weight, slot];
      } else {
        flush();
        drawBar(slot, records.kinds[slot]!, x, x + Math.max(length, OWN), laid);
        if (rowKind !== 'work') continue;
        if (columns.waits[slot] !== NO_LANE) waits.push(slot);
        else seen.push(slot);
      }
    }
    flush();
  };

  const middles = new Map(layout.rows.map(({ kind, lane, y, height }) => [kind + lane, y + height / 2]));
  const drawArrow = (
    x0: number,
    y0: number | undefined,
    x1: number,
    y1: number | undefined,
    color: string
  ): void => {
    if (y0 === undefined || y1 === undefined) return;
    const down = Math.sign(y1 - y0);
    const [start, end] = [y0 + 8 * down, y1 - 11 * down];
    context.strokeStyle = context.fillStyle = color;
    context.globalAlpha = color === text ? 1 : 0.6;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x0, start);
    context.bezierCurveTo(x0, (start + end) / 2, x1, (start + end) / 2, x1, end);
    context.stroke();
    context.beginPath();
    context.moveTo(x1 - 3, end - 5 * down);
    context.lineTo(x1 + 3, end - 5 * down);
    context.lineTo(x1, end);
    context.fill();
    context.globalAlpha = 1;
  };
  const drawSubmission = (slot: number): void => {
    const color = slot === selected ? text : muted;
    const submitted = columns.submitted[slot]!;
    if (submitted < from && slot !== selected) return;
    const end = middles.get(`work${columns.lane[slot]}`);
    drawArrow(
      xOf(submitted),
      middles.get(`calls${columns.host[slot]}`),
      xOf(columns.start[slot]!) + 1,
      end,
      color
    );
  };
  /** Draws the arrow of a wait, which ends when the other stream reaches the awaited point. */
  const drawWait = (slot: number): void => {
    const end = xOf(columns.start[slot]! + columns.duration[slot]!);
    const [other, own] = [
      middles.get(`work${columns.waits[slot]}`),
      middles.get(`work${columns.lane[slot]}`)
    ];
    drawArrow(end, other, end, own, text);
  };

  context.save();
  context.beginPath();
  context.rect(0, AXIS, width, height);
  context.clip();
  context.translate(0, -top);
  for (const { head, title, y, height: tall } of layout.rows) {
    if (head !== '') {
      rect(colorOf('raised'), 0, y - 20, width, 20, 0.5);
      context.fillStyle = muted;
      context.fillText(head, 8, y - 10);
    }
    rect(line, 0, y + tall, width, 1);
    context.fillStyle = text;
    context.fillText(title, 18, y + tall / 2, GUTTER - 22);
  }
  context.beginPath();
  context.rect(GUTTER, AXIS, width, layout.height);
  context.clip();
  const ticks = ticksOf(from, to, 90 / scale);
  for (const { time } of ticks) rect(line, Math.round(xOf(time)), top, 1, height);
  for (const row of layout.rows) if (row.y + row.height > top && row.y < top + height) drawRow(row);
  if (waits.length <= MOST_ARROWS) waits.forEach(drawWait);
  if (seen.length <= MOST_ARROWS) seen.forEach(drawSubmission);
  else if (selected !== undefined) drawSubmission(selected);
  if (measured !== undefined) {
    const [start, end] = measured.map(xOf) as [number, number];
    const accent = colorOf('accent');
    rect(accent, start, top, end - start, height, 0.14);
    for (const x of [start, end]) rect(accent, x - 0.5, top, 1, height);
  }
  context.restore();
  context.fillStyle = muted;
  for (const { time, text: mark } of ticks) {
    const x = Math.round(xOf(time));
    context.fillRect(x, AXIS - 5, 1, 5);
    if (x < width - 50) context.fillText(mark, x + 4, AXIS / 2);
  }
}

/** Finds the bar at or next to a point; of several, the shortest. */
export function barAt(
  { records, layout, from, to, top }: Scene,
  width: number,
  x: number,
  y: number
): Pick | undefined {
  const laid = layout.rows.find(({ y: above, height }) => y + top >= above && y + top < above + height);
  if (laid === undefined || x < GUTTER) return undefined;
  const { row, key } = laid;
  row.settle();
  const pixel = (to - from) / (width - GUTTER);
  const time = from + (x - GUTTER) * pixel;
  let found: number | undefined;
  let shortest = Infinity;
  for (let index = row.firstAfter(time - 3 * pixel); index < row.slots.length; index += 1) {
    const start = row.starts[index]!;
    if (start > time + 3 * pixel) break;
    const length = row.ends[index]! - start;
    if (row.ends[index]! < time - 3 * pixel || length >= shortest) continue;
    [found, shortest] = [row.slots[index]!, length];
  }
  return found === undefined ? undefined : { number: records.columns.number[found]!, row: key };
}

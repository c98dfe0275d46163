/** Chart of bytes in use, one step per event, with a cursor that moves between events. */

import { formatBytes } from '../../../../src/base/bytes-text.ts';
import { createCanvas, type Palette } from '../kit/canvas.ts';
import { disable } from '../kit/controls.ts';
import { onKeyActions } from '../kit/cursor.ts';
import { element, setAttribute } from '../kit/dom.ts';
import { isFailure, type Point } from './history.ts';
import { __ } from '../kit/phrases.ts';

const LEFT = 64;
const RIGHT = 10;
const TOP = 18;
const BOTTOM = 6;
/** Number of events that PageUp and PageDown move the cursor. */
const PAGE = 10;

export interface TimelineData {
  readonly points: readonly Point[];
  /** Bytes in use before the first event. */
  readonly base: number;
  /** Index of the cursor's event, -1 before the first. */
  readonly cursor: number;
  readonly anchor: number | null;
  readonly text: string;
  /** False if only totals of the past are known: `history` then holds them, alternating time and bytes. */
  readonly movable: boolean;
  readonly history: readonly number[];
}

/** Pairs of position and bytes: a position is an event count, or a time. */
function stepsOf({ points, base, movable, history }: TimelineData): (readonly [number, number])[] {
  if (movable) return [[0, base], ...points.map(({ live }, index) => [index + 1, live] as const)];
  return Array.from(
    { length: history.length / 2 },
    (_, index) => [history[2 * index] as number, history[2 * index + 1] as number] as const
  );
}

export function createTimeline(signal: AbortSignal, palette: Palette, move: (index: number) => void) {
  let data: TimelineData | undefined;
  const canvas = createCanvas(signal, (context, width, height) => {
    if (data !== undefined) draw(context, width, height, data, palette);
  });
  const slider = element(
    'div',
    {
      class: 'mv-timeline',
      role: 'slider',
      tabindex: '0',
      'aria-label': __('Time cursor'),
      'aria-valuemin': '0',
      'aria-valuenow': '0'
    },
    canvas
  );
  const go = (index: number): void => {
    if (data?.movable) move(Math.max(-1, Math.min(data.points.length - 1, index)));
  };
  onKeyActions(slider, () => {
    const { cursor = 0, points = [] } = data ?? {};
    const [back, forward] = [() => go(cursor - 1), () => go(cursor + 1)];
    return {
      ArrowLeft: back,
      ArrowDown: back,
      ArrowRight: forward,
      ArrowUp: forward,
      PageUp: () => go(cursor + PAGE),
      PageDown: () => go(cursor - PAGE),
      Home: () => go(-1),
      End: () => go(points.length - 1)
    };
  });
  const drag = ({ clientX, buttons, type, pointerId }: PointerEvent): void => {
    if (!data || buttons === 0) return;
    if (type === 'pointerdown') slider.setPointerCapture(pointerId);
    const part = (clientX - slider.getBoundingClientRect().left - LEFT) / (canvas.width - LEFT - RIGHT);
    go(Math.round(part * (data.points.length + 1)) - 1);
  };
  slider.addEventListener('pointerdown', drag);
  slider.addEventListener('pointermove', drag);

  return {
    element: slider,
    update(next: TimelineData): void {
      data = next;
      const { points, cursor, text, movable } = next;
      setAttribute(slider, 'aria-valuemax', String(points.length));
      setAttribute(slider, 'aria-valuenow', String(cursor + 1));
      setAttribute(slider, 'aria-valuetext', text);
      disable(slider, !movable);
      canvas.invalidate();
    },
    redraw: canvas.invalidate
  };
}

function draw(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  data: TimelineData,
  { color }: Palette
): void {
  const { points, cursor, anchor, movable } = data;
  const steps = stepsOf(data);
  const start = steps[0]?.[0] ?? 0;
  const end = movable ? points.length + 1 : (steps.at(-1)?.[0] ?? 1);
  const most = steps.reduce((max, [, live]) => Math.max(max, live), 1);
  const floor = height - BOTTOM;
  const x = (at: number): number => LEFT + ((at - start) / (end - start || 1)) * (width - LEFT - RIGHT);
  const y = (live: number): number => floor - (live / most) * (floor - TOP);
  const line = (x1: number, y1: number, x2: number, y2: number): void => {
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  };
  context.font = `11px ${getComputedStyle(context.canvas).fontFamily}`;
  context.textAlign = 'right';
  context.strokeStyle = color('line');
  context.fillStyle = color('muted');
  for (const live of [0, most / 2, most]) {
    line(LEFT, y(live), width - RIGHT, y(live));
    context.fillText(formatBytes(live), LEFT - 6, y(live) + 4);
  }
  context.beginPath();
  let before = floor;
  for (const [at, live] of [...steps, [end, steps.at(-1)?.[1] ?? 0] as const]) {
    context.lineTo(x(at), before);
    before = y(live);
    context.lineTo(x(at), before);
  }
  context.lineTo(x(end), floor);
  context.strokeStyle = context.fillStyle = color('accent');
  context.lineWidth = 1.5;
  context.stroke();
  context.globalAlpha = 0.16;
  context.fill();
  context.globalAlpha = 1;
  if (!movable) return;
  context.textAlign = 'left';
  let cell = '';
  let room = 0;
  for (const [index, { subject, number }] of points.entries()) {
    const at = x(index + 1);
    if (isFailure(subject)) {
      context.fillStyle = context.strokeStyle = color('error');
      context.lineWidth = 1;
      line(at, TOP, at, floor);
      context.fillText('✕', at + 3, floor - 4);
    } else if (subject.made !== number) continue;
    if (subject.cell === cell || at < room) continue;
    ({ cell } = subject);
    context.fillStyle = color('muted');
    context.fillText(cell, at, 11);
    room = at + context.measureText(cell).width + 8;
  }
  context.strokeStyle = context.fillStyle = color('text');
  context.lineWidth = 2;
  const mark = (index: number, name: string): void => {
    const at = Math.round(x(index + 1));
    line(at, TOP - 4, at, floor);
    context.fillText(name, at + 4, TOP + 6);
  };
  mark(cursor, anchor === null ? '' : 'B');
  context.setLineDash([4, 3]);
  if (anchor !== null) mark(anchor, 'A');
  context.setLineDash([]);
}

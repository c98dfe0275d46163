/** Bytes in use, a step for each event, with a cursor that goes from event to event. */

import { formatBytes } from '../array-inspector/format.ts';
import { createCanvas } from '../canvas.ts';
import { element, setAttribute } from '../dom.ts';
import type { Palette } from '../palette.ts';
import type { Phrases } from '../phrases.ts';
import { isFailure } from './history.ts';
import type { Point } from './history.ts';

const LEFT = 64;
const RIGHT = 10;
const TOP = 18;
const BOTTOM = 6;
/** Events that PageUp and PageDown go. */
const PAGE = 10;

export interface TimelineData {
  readonly points: readonly Point[];
  /** Bytes in use before the first. */
  readonly base: number;
  /** Index of the cursor's event, -1 before the first. */
  readonly cursor: number;
  /** Index of the other cursor's event. */
  readonly anchor: number | null;
  readonly text: string;
  /** False where the past is known by its sums alone: `history` then tells them, time and bytes by turns. */
  readonly movable: boolean;
  readonly history: readonly number[];
}

export interface Timeline {
  readonly element: HTMLElement;
  update(data: TimelineData): void;
  redraw(): void;
  dispose(): void;
}

export function createTimeline(
  phrases: Phrases,
  palette: () => Palette,
  move: (index: number) => void
): Timeline {
  let data: TimelineData | undefined;
  const canvas = createCanvas((context, width, height) => data && draw(context, width, height, data));
  const slider = element(
    'div',
    {
      class: 'stridelab-memory-timeline',
      role: 'slider',
      tabindex: '0',
      'aria-label': phrases.__('Cursor in the timeline of memory'),
      'aria-valuemin': '0',
      'data-lm-suppress-shortcuts': 'true'
    },
    canvas.element
  );

  const draw = (
    context: CanvasRenderingContext2D,
    width: number,
    height: number,
    shown: TimelineData
  ): void => {
    const color = (name: string): string => palette().color(name);
    const { points, base, cursor, anchor, movable, history } = shown;
    const steps = movable
      ? points.map(({ live }, index) => [index + 1, live] as const)
      : Array.from(
          { length: history.length / 2 },
          (_, index) => [history[2 * index] as number, history[2 * index + 1] as number] as const
        );
    const start = movable ? 0 : (steps[0]?.[0] ?? 0);
    const span = Math.max(1e-9, (movable ? points.length + 1 : (steps.at(-1)?.[0] ?? 1)) - start);
    const most = steps.reduce((max, [, live]) => Math.max(max, live), Math.max(base, 1));
    const x = (at: number): number => LEFT + ((at - start) / span) * (width - LEFT - RIGHT);
    const floor = height - BOTTOM;
    const y = (live: number): number => floor - (live / most) * (floor - TOP);
    context.font = `11px ${getComputedStyle(slider).fontFamily}`;
    context.lineWidth = 1;
    for (const part of [0, 0.5, 1]) {
      context.strokeStyle = color('line');
      line(context, LEFT, y(most * part), width - RIGHT, y(most * part));
      context.fillStyle = color('muted');
      context.textAlign = 'right';
      context.fillText(formatBytes(most * part), LEFT - 6, y(most * part) + 4);
    }
    // Of thousands of steps in one pixel the first, the least and the greatest are what it shows.
    context.beginPath();
    context.moveTo(x(start), floor);
    let live = movable ? base : (steps[0]?.[1] ?? 0);
    context.lineTo(x(start), y(live));
    for (const [at, next] of steps) {
      context.lineTo(x(at), y(live));
      context.lineTo(x(at), y(next));
      live = next;
    }
    context.lineTo(x(start + span), y(live));
    context.strokeStyle = color('accent');
    context.lineWidth = 1.5;
    context.stroke();
    context.lineTo(x(start + span), floor);
    context.globalAlpha = 0.16;
    context.fillStyle = color('accent');
    context.fill();
    context.globalAlpha = 1;
    if (!movable) return;
    context.textAlign = 'left';
    let cell = '';
    let free = 0;
    for (const [index, { subject }] of points.entries()) {
      const at = x(index + 1);
      if (isFailure(subject)) {
        context.fillStyle = color('error');
        context.fillText('✕', at - 4, floor - 3);
      } else if (subject.made === points[index]?.number && subject.cell !== cell) {
        ({ cell } = subject);
        if (cell === '' || at < free) continue;
        context.fillStyle = color('muted');
        context.fillText(cell, at, 11);
        free = at + context.measureText(cell).width + 8;
      }
    }
    for (const [index, name] of [
      [anchor, 'A'],
      [cursor, anchor === null ? '' : 'B']
    ] as const) {
      if (index === null) continue;
      const at = Math.round(x(index + 1));
      context.fillStyle = context.strokeStyle = color('text');
      context.lineWidth = name === 'A' ? 1 : 2;
      context.setLineDash(name === 'A' ? [4, 3] : []);
      line(context, at, TOP - 4, at, floor);
      context.setLineDash([]);
      context.textAlign = at > width - 40 ? 'right' : 'left';
      if (name !== '') context.fillText(name, at + (at > width - 40 ? -4 : 4), TOP + 6);
    }
  };

  const go = (index: number): void => {
    if (!data?.movable) return;
    move(Math.max(-1, Math.min(data.points.length - 1, index)));
  };
  slider.addEventListener('keydown', event => {
    if (!data) return;
    const { cursor, points } = data;
    const targets: Record<string, number> = {
      ArrowLeft: cursor - 1,
      ArrowDown: cursor - 1,
      ArrowRight: cursor + 1,
      ArrowUp: cursor + 1,
      PageUp: cursor + PAGE,
      PageDown: cursor - PAGE,
      Home: -1,
      End: points.length - 1
    };
    const target = targets[event.key];
    if (target === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    go(target);
  });
  const drag = ({ clientX, buttons }: PointerEvent): void => {
    if (!data || buttons === 0) return;
    const { left, width } = slider.getBoundingClientRect();
    const part = (clientX - left - LEFT) / Math.max(1, width - LEFT - RIGHT);
    go(Math.round(part * (data.points.length + 1)) - 1);
  };
  slider.addEventListener('pointerdown', event => {
    slider.setPointerCapture(event.pointerId);
    drag(event);
  });
  slider.addEventListener('pointermove', drag);

  return {
    element: slider,
    update(next) {
      data = next;
      setAttribute(slider, 'aria-valuemax', String(next.points.length));
      setAttribute(slider, 'aria-valuenow', String(next.cursor + 1));
      setAttribute(slider, 'aria-valuetext', next.text);
      setAttribute(slider, 'aria-disabled', next.movable ? null : 'true');
      canvas.invalidate();
    },
    redraw: canvas.invalidate,
    dispose: canvas.dispose
  };
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

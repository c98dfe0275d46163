/** The whole trace as a strip, with a window over the visible part, moved with the pointer or the keyboard. */

import { createCanvas } from '../kit/canvas.ts';
import { onKeyActions } from '../kit/cursor.ts';
import { element, part, setAttribute } from '../kit/dom.ts';
import type { Row } from './row.ts';
import { formatTime } from './time.ts';
import type { TimeWindow } from './window.ts';
import { __ } from '../kit/phrases.ts';

/** Distance in CSS pixels from an end of the window within which a drag moves only that end. */
const EDGE = 9;
/** A narrower window can be moved but not resized. */
const STRETCHED = 4 * EDGE;
const ZOOM = 1.5;

/** Creates the overview. `moved` is called after the user moves the window. */
export function createOverview(signal: AbortSignal, shown: TimeWindow, moved: () => void) {
  let rows: readonly Row[] = [];
  const canvas = createCanvas(signal, (context, width, height) => {
    const [from, to] = shown.whole;
    const step = (to - from) / width;
    const tall = height / rows.length;
    context.fillStyle = getComputedStyle(canvas.element).color;
    for (const [index, row] of rows.entries()) {
      row.settle();
      let before = row.workedUntil(from);
      for (let x = 0; x < width; x += 1) {
        const now = row.workedUntil(from + (x + 1) * step);
        context.globalAlpha = now > before ? 0.3 + 0.7 * Math.min(1, (now - before) / step) : 0;
        context.fillRect(x, index * tall, 1, Math.max(1, tall - 1));
        before = now;
      }
    }
    context.globalAlpha = 1;
  });
  const window = element('div', {
    class: 'trace-window',
    role: 'slider',
    tabindex: '0',
    'aria-label': __('Visible part of the record'),
    'aria-valuemin': '0',
    'aria-valuemax': '100',
    // The initial state shows everything.
    'aria-valuenow': '50'
  });
  const strip = part('div', 'trace-overview', canvas, window);

  const move = (act: () => void) => (): void => {
    act();
    moved();
  };
  const keys = {
    ArrowLeft: move(() => shown.pan(-0.2)),
    ArrowRight: move(() => shown.pan(0.2)),
    PageUp: move(() => shown.pan(-1)),
    PageDown: move(() => shown.pan(1)),
    Home: move(() => shown.pan(-Infinity)),
    End: move(() => shown.pan(Infinity)),
    '+': move(() => shown.zoom(1 / ZOOM)),
    '-': move(() => shown.zoom(ZOOM)),
    0: move(() => shown.zoom(Infinity))
  };
  onKeyActions(window, () => keys);

  /** State at the start of a drag: the time under the pointer, the window, and which of its ends move. */
  let drag:
    | {
        readonly at: number;
        readonly from: number;
        readonly to: number;
        readonly ends: readonly [boolean, boolean];
      }
    | undefined;
  const timeAt = (clientX: number): number => {
    const { left, width } = strip.getBoundingClientRect();
    const [from, to] = shown.whole;
    return from + ((clientX - left) / Math.max(1, width)) * (to - from);
  };
  strip.addEventListener('pointerdown', event => {
    const { button, clientX, pointerId } = event;
    if (button !== 0) return;
    // The press would move the focus to the element below.
    event.preventDefault();
    window.focus();
    const at = timeAt(clientX);
    if (at < shown.from || at > shown.to) {
      const half = (shown.to - shown.from) / 2;
      shown.show(at - half, at + half);
      moved();
    }
    const { left, right } = window.getBoundingClientRect();
    const [atStart, atEnd] = [clientX - left < EDGE, right - clientX < EDGE];
    const isMoved = right - left < STRETCHED || atStart === atEnd;
    drag = { at, from: shown.from, to: shown.to, ends: [isMoved || atStart, isMoved || atEnd] };
    strip.setPointerCapture(pointerId);
  });
  strip.addEventListener('pointermove', ({ clientX }) => {
    if (drag === undefined) return;
    const by = timeAt(clientX) - drag.at;
    const [from, to] = [drag.from + (drag.ends[0] ? by : 0), drag.to + (drag.ends[1] ? by : 0)];
    if (to > from) shown.show(from, to);
    moved();
  });
  for (const name of ['pointerup', 'pointercancel'] as const)
    strip.addEventListener(name, () => (drag = undefined));

  const place = (): void => {
    const [from, to] = shown.whole;
    const share = (time: number): number => (100 * (time - from)) / (to - from);
    const span = shown.to - shown.from;
    window.style.left = `${share(shown.from)}%`;
    window.style.width = `${share(shown.to) - share(shown.from)}%`;
    setAttribute(window, 'aria-valuenow', String(Math.round(share((shown.from + shown.to) / 2))));
    const ends = [shown.from, shown.to].map(time => formatTime(time, span)) as [string, string];
    setAttribute(window, 'aria-valuetext', __('%1 to %2', ...ends));
  };
  return {
    element: strip,
    update(next: readonly Row[]): void {
      rows = next;
      canvas.invalidate();
      place();
    },
    redraw: canvas.invalidate,
    place
  };
}

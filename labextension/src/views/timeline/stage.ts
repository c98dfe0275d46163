/** The interactive canvas: pan, zoom, select a bar, measure a range. */

import { createCanvas, createPalette } from '../kit/canvas.ts';
import { isCombined, onKeys } from '../kit/cursor.ts';
import { element } from '../kit/dom.ts';
import type { Frame } from '../kit/framed.ts';
import { barAt, drawTimeline, type Pick, type Scene } from './draw.ts';
import { createKindStyles, type KindStyles } from './kinds.ts';
import { AXIS, GUTTER } from './layout.ts';
import type { TimeWindow } from './window.ts';

/** Maximum height in CSS pixels; taller content scrolls. */
const TALLEST = 420;
/** A press that moves less, in CSS pixels, is a click. */
const CLICK = 4;
const WHEEL_ZOOM = 1.0018;
export const ZOOM = 1.5;

export interface StageOptions {
  readonly frame: Frame;
  readonly attributes: Readonly<Record<string, string>>;
  readonly window: TimeWindow;
  /** The scene to draw, without its scroll position. */
  scene(): Omit<Scene, 'top'>;
  select(bar: Pick | undefined): void;
  /** Requests evicted records, where there is no bar. */
  readOlder(from: number, to: number): void;
  measure(range: readonly [number, number] | undefined): void;
  moved(): void;
  /** Moves the selection by rows and bars; false at the end. */
  go(rows: number, bars: number): boolean;
  /** Called when the pointer is over a bar, with a point of the canvas; undefined if it is over none, or left. */
  hover(bar: Pick | undefined, x: number, y: number): void;
  openDetails(): void;
  restyled(styles: KindStyles): void;
}

export function createStage(options: StageOptions) {
  const { frame, window: shown, measure, moved, go } = options;
  // Colours are known once the picture is in the document.
  let isStyled = false;
  const palette = createPalette(frame.root, frame.signal, () => {
    styles.forget();
    isStyled = false;
    canvas.invalidate();
  });
  const styles = createKindStyles(palette);
  const canvas = createCanvas(frame.signal, (context, width, height) => {
    if (!isStyled) options.restyled(styles);
    isStyled = true;
    drawTimeline(context, width, height, scene(), palette, styles, getComputedStyle(stage).fontFamily);
  });
  const spacer = element('div', {}, canvas);
  const attributes = { class: 'trace-stage', role: 'application', tabindex: '0', ...options.attributes };
  const stage = element('div', attributes, spacer);
  const scene = (): Scene => ({ ...options.scene(), top: stage.scrollTop });
  const span = (): number => shown.to - shown.from;
  const plotWidth = (): number => Math.max(1, canvas.width - GUTTER);
  const timeAt = (x: number): number => shown.from + ((x - GUTTER) / plotWidth()) * span();

  stage.addEventListener('scroll', canvas.invalidate);
  stage.addEventListener(
    'wheel',
    event => {
      const { deltaX, deltaY, shiftKey, ctrlKey, metaKey, offsetX } = event;
      const sideways = shiftKey ? deltaX + deltaY : Math.abs(deltaX) > Math.abs(deltaY) ? deltaX : 0;
      // The canvas must not capture the wheel while the page scrolls past it.
      if (!sideways && !ctrlKey && !metaKey && document.activeElement !== stage) return;
      event.preventDefault();
      if (sideways) shown.pan(sideways / plotWidth());
      else shown.zoom(WHEEL_ZOOM ** deltaY, timeAt(offsetX));
      moved();
    },
    { passive: false }
  );

  let press:
    | { readonly x: number; readonly y: number; last: number; readonly top: number; isDrag: boolean }
    | undefined;
  stage.addEventListener(
    'pointerdown',
    ({ button, offsetX, offsetY, clientX, clientY, pointerId, target }) => {
      if (button !== 0 || target !== canvas.element || offsetY < AXIS) return;
      press = { x: offsetX, y: clientY, last: clientX, top: stage.scrollTop, isDrag: false };
      stage.setPointerCapture(pointerId);
    }
  );
  const hover = ({ clientX, clientY }: MouseEvent): Pick | undefined => {
    const { left, top } = canvas.element.getBoundingClientRect();
    const [x, y] = [clientX - left, clientY - top];
    const bar = barAt(scene(), canvas.width, x, y);
    options.hover(bar, x, y);
    return bar;
  };
  stage.addEventListener('pointerleave', ({ pointerType }) => {
    // A finger leaves when it is lifted: keep the tooltip until the next touch.
    if (pointerType !== 'touch') options.hover(undefined, 0, 0);
  });
  stage.addEventListener('pointermove', event => {
    const { clientX, clientY, shiftKey } = event;
    if (press === undefined) {
      hover(event);
      return;
    }
    const x = clientX - canvas.element.getBoundingClientRect().left;
    press.isDrag ||= Math.abs(x - press.x) + Math.abs(clientY - press.y) > CLICK;
    if (!press.isDrag) return;
    if (shiftKey) {
      const ends = [timeAt(press.x), timeAt(x)];
      measure([Math.min(...ends), Math.max(...ends)]);
    } else {
      shown.pan((press.last - clientX) / plotWidth());
      stage.scrollTop = press.top + press.y - clientY;
      moved();
    }
    press.last = clientX;
  });
  stage.addEventListener('pointerup', event => {
    if (press?.isDrag === false) {
      // Touch has no hover before the press.
      const bar = hover(event);
      options.select(bar);
      const time = timeAt(event.clientX - canvas.element.getBoundingClientRect().left);
      if (bar === undefined) options.readOlder(time, time);
    }
    press = undefined;
  });
  stage.addEventListener('pointercancel', () => (press = undefined));

  const pans: Readonly<Record<string, number>> = {
    ArrowLeft: -0.2,
    a: -0.2,
    ArrowRight: 0.2,
    d: 0.2,
    Home: -Infinity,
    End: Infinity
  };
  const zooms: Readonly<Record<string, number>> = {
    '+': 1 / ZOOM,
    '=': 1 / ZOOM,
    w: 1 / ZOOM,
    '-': ZOOM,
    s: ZOOM,
    0: Infinity
  };
  const act = (key: string, shift: boolean): boolean => {
    const { selected, measured } = options.scene();
    const pan = pans[key];
    const zoom = zooms[key];
    if (key === 'Tab') return selected !== undefined && go(0, shift ? -1 : 1);
    if (key === 'Escape') {
      if (selected !== undefined) options.select(undefined);
      else if (measured !== undefined) measure(undefined);
      else return false;
    } else if (key === 'Enter') {
      if (selected === undefined) go(0, 0);
      else options.openDetails();
    } else if (key === 'ArrowUp' || key === 'ArrowDown') go(key === 'ArrowUp' ? -1 : 1, 0);
    else if (key === 'm') measure(measured ? undefined : [shown.from, shown.to]);
    else if (pan !== undefined && shift) {
      const [from, to] = measured ?? [shown.from + 0.4 * span(), shown.from + 0.5 * span()];
      measure([from, Math.max(from, to + 0.1 * pan * span())]);
    } else if (pan !== undefined || zoom !== undefined) {
      if (pan !== undefined) shown.pan(pan);
      else shown.zoom(zoom!);
      moved();
    } else return false;
    return true;
  };
  onKeys(stage, event => !isCombined(event) && act(event.key, event.shiftKey));

  return {
    element: stage,
    get width(): number {
      return canvas.width;
    },
    scene,
    invalidate(): void {
      const { height } = options.scene().layout;
      spacer.style.height = `${height}px`;
      canvas.element.style.height = `${Math.min(height, TALLEST)}px`;
      canvas.invalidate();
    }
  };
}

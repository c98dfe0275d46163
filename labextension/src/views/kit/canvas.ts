/** A canvas that fills its box, is sharp on every screen, and draws at most once per frame. */

import { element } from './dom.ts';

/** Creates the canvas. `draw` receives a cleared context in CSS pixels, and is not called while the canvas has no size. */
export function createCanvas(
  draw: (context: CanvasRenderingContext2D, width: number, height: number) => void
) {
  // A table beside it is the accessible alternative.
  const canvas = element('canvas', { 'aria-hidden': 'true', class: 'canvas' });
  const context = canvas.getContext('2d');
  let width = 0;
  let height = 0;
  let frame = 0;
  const paint = (): void => {
    frame = 0;
    if (context === null || width === 0 || height === 0) return;
    const ratio = window.devicePixelRatio || 1;
    const [columns, rows] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== columns || canvas.height !== rows) {
      canvas.width = columns;
      canvas.height = rows;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, width, height);
  };
  const invalidate = (): void => {
    if (frame === 0) frame = requestAnimationFrame(paint);
  };
  const sizes = new ResizeObserver(() => {
    ({ clientWidth: width, clientHeight: height } = canvas);
    invalidate();
  });
  sizes.observe(canvas);
  return {
    element: canvas,
    /** Width in CSS pixels. */
    get width(): number {
      return width;
    },
    get height(): number {
      return height;
    },
    /** Schedules one draw in the next frame, however often it is called. */
    invalidate,
    dispose(): void {
      sizes.disconnect();
      cancelAnimationFrame(frame);
    }
  };
}

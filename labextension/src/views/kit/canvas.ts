/** Canvases that fill their boxes, are sharp on every screen, and draw at most once per frame; and their colours. */

import { element } from './dom.ts';
import { oncePerFrame } from './once-per-frame.ts';

/** Creates the canvas. `draw` receives a cleared context in CSS pixels, and is not called while the canvas has no size. */
export function createCanvas(
  signal: AbortSignal,
  draw: (context: CanvasRenderingContext2D, width: number, height: number) => void
) {
  // A table beside it is the accessible alternative.
  const canvas = element('canvas', { 'aria-hidden': 'true', class: 'canvas' });
  const context = canvas.getContext('2d');
  let width = 0;
  let height = 0;
  const paint = (): void => {
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
  const invalidate = oncePerFrame(signal, paint);
  const sizes = new ResizeObserver(() => {
    ({ clientWidth: width, clientHeight: height } = canvas);
    invalidate();
  });
  sizes.observe(canvas);
  signal.addEventListener('abort', () => sizes.disconnect());
  return {
    element: canvas,
    get width(): number {
      return width;
    },
    get height(): number {
      return height;
    },
    invalidate
  };
}

/** Colours of the style sheets, which canvases cannot use: read from an element's style, and again when the theme changes. */
export type Palette = ReturnType<typeof createPalette>;

const MEDIA = ['(prefers-color-scheme: dark)', '(forced-colors: active)', '(prefers-contrast: more)'];

/** Creates the palette. `onChange` is called in a separate frame after a theme change, when the new style sheet applies. */
export function createPalette(element: HTMLElement, signal: AbortSignal, onChange: () => void) {
  const known = new Map<string, string>();
  const changed = oncePerFrame(signal, () => {
    known.clear();
    onChange();
  });
  // JupyterLab sets its theme name on the body; its sheets are link elements.
  const themes = new MutationObserver(changed);
  themes.observe(document.body, { attributeFilter: ['data-jp-theme-name', 'data-jp-theme-light', 'class'] });
  for (const query of MEDIA) window.matchMedia(query).addEventListener('change', changed, { signal });
  signal.addEventListener('abort', () => themes.disconnect());

  return {
    /** Returns the computed colour of `--sd-NAME` at the element. */
    color(name: string): string {
      let color = known.get(name);
      if (color === undefined) {
        color = computedColor(element, name);
        known.set(name, color);
      }
      return color;
    }
  };
}

/** Reads a colour through an element: a variable may be a mixture of others, which only a real property resolves. */
function computedColor(element: HTMLElement, name: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(--sd-${name})`;
  probe.style.display = 'none';
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

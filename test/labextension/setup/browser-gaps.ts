/** Browser features that Lumino needs and jsdom lacks. */

globalThis.DragEvent ??= class extends MouseEvent {} as typeof DragEvent;

/** jsdom has no layout, so there is no size to report. */
class NoSizes implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoSizes;

globalThis.matchMedia ??= media =>
  Object.assign(new EventTarget(), { media, matches: false }) as MediaQueryList;

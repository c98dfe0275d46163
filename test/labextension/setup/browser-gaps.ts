/** What Lumino expects of a browser and jsdom does not have. */

globalThis.DragEvent ??= class extends MouseEvent {} as typeof DragEvent;

/** jsdom lays nothing out, so there is no size to tell. */
class NoSizes implements ResizeObserver {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
globalThis.ResizeObserver ??= NoSizes;

globalThis.matchMedia ??= media =>
  Object.assign(new EventTarget(), { media, matches: false }) as MediaQueryList;

/**
 * Live pictures that no page shows: outputs that were cleared before they were drawn, or that a later run replaced. No page closes them, and
 * a notebook that is opened again looks for its own, so the latest stay and the oldest are closed as new ones are opened.
 */

import type { LiveWidget } from './live-widget.ts';

/** A notebook that is closed and opened again finds this many of its pictures live; the others are static then. */
export const MOST_UNWATCHED = 64;
/** Milliseconds that a page has for its first view, however many pictures one cell opens. */
export const UNWATCHED_PATIENCE = 60_000;

/** Since when, in the order of that. */
const unwatched = new Map<LiveWidget<object>, number>();

/** For a picture that only pages hold. It has just been opened. */
export function boundUnwatched(picture: LiveWidget<object>): void {
  const now = performance.now();
  unwatched.set(picture, now);
  picture.observe('_view_count', ({ new: views }) => {
    unwatched.delete(picture);
    if (views === 0) unwatched.set(picture, performance.now());
  });
  picture.on('close', () => void unwatched.delete(picture));
  for (const [oldest, since] of unwatched) {
    if (unwatched.size <= MOST_UNWATCHED || now - since < UNWATCHED_PATIENCE) break;
    oldest.close();
  }
}

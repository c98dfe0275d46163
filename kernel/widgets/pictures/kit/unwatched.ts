/** Limits live pictures that no page shows. New ones close only the oldest, since a reopened notebook shows its pictures again. */

import type { LiveWidget } from './live-widget.ts';

/** Maximum number of pictures that stay live without a view; in a reopened notebook the others are static. */
export const MOST_UNWATCHED = 64;
/** Milliseconds that a page has to open its first view, however many pictures one cell opens. */
export const UNWATCHED_PATIENCE = 60_000;

/** Pictures without a view, with the time of their last view, oldest first. */
const unwatched = new Map<LiveWidget<object>, number>();

/** Adds a picture that only pages hold, when it has just been opened. */
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

/** Which stream a look at an array runs on, and which it would wait for. */

import type { NDArray } from '../array.ts';
import { streamForExport } from '../interchange/cai/export.ts';
import type { Stream } from '../stream.ts';

/** The stream that last used the array, where a look has to wait for no other; else the array's own. */
export function streamToLook(array: NDArray): Stream {
  return streamForExport(array.storage, false) ?? array.stream;
}

/** Streams with work that a look at the values would wait for. Never waits. */
export function pendingStreams(array: NDArray): Stream[] {
  const looked = array.mask === null ? [array] : [array, array.mask];
  const used = looked.flatMap(each => each.storage.recentUses().map(({ stream }) => stream));
  const streams = new Set([...used, ...looked.map(streamToLook)]);
  return [...streams].filter(stream => !stream.destroyed && (stream.capturing || !stream.query()));
}

/** Waits for pending work before its results are read, with a timeout. */

import type { Stream } from '../../core/stream.ts';
import { isPending } from '../kit/streams.ts';

/** Maximum time that printing an array waits for pending work, in ms. */
const PATIENCE_MS = 5_000;
const SHORTEST_PAUSE_MS = 0.05;
const LONGEST_PAUSE_MS = 5;

/** Never notified: a wait on it is a sleep. */
const silence = new Int32Array(new SharedArrayBuffer(4));

/** Returns the first stream that is not done in time, if any. Skips simulated devices, whose clock advances only when the read waits. */
export function waitBriefly(streams: readonly Stream[], patience = PATIENCE_MS): Stream | undefined {
  const deadline = performance.now() + patience;
  let pause = SHORTEST_PAUSE_MS;
  return streams.find(stream => {
    if (stream.device.simulated) return false;
    while (isPending(stream)) {
      if (performance.now() >= deadline) return true;
      Atomics.wait(silence, 0, 0, pause);
      pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS);
    }
    return false;
  });
}

/** Measures the host microseconds per call: the median of batches. */

const BATCHES = 15;
const BATCH_MS = 4;

/** @param {() => unknown} call */
export function median(call) {
  let calls = 1;
  for (;;) {
    const milliseconds = batch(call, calls);
    if (milliseconds > BATCH_MS / 4 || calls >= 2 ** 14) {
      calls = Math.max(1, Math.min(2 ** 14, Math.round((calls * BATCH_MS) / milliseconds)));
      break;
    }
    calls *= 4;
  }
  const all = Array.from({ length: BATCHES }, () => (1e3 * batch(call, calls)) / calls);
  return all.sort((a, b) => a - b)[BATCHES >> 1] ?? NaN;
}

/** @param {() => unknown} call @param {number} calls */
function batch(call, calls) {
  const start = performance.now();
  for (let i = 0; i < calls; i++) call();
  return performance.now() - start;
}

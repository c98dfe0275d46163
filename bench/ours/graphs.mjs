/** One hundred small operations: captured into a graph and replayed, and without a graph. */
import { add, arange, empty } from 'stridelab';

/** @typedef {import('./timing.mjs').Timing} Timing */

const OPERATIONS = 100;
const ELEMENTS = 1024;
const WARM_UP = 50;

/** @param {Timing} timing */
export async function graphs(timing) {
  const { stream } = timing;
  const on = /** @type {const} */ ({ dtype: 'float32', stream });
  const a = arange(ELEMENTS, on);
  const out = empty(ELEMENTS, on);
  const all = () => {
    for (let i = 0; i < OPERATIONS; i++) add(a, a, { out });
  };
  await timing.host('graph.capture', () => stream.capture(all).dispose(), 10);
  using graph = stream.capture(all);
  await timing.host('graph.launch', () => graph.launch(stream), 50);
  timing.put('graph.replay', () => timing.deviceOf(() => graph.launch(stream)));
  timing.put('graph.without', () => timing.blocking(() => (all(), stream.synchronize()), 51, WARM_UP));
}

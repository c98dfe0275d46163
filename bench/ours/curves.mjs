/** Time of operations on 2^10 to 2^30 elements, on the device and on the host. */
import { add, empty, exp, RandomGenerator, sum } from 'stridelab';

/** @typedef {import('./timing.mjs').Timing} Timing */
/** @typedef {import('../measures.mjs').Sizes} Sizes */

/** Device time of a batch that measures the host: its queue stays short. */
const BATCH_US = 20_000;
/** Calls of a batch at most. */
const MOST = 500;
/** Batches until V8 has compiled the calls, which then do not depend on the size. */
const WARM_UP = 20;

/** @param {Timing} timing @param {Sizes} sizes */
export function curvesOf(timing, sizes) {
  const { stream } = timing;
  const on = /** @type {const} */ ({ dtype: 'float32', stream });
  const random = new RandomGenerator(1);
  // A call on a simulated device ends with its work.
  const least = timing.device.simulated ? 2 : 50;
  for (const exponent of sizes.exponents) {
    const count = 2 ** exponent;
    using a = random.uniform(count, on);
    using b = random.uniform(count, on);
    using out = empty(count, on);
    using total = empty([], on);
    /** @type {Record<import('../measures.mjs').Curve, () => unknown>} */
    const calls = {
      add: () => add(a, b, { out }),
      exp: () => exp(a, { out }),
      sum: () => sum(a, { out: total }),
      copy: () => out.copyFrom(a)
    };
    for (const [name, call] of Object.entries(calls)) {
      if (exponent === sizes.exponents[0]) for (let i = 0; i < WARM_UP; i++) timing.once(MOST, call);
      const key = `curve.${name}.device.${exponent}`;
      timing.put(key, () => (exponent <= sizes.replayed ? timing.replayOf(call) : timing.deviceOf(call)));
      const batch = Math.min(MOST, Math.max(least, Math.floor(BATCH_US / (timing.figures[key] ?? BATCH_US))));
      timing.put(`curve.${name}.host.${exponent}`, () => timing.hostOf(call, batch));
    }
  }
}

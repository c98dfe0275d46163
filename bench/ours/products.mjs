/** Rates of matrix products: large ones by the device's clock, small ones in replays of a graph. */
import { empty, matmul, RandomGenerator } from 'stridelab';

/** @typedef {import('./timing.mjs').Timing} Timing */
/** @typedef {import('../measures.mjs').Sizes} Sizes */

const WARM_UP = 500;

/** @param {Timing} timing @param {Sizes} sizes */
export async function products(timing, sizes) {
  const { stream } = timing;
  const random = new RandomGenerator(1);
  /** @param {number[]} shape @param {'float32' | 'float16' | 'bfloat16'} dtype */
  const make = (shape, dtype) => random.uniform(shape, { dtype: 'float32', stream }).astype(dtype);
  /** Returns a product into an array. @param {number[]} left @param {number[]} right @param {'float32' | 'float16' | 'bfloat16'} dtype */
  const product = (left, right, dtype) => {
    const [x, y] = [make(left, dtype), make(right, dtype)];
    const z = empty([...left.slice(0, -1), ...right.slice(-1)], { dtype, stream });
    return () => matmul(x, y, { out: z });
  };
  const { matmul: n, batch: most } = sizes;
  for (const dtype of /** @type {const} */ (['float32', 'bfloat16'])) {
    const call = product([n, n], [n, n], dtype);
    timing.rate(`matmul.${dtype}`, (2 * n ** 3) / 1000, () => timing.deviceOf(call));
  }
  const small = /** @type {const} */ ([
    ['matmul.1024.float16', 'float16', 1, 1024],
    ['matmul.256.float32', 'float32', 1, 256],
    ['matmul.64.float32', 'float32', 16 * most, 64],
    ['matmul.512.float16', 'float16', most, 512]
  ]);
  for (const [key, dtype, batch, side] of small) {
    const shape = batch === 1 ? [side, side] : [batch, side, side];
    timing.rate(key, (2 * batch * side ** 3) / 1000, () => timing.replayOf(product(shape, shape, dtype)));
  }
  const [matrix, vector] = [make([n, n], 'float32'), make([n], 'float32')];
  const result = empty(n, { dtype: 'float32', stream });
  const call = () => matmul(matrix, vector, { out: result });
  timing.rate('matmul.vector', 4 * (n * n + 2 * n), () => timing.deviceOf(call, WARM_UP));
  await timing.host('matmul.host', product([64, 64], [64, 64], 'float32'), 500);
}

/** Rates of operations on large arrays, by the device's clock. */
import {
  add,
  all,
  any,
  argmax,
  concatenate,
  cuda,
  cumsum,
  empty,
  exp,
  full,
  greater,
  RandomGenerator,
  sum,
  take,
  where
} from 'stridelab';

/** @typedef {import('./timing.mjs').Timing} Timing */
/** @typedef {import('../measures.mjs').Sizes} Sizes */

/** Bytes of a row that is taken, as float32. */
const ROW = 1024;

/** @param {Timing} timing @param {Sizes} sizes */
export function operations(timing, sizes) {
  const { stream } = timing;
  const on = /** @type {const} */ ({ dtype: 'float32', stream });
  const count = sizes.elements;
  const bytes = 4 * count;
  const random = new RandomGenerator(1);
  const [a, b] = [random.uniform(count, on), random.uniform(count, on)];
  const out = empty(count, on);
  /** @param {string} key @param {number} amount @param {() => unknown} call */
  const rate = (key, amount, call) => timing.rate(key, amount, () => timing.deviceOf(call));

  copy(timing, sizes);
  rate('ops.add', 3 * bytes, () => add(a, b, { out }));
  const fused = cuda.map((/** @type {number} */ x, /** @type {number} */ y) => x * y + x);
  rate('ops.fused', 3 * bytes, () => fused(a, b, { out }));
  rate('ops.exp', 2 * bytes, () => exp(a, { out }));
  rate('ops.sum', bytes, () => sum(a).dispose());
  const rows = a.reshape(4, count / 4);
  rate('ops.sum.axis0', bytes + bytes / 4, () => sum(rows, { axis: 0 }).dispose());
  const square = a.reshape(sizes.side, sizes.side);
  const other = b.reshape(sizes.side, sizes.side);
  const target = out.reshape(sizes.side, sizes.side);
  rate('ops.transpose', 2 * bytes, () => target.copyFrom(square.T));
  rate('ops.normal', bytes, () => random.normal(count, on).dispose());
  rate('ops.argmax', bytes, () => argmax(a).dispose());
  rate('ops.cumsum', 2 * bytes, () => cumsum(a, { out }));
  rate('ops.broadcast', 2 * bytes, () => add(square, other.slice(0), { out: target }));
  rate('ops.add.transposed', 3 * bytes, () => add(square.T, other, { out: target }));
  const half = out.slice([0, count / 2]);
  rate('ops.strided', 1.5 * bytes, () => add(a.slice('::2'), b.slice('::2'), { out: half }));
  const [first, second] = [a.slice([0, count / 2]), b.slice([0, count / 2])];
  rate('ops.concatenate', 2 * bytes, () => concatenate([first, second]).dispose());
  choices(timing, sizes, a, b);
  for (const dtype of /** @type {const} */ (['float16', 'int8'])) {
    const width = dtype === 'int8' ? 1 : 2;
    const [x, y] = [a, b].map(array => array.multiply(50).astype(dtype));
    const z = empty(count, { dtype, stream });
    rate(`ops.add.${dtype}`, 3 * width * count, () => add(x, y, { out: z }));
    rate(`ops.sum.${dtype}`, width * count, () => sum(x).dispose());
  }
}

/** @param {Timing} timing @param {Sizes} sizes */
function copy(timing, sizes) {
  const { stream } = timing;
  const source = full(sizes.device, 1, { dtype: 'uint8', stream });
  const target = empty(sizes.device, { dtype: 'uint8', stream });
  timing.rate('copy.d2d', 2 * sizes.device, () => timing.deviceOf(() => target.copyFrom(source)));
}

/** @param {Timing} timing @param {Sizes} sizes @param {import('stridelab').NDArray} a @param {import('stridelab').NDArray} b */
function choices(timing, sizes, a, b) {
  const { stream } = timing;
  const count = sizes.elements;
  /** @param {string} key @param {number} amount @param {() => unknown} call */
  const rate = (key, amount, call) => timing.rate(key, amount, () => timing.deviceOf(call));
  const no = full(count, false, { dtype: 'bool', stream });
  const yes = full(count, true, { dtype: 'bool', stream });
  rate('ops.any', count, () => any(no).dispose());
  rate('ops.all', count, () => all(yes).dispose());
  const mask = greater(a, 0.5);
  rate('ops.where', 13 * count, () => where(mask, a, b).dispose());
  const random = new RandomGenerator(2);
  const some = count / 16;
  const positions = random.integers(0, count, some, { dtype: 'int64', stream });
  // Without a check of the positions on the host, as the peers.
  rate('ops.take', 16 * some, () => take(a, positions, { mode: 'wrap' }).dispose());
  const table = a.reshape(-1, ROW / 4);
  const lines = count / 1024;
  const chosen = random.integers(0, count / (ROW / 4), lines, { dtype: 'int64', stream });
  rate('ops.take.rows', lines * (8 + 2 * ROW), () =>
    take(table, chosen, { axis: 0, mode: 'wrap' }).dispose()
  );
}

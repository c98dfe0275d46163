/** Arrays of 2^31 elements and more: views of one element, so that they need no memory. */

import { ArgumentError, ones, zeros, type NDArray } from '../../../../src/index.ts';
import { kernelOf } from '../kernel-of.ts';

const LONG = 3 * 2 ** 30;
const one = (): NDArray => ones([1], { dtype: 'float32' });
const out = (): NDArray => zeros([1], { dtype: 'float64' });
const ONE_THREAD = { grid: 1, block: 1 };

test('lengths and indices have 64 bits', () => {
  const x = one().broadcastTo([LONG]);
  const sum = out();
  const kernel = kernelOf(
    2,
    `(x: Readonly<DeviceArray<f32>>, out: DeviceArray<f64>) => {
      const n = x.length;
      let s = 0;
      for (let i = i64(n) - 5n; i < x.length; i++) s += x[i];
      out[0] = f64(n) + s;
    }`
  );
  kernel.launch(ONE_THREAD, x, sum);
  expect(sum.item()).toBe(LONG + 5);
  kernel.launch(ONE_THREAD, ones([7], { dtype: 'float32' }), sum);
  expect(sum.item()).toBe(12);
});

test('an index behind the end is a fault, and does not wrap', () => {
  const kernel = kernelOf(
    2,
    '(x: Readonly<DeviceArray<f32>>, out: DeviceArray<f64>) => {\nout[0] = f64(x[i64(x.length)]);\n}'
  );
  const { faults } = kernel.check(ONE_THREAD, one().broadcastTo([LONG]), out());
  expect(faults).toMatchObject([{ kind: 'bounds', line: 2 }]);
  expect(faults[0]!.message).toContain(`index ${LONG} is outside 'x'`);
});

test('a kernel that compares its index with the length works on arrays of all sizes', () => {
  const kernel = kernelOf(
    2,
    `(x: Readonly<DeviceArray<f32, 2>>, out: DeviceArray<f64>) => {
      const [rows, columns] = x.shape;
      const i = cuda.grid(1);
      if (i < rows && i < columns - 1) for (let j = 0; j < 3 && j < columns; j++) out[0] += x[i][j];
    }`
  );
  for (const shape of [
    [2 ** 17, 2 ** 17],
    [4, 4]
  ]) {
    const sum = out();
    kernel.launch(ONE_THREAD, one().broadcastTo(shape), sum);
    expect(sum.item()).toBe(3);
  }
});

test('a loop that counts an axis with too few bits is refused at the launch', () => {
  const kernel = kernelOf(
    2,
    `(x: Readonly<DeviceArray<f32>>, out: DeviceArray<f64>) => {
      const step = cuda.gridSize(1);
      for (let i = cuda.grid(1); i < x.length; i += step) out[0] += x[i];
    }`
  );
  const launch = (): void => kernel.launch(ONE_THREAD, one().broadcastTo([LONG]), out());
  expect(launch).toThrow(ArgumentError);
  expect(launch).toThrow(
    /argument x .*: a loop counts axis 0 with 32 bits, which end at 2147483647; pass array\.reshape/
  );
});

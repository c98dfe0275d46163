/** The inspector's statistics and values on a real GPU: equal to those of the simulated device, which are compared with the host's. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { arange, array, Stream, zeros, type DTypeLike, type NDArray, type Scalar } from 'stridelab';
import { readBytes } from '../../dist/src/pictures/array/bytes-page.js';
import { measureHistogram, measureLater, measureNow } from '../../dist/src/pictures/array/statistics.js';
import { readValues } from '../../dist/src/pictures/array/values-page.js';
import { device, LARGE, on } from './device.ts';

/** Removes the fields that name the device. */
async function told(a: NDArray): Promise<unknown> {
  await a.synchronizeAsync();
  const found = [await measureLater(a), await measureHistogram(a), await measureHistogram(a, [-1, 1])];
  const page = readValues(a, { rows: 8, columns: 8 });
  const { elements, cells } = readBytes(a, { rows: 4, columns: 16, index: a.shape.map(() => 0) });
  return JSON.parse(
    JSON.stringify(
      [found, page, elements.map(([, index, text]) => [index, text]), cells.flat().length > 0],
      (key, value) => (key === 'stream' || key === 'note' ? undefined : (value as unknown))
    )
  );
}

const values = Array.from({ length: 210 }, (_, at) => ((at * 37) % 101) / 16 - 3);
const KINDS: readonly (readonly [DTypeLike, (value: number) => Scalar])[] = [
  ['bool', value => value > 0],
  ['int8', Math.round],
  ['uint16', value => Math.abs(Math.round(value * 50))],
  ['int64', value => BigInt(Math.round(value * 1000)) * 2n ** 40n],
  ['float16', value => value],
  ['bfloat16', value => value],
  ['float8_e4m3fn', value => value],
  ['float32', value => (value > 2.9 ? Infinity : value < -2.8 ? NaN : value)],
  ['float64', value => (value > 2.9 ? -Infinity : value)],
  ['complex64', value => ({ re: value, im: -value })]
];

for (const [dtype, make] of KINDS) {
  test(`statistics, histogram, values and bytes of ${dtype as string}, of views and masks too`, async () => {
    const both = [device, 'sim:0'].map(place =>
      array(values.map(make), { device: place, dtype }).reshape(6, 5, 7)
    );
    const mask = [device, 'sim:0'].map(place => arange(7, { device: place, dtype: 'uint8' }));
    const views = (a: NDArray, index: number): NDArray[] => [
      a,
      a.slice('::-2', null, '1::3').transpose(2, 0, 1),
      a.slice(0, 0).broadcastTo([3, 7]),
      a.withMask(mask[index] as NDArray)
    ];
    const [real, simulated] = both.map(views) as [NDArray[], NDArray[]];
    for (const [index, view] of real.entries())
      assert.deepEqual(await told(view), await told(simulated[index] as NDArray));
  });
}

test('a large array is counted completely, on the stream that wrote it', async () => {
  using stream = new Stream({ device });
  const a = zeros(LARGE, { dtype: 'float32', stream }).fill(1.5);
  a.slice('::4').fill(NaN);
  const { counts, nan, stream: name } = await measureHistogram(a);
  assert.deepEqual([counts, nan, name], [[LARGE - LARGE / 4], LARGE / 4, stream.toString()]);
});

test('a description does not wait for pending work', () => {
  const a = zeros(LARGE, { ...on, dtype: 'float64' });
  for (let round = 0; round < 50; round++) a.fill(round);
  const found = measureNow(a);
  if (found.state === 'missing') assert.equal(found.measurable, true);
  // Otherwise the device had already finished; the values show it.
  else assert.equal(found.maximum, '49');
});

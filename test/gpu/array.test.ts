/** The array library on a real GPU. Run by `npm run test:gpu`, which skips it if no CUDA driver loads. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  arange,
  array,
  describeArray,
  devices,
  dtypes,
  empty,
  Event,
  full,
  Stream,
  zeros,
  type DType
} from 'stridelab';

import { device, on } from './device.ts';

const gpu = device;

test('the default device is cuda:0, the simulated one is still there', () => {
  assert.equal(zeros(1, on).device.label, process.env['STRIDELAB_TEST_DEVICE'] ?? 'cuda:0');
  assert.equal(zeros(1).device, devices()[0]);
  assert.ok(devices().some(({ label }) => label === 'sim:0'));
});

for (const dtype of Object.values<DType>(dtypes)) {
  test(`${dtype.name} goes to the GPU and back, views and fills included`, () => {
    const value = dtype.kind === 'b' ? true : dtype.kind === 'c' ? { re: 1, im: -1 } : 2;
    const expected = ['i', 'u'].includes(dtype.kind) && dtype.itemsize === 8 ? 2n : value;
    const a = full([3, 4], value, { ...on, dtype });
    assert.deepEqual(a.slice('::-2', '1::2').toNested(), [
      [expected, expected],
      [expected, expected]
    ]);
    assert.deepEqual(a.T.copy().item(3, 2), expected);
  });
}

test('rules 53, 58, 97, 98: pointers are device memory of this GPU, views lie inside the allocation', () => {
  const a = arange(1000, on).reshape(10, 100);
  const view = a.slice('::-1', '::-2');
  const [pointer] = view.__cuda_array_interface__.data;
  const attributes = view.storage.pointerAttributes(pointer);
  assert.equal(attributes?.memoryType, 'device');
  assert.equal(attributes.managed, false);
  assert.equal(attributes.deviceOrdinal, gpu.ordinal);
  assert.ok(attributes.context > 0n);
  assert.ok(attributes.rangeStart <= a.pointer && attributes.rangeBytes >= a.nbytes);
  assert.equal(attributes.hostPointer, null);
});

test('a host address is not device memory', t => {
  if (gpu.simulated) return t.skip('the simulated device is host memory');
  const a = zeros(4, { device: 'sim:0' });
  const attributes = zeros(1, on).storage.pointerAttributes(a.pointer);
  assert.ok(attributes === null || attributes.memoryType === 'host');
});

test('rules 132, 141: the DLPack device is (kDLCUDA, ordinal)', () => {
  assert.deepEqual(zeros(1, on).__dlpack_device__(), gpu.simulated ? [1, 0] : [2, gpu.ordinal]);
});

test('rules 69, 79: the descriptor names the stream that used the array', () => {
  using stream = new Stream(on);
  assert.equal(zeros(4, on).__cuda_array_interface__.stream, 1);
  assert.equal(zeros(4, { stream }).__cuda_array_interface__.stream, stream.handle);
  assert.ok(stream.handle > 0xffffn);
});

test('a write on one stream is seen by a read on another, a hundred times', () => {
  using first = new Stream(on);
  using second = new Stream(on);
  const big = empty(2 ** 24, { ...on, dtype: 'uint8' });
  const copy = empty(2 ** 24, { ...on, dtype: 'uint8' });
  for (let round = 1; round <= 100; round++) {
    big.fill(round, { stream: first });
    copy.copyFrom(big, { stream: second });
    assert.equal(copy.item(2 ** 24 - 1), round);
    assert.equal(copy.item(0), round);
  }
});

test('rule 80: waiting for the exported stream is enough', () => {
  using first = new Stream(on);
  using second = new Stream(on);
  const a = zeros(2 ** 26, { stream: first, dtype: 'uint8' });
  const target = empty(2 ** 26, { stream: second, dtype: 'uint8' });
  for (let i = 0; i < 20; i++) a.fill(i, { stream: first });
  target.copyFrom(a, { stream: second });
  const { stream } = a.__cuda_array_interface__;
  Stream.fromHandle(stream as bigint, gpu).synchronize();
  assert.equal(first.query(), true);
});

test('events measure time on the device', () => {
  using stream = new Stream(on);
  const a = empty(2 ** 28, { stream, dtype: 'uint8' });
  using start = stream.record(new Event(on));
  for (let i = 0; i < 10; i++) a.fill(i);
  using end = stream.record(new Event(on));
  end.synchronize();
  const milliseconds = end.elapsedSince(start);
  const rate = (10 * 2 ** 28) / milliseconds / 1e6;
  console.log(`memset of 256 MiB: ${(milliseconds / 10).toFixed(3)} ms, ${rate.toFixed(0)} GB/s`);
  assert.ok(milliseconds > 0.1 && milliseconds < 1000);
});

test('asynchronous reads leave JavaScript free', async () => {
  using stream = new Stream(on);
  const a = full(2 ** 26, 5, { stream, dtype: 'uint8' });
  let turns = 0;
  const ticking = setInterval(() => turns++, 1);
  const values = await a.toTypedArrayAsync();
  clearInterval(ticking);
  assert.equal(values[2 ** 26 - 1], 5);
  assert.ok(turns > 0, 'the event loop turned while the copy ran');
});

test('description: live, on a real device, pointer verdict ok', () => {
  using stream = new Stream(on);
  const description = describeArray(arange(12, { stream, dtype: 'float32' }).reshape(3, 4), {
    preview: true
  });
  assert.equal(description.device.simulated, gpu.simulated);
  assert.equal(description.dlpack.typeName, gpu.simulated ? 'kDLCPU' : 'kDLCUDA');
  const verdict = gpu.simulated ? 'note' : 'ok';
  assert.equal(description.descriptor.find(row => row.key === 'data')?.verdict, verdict);
  assert.deepEqual(description.preview?.rows[2], ['8', '9', '10', '11']);
});

test('out of memory is a typed error and leaves the device usable', () => {
  assert.throws(() => empty(2 ** 45, { ...on, dtype: 'uint8' }), {
    code: 'ERR_DRIVER',
    statusName: 'CUDA_ERROR_OUT_OF_MEMORY'
  });
  assert.deepEqual(array([1, 2], on).toNested(), [1, 2]);
});

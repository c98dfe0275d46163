/** DLPack on a real GPU, with the C addon (`test/addon`) in place of another library. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import { arange, empty, fromDlpack, full, Stream, zeros, type NDArray } from 'stridelab';
import type { Consumed, Produced } from '../src/conformance/dlpack-support.ts';

import { device, LARGE, on, samples } from './device.ts';

interface Addon {
  produce(of: Produced): object;
  deletions(): number;
  consume(capsule: object, bytes?: number): Consumed;
  release(onThread?: boolean): void;
}

const addon = createRequire(import.meta.url)('../../build/test-addon/exchange.node') as Addon;
const newest = { maxVersion: [1, 3] } as const;
const address = ({ data, byteOffset }: Consumed): bigint => data + BigInt(byteOffset);

/** The stream that a consumer passes: simulated device memory is host memory, which has no stream (rule 153). */
const consumerStream = (stream: Stream): bigint | null => (device.simulated ? null : stream.handle);

/** The array as another library would export it. */
const lent = (array: NDArray): object => ({
  __dlpack__: (options: object) => array.__dlpack__(options),
  __dlpack_device__: () => array.__dlpack_device__()
});

test('rules 114, 116, 118: another library finds the same address, strides and device', () => {
  const base = arange(24, { ...on, dtype: 'float32' }).reshape(4, 6);
  for (const view of [base, base.T, base.slice('::-1', '1::2'), base.slice(2)]) {
    const tensor = addon.consume(
      view.__dlpack__({ ...newest, stream: consumerStream(Stream.legacyDefault(device)) })
    );
    addon.release();
    assert.equal(address(tensor), view.pointer);
    assert.deepEqual(tensor.device, [...view.__dlpack_device__()]);
    assert.deepEqual(tensor.shape, [...view.shape]);
    const strides = tensor.strides ?? assert.fail('NULL strides');
    for (const [axis, length] of view.shape.entries())
      if (length > 1) assert.equal(strides[axis], (view.strides[axis] as number) / 4);
  }
});

test('rule 154: a consumer on another stream reads the latest write', () => {
  using first = new Stream(on);
  using second = new Stream(on);
  using array = empty(LARGE, { dtype: 'uint8', stream: first });
  for (let round = 1; round <= 30; round++) {
    array.fill(round, { stream: first });
    using imported = fromDlpack(lent(array), { stream: second });
    assert.equal(imported.pointer, array.pointer);
    using copy = imported.copy({ stream: second });
    assert.deepEqual(samples(copy), [round, round, round]);
  }
});

test('rules 147, 150, 153: a copy on the host is ready on return', () => {
  using stream = new Stream(on);
  const array = empty(LARGE, { dtype: 'uint8', stream });
  for (let round = 1; round <= 10; round++) array.fill(round);
  const tensor = addon.consume(array.__dlpack__({ ...newest, dlDevice: [1, 0], copy: true }), LARGE);
  const bytes = new Uint8Array((tensor.bytes ?? assert.fail('no bytes')).slice(0));
  addon.release();
  assert.deepEqual(tensor.device, [1, 0]);
  assert.equal(tensor.flags & 2, 2);
  assert.deepEqual([bytes[0], bytes[LARGE / 2], bytes[LARGE - 1]], [10, 10, 10]);
});

test('rules 133, 159, 168: host memory of another library is copied to the device, and its deleter runs once', async () => {
  const before = addon.deletions();
  const bytes = new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer);
  using array = fromDlpack(addon.produce({ shape: [2, 3], strides: [1, 2], bytes }), on);
  assert.equal(array.device, device);
  assert.deepEqual(array.toNested(), [
    [1, 3, 5],
    [2, 4, 6]
  ]);
  array.dispose();
  device.synchronize();
  for (let turn = 0; turn < 20 && addon.deletions() === before; turn++) await setImmediate();
  assert.equal(addon.deletions() - before, 1);
});

test('rules 163, 171, 232: memory that another library holds stays alive, whoever disposes or releases it', () => {
  using stream = new Stream(on);
  const array = full(LARGE, 6, { dtype: 'uint8', stream });
  const tensor = addon.consume(array.__dlpack__({ ...newest, stream: consumerStream(stream) }));
  array.dispose();
  device.synchronize();
  const attributes = device.native.pointerAttributes(address(tensor));
  assert.ok(attributes !== null, 'the memory is still there');
  addon.release(true);
  using next = zeros(LARGE, { dtype: 'uint8', stream });
  assert.deepEqual(samples(next), [0, 0, 0]);
});

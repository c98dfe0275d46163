/** The CUDA Array Interface on a real GPU: imports from descriptors as other libraries write them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  arange,
  array,
  asCudaArray,
  empty,
  exportCudaArrayInterface,
  fromCudaArrayInterface,
  Stream,
  zeros,
  type NDArray
} from 'stridelab';
import { memallocmanaged, memhostalloc } from 'stridelab/memory';

import { device, LARGE, on, samples } from './device.ts';

/** An external array over the memory of one of ours. */
function foreign(source: NDArray, changes: Readonly<Record<string, unknown>> = {}): object {
  return { __cuda_array_interface__: { ...source.__cuda_array_interface__, ...changes } };
}

const MEBI = 2 ** 20;

test('rules 5, 23, 52: a strided array is imported without a copy, in every version', () => {
  const a = arange(24, { ...on, dtype: 'float32' })
    .reshape(4, 6)
    .slice('::-1', '::2');
  for (const version of [0, 1, 2, 3]) {
    using b = asCudaArray(foreign(a, { version }));
    assert.equal(b.pointer, a.pointer);
    assert.equal(b.device, device);
    assert.deepEqual(b.toNested(), a.toNested());
  }
});

test('rules 61 to 63, 99: device and kind of memory are determined by the pointer', () => {
  using managed = memallocmanaged(64, on);
  using pinned = memhostalloc(64, { ...on, mapped: true });
  const over = (pointer: bigint, options = {}): NDArray =>
    fromCudaArrayInterface({ shape: [16], typestr: '<f4', data: [pointer, false], version: 3 }, options);
  assert.equal(over(managed.pointer).storage.kind, 'managed');
  assert.equal(over(pinned.pointer).storage.kind, 'pinned');
  assert.equal(over(zeros(16, on).pointer).storage.kind, 'device');
  // If the device is given, the kind of memory is only queried when it is read.
  assert.equal(over(managed.pointer, on).storage.kind, 'managed');
});

test('rule 62: simulated memory is not taken for GPU memory, or the reverse', t => {
  if (device.simulated) return t.skip('it is the simulated device');
  const host = zeros(4, { device: 'sim:0' });
  assert.throws(() => asCudaArray(foreign(host), on), { code: 'ERR_DEVICE' });
  assert.throws(() => asCudaArray(foreign(zeros(4, on)), { device: 'sim:0' }), { code: 'ERR_DEVICE' });
  assert.equal(asCudaArray(foreign(host)).device.label, 'sim:0');
});

test('rules 25, 65: strict validation queries the driver for the allocation', () => {
  const a = empty(MEBI, { ...on, dtype: 'uint8' });
  const { rangeBytes } = a.storage.pointerAttributes(a.pointer) ?? assert.fail('no attributes');
  asCudaArray(foreign(a), { validate: 'strict' }).dispose();
  assert.throws(() => asCudaArray(foreign(a, { shape: [rangeBytes + 1] }), { validate: 'strict' }), {
    code: 'ERR_DESCRIPTOR',
    key: 'data'
  });
  const nowhere = foreign(a, { data: [0x1000n, false] });
  assert.throws(() => asCudaArray(nowhere, { ...on, validate: 'strict' }), { code: 'ERR_DESCRIPTOR' });
});

test('rules 73, 75, 89: the work of both sides on one array runs in program order', () => {
  using theirs = new Stream(on);
  using mine = new Stream(on);
  const a = empty(LARGE, { stream: theirs, dtype: 'uint8' });
  // Allocated first: an allocation waits for the whole device, and would hide a missing wait.
  const copy = empty(LARGE, { stream: mine, dtype: 'uint8' });
  for (let round = 1; round <= 20; round++) {
    a.fill(round, { stream: theirs });
    using b = asCudaArray(foreign(a), { stream: mine });
    copy.copyFrom(b, { stream: mine }); // after their fill
    a.fill(200, { stream: theirs }); // after our copy
    assert.deepEqual(samples(copy), [round, round, round]);
  }
});

test('the event entry: a consumer that supports it waits for the event, and the next write waits for its event', () => {
  using theirs = new Stream(on);
  using mine = new Stream(on);
  const a = empty(LARGE, { stream: theirs, dtype: 'uint8' });
  const copy = empty(LARGE, { stream: mine, dtype: 'uint8' });
  for (let round = 1; round <= 20; round++) {
    a.fill(round, { stream: theirs });
    const descriptor = exportCudaArrayInterface(a, { event: true });
    assert.equal(descriptor.event?.version, 1);
    const b = fromCudaArrayInterface(descriptor, { stream: mine, owner: a });
    copy.copyFrom(b, { stream: mine });
    b.dispose();
    a.fill(200, { stream: theirs });
    assert.deepEqual(samples(copy), [round, round, round]);
  }
});

test('rules 50, 51: a mask is imported with its data and exported again', () => {
  const data = arange(4, { ...on, dtype: 'float32' });
  const mask = array([true, false, true, false], on);
  using b = asCudaArray(foreign(data, { mask: foreign(mask) }));
  assert.deepEqual(b.toNested(), [0, null, 2, null]);
  using again = asCudaArray(foreign(b));
  assert.deepEqual(again.slice('::-1').toNested(), [null, 2, null, 0]);
});

test('rule 93: a stream unknown to the driver is a clear error, where the driver reports it', t => {
  if (!device.simulated) return t.skip('a real driver may crash on a handle that is none');
  assert.throws(() => asCudaArray(foreign(zeros(4, on), { stream: 0x1234n })), { key: 'stream' });
});

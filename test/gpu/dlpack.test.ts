/** DLPack on a real GPU: structs over CUDA, pinned and managed memory, order between streams, the exchange table. */

import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';

import {
  arange,
  fromDlpack,
  isCapsule,
  NDArray,
  Stream,
  zeros,
  type DlpackOptions,
  type DlpackProducer
} from 'stridelab';

import { buildAddon } from '../addon/build.mjs';
import { device, LARGE, on } from './device.ts';

interface Tensor {
  readonly data: bigint;
  readonly device: number[];
  readonly shape: number[];
}

interface ExchangeAddon {
  consume(capsule: object, bytes?: number): Tensor & { readonly flags: number; readonly bytes?: ArrayBuffer };
  release(onThread?: boolean): void;
  again(capsule: object): object;
  deletions(): number;
  borrow(array: NDArray): Tensor;
  describe(array: NDArray): { readonly stream: bigint; readonly event: bigint };
}

const addon = createRequire(import.meta.url)(buildAddon()) as ExchangeAddon;
const newest = { maxVersion: [1, 3] } as const;

/** What another library makes of an array: its own struct over our memory, with a deleter of its own. */
function foreign(array: NDArray): DlpackProducer {
  return {
    __dlpack__: (options?: DlpackOptions) => addon.again(array.__dlpack__(options ?? {})),
    __dlpack_device__: () => array.__dlpack_device__()
  };
}

describe('DLPack on a GPU', { skip: device.simulated }, () => {
  test('rules 133, 135, 154: a foreign struct over CUDA memory is imported after its writer, on another stream', () => {
    using writer = new Stream(on);
    using reader = new Stream(on);
    for (let round = 1; round <= 20; round++) {
      using source = zeros(LARGE, { dtype: 'uint8', stream: writer });
      source.fill(round);
      using view = fromDlpack(foreign(source), { stream: reader });
      assert.equal(view.pointer, source.pointer);
      assert.equal(view.device, device);
      using last = view.slice('-1:').copy({ stream: reader });
      assert.equal(last.item(0), round);
    }
  });

  test('rules 163, 168: the deleter of another library runs once, after the device work', async () => {
    const before = addon.deletions();
    const source = zeros(LARGE, { ...on, dtype: 'uint8' });
    const view = fromDlpack(foreign(source));
    source.dispose();
    view.fill(7);
    const read = view.toTypedArrayAsync();
    view.dispose();
    assert.equal((await read).at(-1), 7);
    for (let turn = 0; turn < 200 && addon.deletions() === before; turn++) {
      await new Promise(resolve => setTimeout(resolve, 5));
    }
    assert.equal(addon.deletions(), before + 1);
  });

  test('rules 134, 141, 147: CUDA memory to the host by a copy, ready on return', () => {
    using stream = new Stream(on);
    const a = arange(1000, { stream, dtype: 'float32' });
    assert.deepEqual(a.__dlpack_device__(), [2, device.ordinal]);
    const tensor = addon.consume(a.__dlpack__({ ...newest, dlDevice: [1, 0] }), 4000);
    addon.release(true);
    assert.deepEqual([tensor.device, tensor.flags], [[1, 0], 2]);
    assert.equal(new Float32Array(tensor.bytes as ArrayBuffer)[999], 999);
  });

  for (const [type, name] of [
    [3, 'pinned'],
    [13, 'managed']
  ] as const) {
    test(`rules 133, 134, 148: ${name} memory crosses as itself, and to the host without a copy`, () => {
      using stream = new Stream(on);
      const a = arange(16, { stream, dtype: 'float32' });
      using b = fromDlpack(addon.again(a.__dlpack__({ ...newest, dlDevice: [type, 0] })));
      assert.equal(b.storage.kind, name);
      assert.deepEqual(b.__dlpack_device__(), [type, 0]);
      b.slice('::2').copyFrom(zeros(8, { ...on, dtype: 'float32' }));
      const tensor = addon.consume(b.__dlpack__({ ...newest, dlDevice: [1, 0], copy: false }), 64);
      addon.release();
      assert.deepEqual([tensor.data, tensor.device], [b.pointer, [1, 0]]);
      assert.deepEqual([...new Float32Array(tensor.bytes as ArrayBuffer).subarray(0, 4)], [0, 1, 0, 3]);
    });
  }

  test('rules 150, 151: copies on the consumer stream, streams by handle, 0 refused', () => {
    using stream = new Stream(on);
    using consumer = new Stream(on);
    const a = arange(8, { stream, dtype: 'int32' });
    using copy = fromDlpack(a, { copy: true, stream: consumer });
    assert.notEqual(copy.pointer, a.pointer);
    assert.equal(copy.item(7), 7);
    for (const handle of [null, 1, 2, consumer.handle, -1]) {
      assert.ok(isCapsule(a.__dlpack__({ ...newest, stream: handle })));
    }
    assert.throws(() => a.__dlpack__({ stream: 0 }), { code: 'ERR_ARGUMENT' });
    assert.throws(() => a.__dlpack__({ dlDevice: [2, 99] }), { code: 'ERR_BUFFER' });
  });

  test('rules 149, 133: host memory moves onto the GPU when it is asked for there', () => {
    using host = arange(5, { device: 'sim', dtype: 'float64' });
    using a = fromDlpack(host, { device });
    assert.deepEqual([a.device, a.toNested()], [device, [0, 1, 2, 3, 4]]);
    assert.throws(() => fromDlpack(host, { device, copy: false }), { code: 'ERR_BUFFER' });
  });

  test('rules 175 to 177: the exchange table borrows CUDA memory and gives an event', () => {
    using stream = new Stream(on);
    const a = zeros([3, 5], { stream });
    const tensor = addon.borrow(a);
    assert.deepEqual([tensor.data, tensor.device, tensor.shape], [a.pointer, [2, device.ordinal], [3, 5]]);
    using busy = zeros(LARGE, { dtype: 'uint8', stream });
    busy.fill(1);
    const struct = addon.describe(busy);
    assert.equal(struct.stream === 0n, struct.event === 0n);
  });
});

/**
 * Smoke test of the native core on a real GPU. Written for node:test, so that it runs on a bare machine:
 * `npm run test:gpu` here, `run.sh` of the bundle there.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';
import type { NativeBinding, NativeDevice, NativeStorage, NativeStream } from '../../src/native/binding.ts';

const native = createRequire(import.meta.url)('#native') as NativeBinding;
const BYTES = 1 << 20;

function firstDevice(): NativeDevice {
  const [device] = native.devices('cuda');
  assert.ok(device, 'the driver has no device');
  return device;
}

const newStream = (device: NativeDevice): NativeStream =>
  native.createStream(device, { blocking: false, priority: 0 });

/** Runs `body` with a block that is freed afterwards, also if it fails. */
function withBlock(
  device: NativeDevice,
  kind: NativeStorage['kind'],
  body: (block: NativeStorage) => void
): void {
  const block = native.allocate(device, BYTES, kind);
  try {
    body(block);
  } finally {
    block.release();
  }
}

describe('the driver', () => {
  test('names its devices', t => {
    const devices = native.devices('cuda');
    assert.ok(devices.length > 0);
    for (const device of devices) {
      const { free, total } = device.memoryInfo();
      t.diagnostic(`cuda:${device.ordinal} ${device.name} ${device.uuid}, ${free} of ${total} bytes free`);
      assert.equal(device.kind, 'cuda');
      assert.match(device.uuid, /^GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      assert.ok(device.name.length > 0);
      assert.ok(free > 0 && free <= total);
      assert.ok(device.driverVersion >= 11000);
      assert.ok(device.computeCapability[0] >= 5);
    }
    assert.equal(native.devices('cuda')[0], devices[0]);
  });
});

describe('memory', () => {
  test('a copy to the device and back keeps every byte', () => {
    const device = firstDevice();
    const stream = newStream(device);
    const source = Uint32Array.from({ length: BYTES / 4 }, (_, i) => Math.imul(i, 2654435761) >>> 0);
    withBlock(device, 'device', first =>
      withBlock(device, 'device', second => {
        first.writeFromHost(0, source, stream);
        second.copyFrom(0, first, 0, BYTES, stream);
        const target = new Uint32Array(source.length);
        second.readToHost(0, target, stream);
        assert.deepEqual(target, source);
      })
    );
    stream.destroy();
  });

  test('a part is read from its offset, also asynchronously', async () => {
    const device = firstDevice();
    const stream = newStream(device);
    const block = native.allocate(device, 4096, 'device');
    block.fill(0, 1, 0, 4096, stream);
    block.writeFromHost(1000, Uint8Array.of(1, 2, 3, 4), stream);
    const target = new Uint8Array(6);
    await block.readToHostAsync(999, target, stream);
    assert.deepEqual([...target], [0, 1, 2, 3, 4, 0]);
    block.release();
    stream.destroy();
  });

  for (const [kind, memoryType, readableByHost] of [
    ['device', 'device', false],
    ['pinned', 'host', true],
    ['managed', 'device', true]
  ] as const)
    test(`the driver reports the attributes of ${kind} memory`, () => {
      const device = firstDevice();
      withBlock(device, kind, block => {
        const attributes = device.pointerAttributes(block.pointer + 256n);
        assert.ok(attributes);
        if (kind !== 'managed') assert.equal(attributes.memoryType, memoryType);
        assert.equal(attributes.managed, kind === 'managed');
        assert.equal(attributes.deviceOrdinal, device.ordinal);
        assert.equal(attributes.hostPointer !== null, readableByHost);
        if (kind !== 'pinned') {
          assert.equal(attributes.rangeStart, block.pointer);
          assert.ok(attributes.rangeBytes >= BYTES);
        }
      });
    });

  test('an address unknown to the driver has no attributes', () => {
    assert.equal(firstDevice().pointerAttributes(4096n), null);
  });

  test('freed memory is returned to the device', () => {
    const device = firstDevice();
    const before = native.liveBlocks();
    withBlock(device, 'device', () => assert.equal(native.liveBlocks().count, before.count + 1));
    device.synchronize();
    assert.deepEqual(native.liveBlocks(), before);
  });
});

describe('streams and events', () => {
  test('an event completes when its stream reaches it, and times the work between two', async () => {
    const device = firstDevice();
    const stream = newStream(device);
    const start = native.createEvent(device, true);
    const end = native.createEvent(device, true);
    const block = native.allocate(device, 64 * BYTES, 'device');
    native.keyed.record(stream.key, start.key);
    for (let i = 0; i < 8; i++) block.fill(0, 4, i, (64 * BYTES) / 4, stream);
    native.keyed.record(stream.key, end.key);
    await end.synchronizeAsync();
    assert.equal(end.query(), true);
    const milliseconds = end.elapsedSince(start);
    assert.ok(milliseconds > 0 && milliseconds < 1000, `${milliseconds} ms`);
    block.release();
    start.destroy();
    end.destroy();
    stream.destroy();
  });

  test('a reader on another stream is ordered after the writer', () => {
    const device = firstDevice();
    const [writer, reader] = [newStream(device), newStream(device)];
    const block = native.allocate(device, 64 * BYTES, 'device');
    for (let round = 1; round <= 16; round++) {
      block.fill(0, 4, round, (64 * BYTES) / 4, writer);
      const last = new Uint32Array(1);
      block.readToHost(64 * BYTES - 4, last, reader);
      assert.equal(last[0], round);
    }
    block.release();
    writer.destroy();
    reader.destroy();
  });

  test('the default streams have their reserved handles', () => {
    const device = firstDevice();
    assert.equal(device.legacyStream().handle, 1n);
    assert.equal(device.perThreadStream().handle, 2n);
    assert.equal(native.wrapStream(device, 1n), device.legacyStream());
    assert.throws(() => native.wrapStream(device, 0n));
  });
});

describe('several devices', () => {
  test('each call acts on the device of its object, whatever device was used before', t => {
    const devices = native.devices('cuda');
    if (devices.length < 2) return t.skip('this machine has one device');
    const blocks = devices.map(device => native.allocate(device, BYTES, 'device'));
    for (const block of [...blocks].reverse())
      assert.equal(block.device.pointerAttributes(block.pointer)?.deviceOrdinal, block.device.ordinal);
    for (const block of blocks) block.release();
  });
});

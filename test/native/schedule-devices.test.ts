/** Schedule `hazard` with two simulated devices: each has separate queues, and copies between them are deferred too. */

import { execFileSync } from 'node:child_process';

import { addonPath } from './support.ts';

const PRELUDE = `
  const native = require(${JSON.stringify(addonPath)});
  const devices = native.devices('simulated');
  const stream = (device, blocking = false) => native.createStream(devices[device], { blocking, priority: 0 });
  const block = device => native.allocate(devices[device], 4, 'device');
  const alias = of => native.adopt(of.device, of.pointer, of.bytes, 'device', null);
  const read = (of, on) => { const host = new Uint8Array(4); of.readToHost(0, host, on); return host[0]; };
  /** A block of zeros on a device, and its stream, on which a fill with \`value\` waits. */
  const written = (device, value) => {
    const a = block(device);
    const writer = stream(device);
    a.fill(0, 1, 0, 4, writer);
    writer.synchronize();
    a.fill(0, 1, value, 4, writer);
    return { a, writer };
  };
  const print = value => console.log(JSON.stringify(value));`;

function printed(body: string): unknown {
  const env = {
    ...process.env,
    STRIDELAB_SIM_SCHEDULE: 'hazard',
    STRIDELAB_SIM_DEVICES: '2',
    STRIDELAB_HAZARDS: ''
  };
  return JSON.parse(execFileSync(process.execPath, ['-e', PRELUDE + body], { encoding: 'utf8', env }));
}

test('a copy to another device is held, and sees the work that its streams wait for', () => {
  const body = `
    const { a, writer } = written(0, 7);
    const copy = wait => {
      const there = block(1);
      const reader = stream(1);
      if (wait) reader.waitForStream(writer);
      there.copyFrom(0, alias(a), 0, 4, reader);
      const early = read(alias(there), stream(1)) === 7;
      return [early, read(there, stream(1))];
    };
    print([copy(false), copy(true)]);`;
  expect(printed(body)).toEqual([
    [false, 0],
    [false, 7]
  ]);
});

test('a host wait for a device runs the work of that device only', () => {
  const body = `
    const [one, other] = [written(0, 1), written(1, 2)];
    devices[1].synchronize();
    const before = [one, other].map(({ a }, device) => read(alias(a), stream(device)));
    devices[0].synchronize();
    print([before, read(alias(one.a), stream(0))]);`;
  expect(printed(body)).toEqual([[0, 2], 1]);
});

test('a host wait for a device also runs the work that its work waits for on the other', () => {
  const body = `
    const { a, writer } = written(0, 5);
    stream(1).waitForStream(writer);
    devices[1].synchronize();
    print(read(alias(a), stream(0)));`;
  expect(printed(body)).toBe(5);
});

test('the legacy stream orders the blocking streams of its own device, not those of the other', () => {
  const body = `
    const a = [0, 1].map(device => written(device, 0).a);
    a.forEach((block, device) => block.fill(0, 1, 6, 4, stream(device, true)));
    devices[0].legacyStream().synchronize();
    const waited = a.map((block, device) => read(alias(block), stream(device)));
    print([waited, read(alias(a[1]), devices[1].legacyStream())]);`;
  expect(printed(body)).toEqual([[6, 0], 6]);
});

test('memory is freed after work of either device that uses it', () => {
  const body = `
    const { a, writer } = written(0, 3);
    const there = block(1);
    const reader = stream(1);
    reader.waitForStream(writer);
    there.copyFrom(0, alias(a), 0, 4, reader);
    const pointer = native.raw.memAlloc(devices[1], 64);
    native.raw.memFree(devices[1], pointer);
    print([read(alias(there), stream(1)), read(alias(a), stream(0))]);`;
  expect(printed(body)).toEqual([3, 3]);
});

test('a collective is held, and orders the ranks', () => {
  const body = `
    const communicators = native.collectives.initAll(devices);
    const sources = [written(0, 1), written(1, 2)];
    const targets = [written(0, 0), written(1, 0)];
    native.collectives.submit(communicators.map((communicator, rank) => ({
      kind: 0, communicator, stream: targets[rank].writer, source: sources[rank].a, sourceOffset: 0,
      target: targets[rank].a, targetOffset: 0, count: 4, type: 1, op: 0, peer: 0
    })));
    const early = targets.map(({ a }, rank) => read(alias(a), stream(rank)));
    print([early, targets.map(({ a }, rank) => read(a, stream(rank)))]);`;
  expect(printed(body)).toEqual([
    [0, 0],
    [3, 3]
  ]);
});

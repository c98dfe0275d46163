/** Schedule `hazard` of the simulated device: work that nothing waits for has not run yet. */

import { Worker } from 'node:worker_threads';

import {
  addonPath,
  block,
  errorOf,
  mark,
  native,
  record,
  settle,
  simulated,
  stream,
  wait
} from './support.ts';

beforeEach(() => native.simulated.setSchedule('hazard'));
afterEach(() => {
  native.simulated.setSchedule('eager');
  settle();
});

/** A storage over the same bytes that does not share the uses of the first. */
function alias(of: ReturnType<typeof block>): ReturnType<typeof block> {
  return native.adopt(simulated(), of.pointer, of.bytes, 'device', null);
}

function read(of: ReturnType<typeof block>, on: ReturnType<typeof stream>): number[] {
  const host = new Uint8Array(of.bytes);
  of.readToHost(0, host, on);
  return [...host];
}

const FULL = (value: number): number[] => Array<number>(4).fill(value);

function written(value: number): {
  a: ReturnType<typeof block>;
  b: ReturnType<typeof block>;
  writer: ReturnType<typeof stream>;
} {
  const a = block(4);
  const writer = stream();
  a.fill(0, 1, 0, 4, writer);
  writer.synchronize();
  a.fill(0, 1, value, 4, writer);
  return { a, b: alias(a), writer };
}

test('the schedule is eager or hazard', () => {
  expect(native.simulated.schedule()).toBe('hazard');
  expect(errorOf(() => native.simulated.setSchedule('lazy' as 'eager')).message).toMatch(
    "'eager' or 'hazard'"
  );
});

test('a reader that does not wait sees the old bytes; with a wait it sees the new ones', () => {
  const { a, b, writer } = written(7);
  expect(read(b, stream())).toEqual(FULL(0));
  const reader = stream();
  reader.waitForStream(writer);
  expect(read(b, reader)).toEqual(FULL(7));
  expect(read(a, stream())).toEqual(FULL(7));
});

test('the eager schedule hides the same error', () => {
  native.simulated.setSchedule('eager');
  const { b } = written(7);
  expect(read(b, stream())).toEqual(FULL(7));
});

test('a change of the schedule runs the held work', () => {
  const { b } = written(7);
  native.simulated.setSchedule('eager');
  expect(read(b, stream())).toEqual(FULL(7));
});

test.each([
  ['the stream', (on: ReturnType<typeof stream>) => on.synchronize()],
  ['an event', (on: ReturnType<typeof stream>) => mark(on).synchronize()],
  ['the context', () => simulated().synchronize()]
])('a host wait for %s runs the work', (_name, wait) => {
  const { b, writer } = written(7);
  wait(writer);
  expect(read(b, stream())).toEqual(FULL(7));
});

test('a query that returns done has run the work, one that returns not ready has not', () => {
  const { b, writer } = written(7);
  expect(writer.query()).toBe(false);
  expect(read(b, stream())).toEqual(FULL(0));
  while (!writer.query());
  expect(read(b, stream())).toEqual(FULL(7));
});

test('an event recorded before the write orders nothing after it', () => {
  const a = block(4);
  const writer = stream();
  a.fill(0, 1, 1, 4, writer);
  const early = mark(writer);
  a.fill(0, 1, 2, 4, writer);
  const reader = stream();
  wait(reader, early);
  expect(read(alias(a), reader)).toEqual(FULL(1));
});

test('a wait is a dependency of the waiting stream only, through any number of streams', () => {
  const { b, writer } = written(9);
  const chain = [writer, ...Array.from({ length: 3000 }, () => stream())];
  chain.slice(1).forEach((next, index) => next.waitForStream(chain[index] as typeof next));
  expect(read(b, stream())).toEqual(FULL(0));
  expect(read(b, chain.at(-1) as typeof writer)).toEqual(FULL(9));
});

test('a wait for an event keeps its meaning when the event is recorded again', () => {
  const { b, writer } = written(3);
  const event = mark(writer);
  const reader = stream();
  wait(reader, event);
  record(stream(), event);
  expect(read(b, reader)).toEqual(FULL(3));
});

test('the legacy stream and blocking streams order one another, and not the others', () => {
  const legacy = simulated().legacyStream();
  const blocking = stream({ blocking: true });
  const a = block(4);
  a.fill(0, 1, 5, 4, blocking);
  expect(read(alias(a), stream())).not.toEqual(FULL(5));
  expect(read(alias(a), legacy)).toEqual(FULL(5));
  a.fill(0, 1, 6, 4, legacy);
  expect(read(alias(a), stream({ blocking: true }))).toEqual(FULL(6));
  a.fill(0, 1, 7, 4, blocking);
  legacy.synchronize();
  expect(read(alias(a), stream())).toEqual(FULL(7));
});

test('a host wait for the device runs unordered streams in reverse order', () => {
  const { a, b } = written(7);
  const target = block(4);
  target.copyFrom(0, b, 0, 4, stream());
  simulated().synchronize();
  expect(read(target, stream())).toEqual(FULL(0));
  expect(read(a, stream())).toEqual(FULL(7));
});

test('the source of a copy to the device can change when the call returns, pinned memory as well', () => {
  const on = stream();
  const a = block(4);
  const source = new Uint8Array(FULL(1));
  a.writeFromHost(0, source, on);
  source.fill(2);
  expect(read(a, on)).toEqual(FULL(1));
  const pinned = native.raw.memHostAlloc(simulated(), 4, {
    mapped: true,
    portable: false,
    writeCombined: false
  });
  const view = new Uint8Array(native.raw.hostBuffer(pinned.host, 4, {})).fill(3);
  a.writeFromHost(0, view, on);
  view.fill(4);
  expect(read(a, on)).toEqual(FULL(3));
  native.raw.memFreeHost(simulated(), pinned.host);
});

test('a copy from pinned memory on the device reads it when it runs', () => {
  const pinned = native.allocate(simulated(), 4, 'pinned');
  const host = new Uint8Array(native.raw.hostBuffer(pinned.pointer, 4, pinned)).fill(1);
  const target = block(4);
  const on = stream();
  target.copyFrom(0, pinned, 0, 4, on);
  host.fill(2);
  expect(read(target, on)).toEqual(FULL(2));
});

test('destroying a stream with held work loses none of it', () => {
  const { a, b, writer } = written(7);
  writer.destroy();
  expect(read(b, stream())).toEqual(FULL(0));
  expect(read(a, stream())).toEqual(FULL(7));
  expect(read(b, stream())).toEqual(FULL(7));
});

test('a free waits for the device', () => {
  const { a, b, writer } = written(7);
  const other = native.raw.memAlloc(simulated(), 64);
  native.raw.memFree(simulated(), other);
  expect(read(b, stream())).toEqual(FULL(7));
  expect(read(a, writer)).toEqual(FULL(7));
});

test('memory freed in stream order is poisoned for late work, and refused afterwards', () => {
  const on = stream();
  const pointer = native.raw.memAllocAsync(simulated(), 4, on);
  const memory = native.adopt(simulated(), pointer, 4, 'device', null);
  const target = block(4);
  memory.fill(0, 1, 1, 4, on);
  on.synchronize();
  const late = stream();
  target.copyFrom(0, alias(memory), 0, 4, late);
  native.raw.memFreeAsync(simulated(), pointer, on);
  expect(errorOf(() => native.raw.memFreeAsync(simulated(), pointer, on)).kind).toBe('driver');
  expect(errorOf(() => memory.fill(0, 1, 1, 4, on)).kind).toBe('driver');
  on.synchronize();
  expect(read(target, late)).toEqual(FULL(0xfd));
});

test('memory freed in stream order counts as free immediately, and can be allocated again', () => {
  const { free } = simulated().memoryInfo();
  const on = stream();
  for (let round = 0; round < 200; round++) {
    const pointer = native.raw.memAllocAsync(simulated(), 2 ** 20, on);
    native.raw.memFreeAsync(simulated(), pointer, on);
  }
  expect(simulated().memoryInfo().free).toBe(free);
});

test('a queue is bounded: old work runs when too much is held', () => {
  const a = block(4);
  const on = stream();
  a.fill(0, 1, 1, 4, on);
  const other = block(4);
  for (let count = 0; count < 1500; count++) other.fill(0, 1, count % 256, 4, on);
  expect(read(alias(a), stream())).toEqual(FULL(1));
});

test('captured work is held at each launch, and reads its input then', () => {
  const a = block(4);
  const on = stream();
  a.fill(0, 1, 0, 4, on);
  on.synchronize();
  on.beginCapture();
  a.writeFromHost(0, new Uint8Array(FULL(8)), on);
  const graph = on.endCapture();
  graph.launch(on);
  expect(read(alias(a), stream())).toEqual(FULL(0));
  expect(read(alias(a), on)).toEqual(FULL(8));
  a.fill(0, 1, 1, 4, on);
  graph.launch(on);
  expect(read(a, on)).toEqual(FULL(8));
  graph.destroy();
});

test('reads by worker threads are ordered by their calls', async () => {
  const { a, writer } = written(7);
  const host = new Uint8Array(4);
  const done = a.readToHostAsync(0, host, stream());
  a.fill(0, 1, 9, 4, writer);
  await done;
  expect([...host]).toEqual(FULL(7));
  expect(read(a, stream())).toEqual(FULL(9));
});

test('work that a thread submitted is done when the thread ends', async () => {
  const a = block(4);
  const on = stream();
  a.fill(0, 1, 0, 4, on);
  on.synchronize();
  const code = `
    const native = require(${JSON.stringify(addonPath)});
    const [device] = native.devices('simulated');
    const memory = native.adopt(device, ${a.pointer}n, 4, 'device', null);
    globalThis.kept = [memory, native.createStream(device, { blocking: false, priority: 0 })];
    // So much that no query on the way to the end finds it done.
    for (let count = 0; count < 500; count++) memory.fill(0, 1, 1, 4, kept[1]);
    memory.fill(0, 1, 7, 4, kept[1]);`;
  const worker = new Worker(code, { eval: true });
  await new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject));
  expect(read(alias(a), stream())).toEqual(FULL(7));
});

test('the recording device has the same schedule', () => {
  const [device] = native.devices('recording');
  if (device === undefined) throw new Error('no recording device');
  const a = native.allocate(device, 4, 'device');
  const made = (): ReturnType<typeof stream> => native.createStream(device, { blocking: false, priority: 0 });
  const writer = made();
  a.fill(0, 1, 0, 4, writer);
  writer.synchronize();
  a.fill(0, 1, 7, 4, writer);
  const other = native.adopt(device, a.pointer, 4, 'device', null);
  expect(read(other, made())).toEqual(FULL(0));
  expect(read(a, made())).toEqual(FULL(7));
});

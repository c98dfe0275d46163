import { recentOperations } from '../../../src/pictures/stream/describe.ts';
import { ArgumentError, Event, FreedError, Stream, trace, zeros } from '../../../src/index.ts';
import { callsOf } from '../conformance/cai-support.ts';

const device = 'rec:0';

describe('streams', () => {
  test('rules 67, 70, 71: handles are bigints; 1 and 2 name the default streams, 0 names none', () => {
    expect(Stream.fromHandle(1n, device)).toBe(Stream.legacyDefault(device));
    expect(Stream.fromHandle(2n, device)).toBe(Stream.perThreadDefault(device));
    for (const handle of [0n, -1n, 5, '1', null]) {
      expect(() => Stream.fromHandle(handle as bigint, device)).toThrow(ArgumentError);
    }
  });

  test('rule 94: external ones are never destroyed by us, our own are', () => {
    const own = new Stream({ device });
    expect(Stream.fromHandle(own.handle, device)).toBe(own);
    expect(callsOf(() => own.dispose())).toContain('cuStreamDestroy');
    expect(callsOf(() => Stream.legacyDefault(device).dispose())).not.toContain('cuStreamDestroy');
  });

  test('rules 93, 95: one that is disposed with pending work leaves an event for its waiters', () => {
    const stream = new Stream({ device });
    using other = new Stream({ device });
    const array = zeros(1 << 18, { stream });
    stream.dispose();
    expect(callsOf(() => array.fill(1, { stream: other }))).toContain('cuStreamWaitEvent');
    expect(array.toTypedArray({ stream: other })[0]).toBe(1);
  });

  test('rules 101, 233: disposing twice is allowed, later use is refused', () => {
    const stream = new Stream({ device });
    const event = new Event({ device });
    stream[Symbol.dispose]();
    stream.dispose();
    event[Symbol.dispose]();
    event.dispose();
    expect(() => stream.record()).toThrow(FreedError);
    expect(() => stream.synchronize()).toThrow(FreedError);
    expect(() => event.query()).toThrow(FreedError);
    expect(() => new Stream({ device }).wait(event)).toThrow(FreedError);
  });

  test('rule 87: asynchronous waits settle without blocking', async () => {
    using stream = new Stream({ device });
    using event = new Event({ device });
    zeros(1 << 20, { stream }).fill(1);
    stream.record(event);
    let settled = false;
    const waits = [stream.synchronizeAsync(), event.synchronizeAsync()];
    void Promise.all(waits).then(() => (settled = true));
    expect(settled).toBe(false);
    await Promise.all(waits);
    expect(stream.query() && event.query()).toBe(true);
  });

  test("rule 85: work on the array's own stream makes no ordering call", () => {
    using stream = new Stream({ device });
    const [a, b] = [zeros(8, { stream }), zeros(8, { stream })];
    const calls = callsOf(() => {
      a.copyFrom(b, { stream });
      b.fill(2, { stream });
    });
    expect(calls.filter(call => call.includes('Event') || call.includes('Wait'))).toEqual([]);
  });

  test('rules 82, 162: later work waits for recorded external work', () => {
    using stream = new Stream({ device });
    using foreign = new Stream({ device });
    const array = zeros(8, { stream });
    array.storage.prepare(foreign, 'write');
    array.storage.recordUse(foreign, 'write');
    expect(callsOf(() => array.fill(1, { stream }))).toContain('cuStreamWaitEvent');
  });
});

test('a completed host wait reports how long it took', () => {
  using stream = new Stream({ device: 'sim:0' });
  using recording = trace.start();
  using array = zeros(8, { stream });
  array.fill(1);
  stream.synchronize();
  const operations = recentOperations(stream);
  expect(operations.map(({ kind }) => kind)).toContain('host-wait');
  expect(operations.filter(({ duration }) => duration === null)).toEqual([]);
  expect(recording).toBe(trace);
});

/** The fields of the record of each kind of operation. */

import { collect, errorOf, native, simulated } from './support.ts';
import { FIELDS, block, callsOf, on, recorder, rows, tracesApart, type Row } from './trace-rows.ts';

const { recording, trace } = native;

tracesApart();

describe('records', () => {
  test('have name, stream, bytes, blocks and device times of copies and fills', () => {
    trace.start(100, [simulated()]);
    const stream = on();
    const [a, b] = [block(25_000), block(25_000)];
    a.writeFromHost(0, new Uint8Array(25_000), stream);
    b.copyFrom(0, a, 0, 20_000, stream);
    b.fill(0, 4, 1, 1500, stream);
    a.readToHost(0, new Uint8Array(25_000), stream);
    stream.synchronize();
    const found = rows().filter(row => !['allocation', 'free'].includes(row.kind));
    expect(found.map(({ kind, name, bytes }) => [kind, name, bytes])).toEqual([
      ['host-to-device', 'copy host to device', 25_000],
      ['on-device', 'copy on device', 20_000],
      ['fill', 'fill', 6000],
      ['device-to-host', 'copy device to host', 25_000],
      ['host-wait', 'synchronize stream', 0]
    ]);
    const timed = found.slice(0, 4);
    // 2 us of latency, then 25, 1000, 1500 and 25 bytes per nanosecond; half a microsecond for the event behind the work, and as
    // much between the event before it and the call that submits it, if the stream is idle.
    for (const [index, work] of [3, 2.02, 2.004, 3].entries()) {
      const { begin, end } = timed[index] as Row;
      expect(end - begin).toBeGreaterThan(work + 0.49);
      expect(end - begin).toBeLessThan(work + 1.01);
    }
    for (const row of found) expect(row.stream).toBe(stream.id);
    for (const row of timed) {
      expect(row.begin).toBeGreaterThanOrEqual(row.submitted);
      expect(row.hostEnd).toBeGreaterThanOrEqual(row.hostBegin);
    }
    expect(timed[1]?.blocks).toEqual([a.pointer, 25_000n, 0n, b.pointer, 25_000n, 1n]);
    expect(timed.map(({ number }) => number)).toEqual(
      [...timed.map(({ number }) => number)].sort((x, y) => x - y)
    );
  });

  test('of pending work have no times yet, and reading does not wait for it', () => {
    trace.start(100, [recorder]);
    const stream = on(recorder);
    const storage = block(2 ** 24, recorder);
    storage.writeFromHost(0, new Uint8Array(2 ** 24), stream);
    const calls = callsOf(() => expect(rows().at(-1)).toMatchObject({ begin: NaN, end: NaN }));
    expect(calls.filter(call => call.includes('Synchronize'))).toEqual([]);
    stream.synchronize();
    const copy = rows().find(row => row.kind === 'host-to-device');
    expect((copy?.end ?? NaN) - (copy?.begin ?? NaN)).toBeGreaterThan(600);
    // Times are cached once read: the driver is not queried again.
    expect(callsOf(() => expect(rows().find(row => row.kind === 'host-to-device')).toEqual(copy))).toEqual(
      []
    );
  });

  test('of two streams overlap, and a wait lasts until the other stream is done', () => {
    trace.start(100, [simulated()]);
    const [first, second] = [on(), on()];
    const [a, b] = [block(2 ** 22), block(2 ** 22)];
    a.writeFromHost(0, new Uint8Array(2 ** 22), first);
    b.writeFromHost(0, new Uint8Array(2 ** 20), second);
    b.copyFrom(0, a, 0, 2 ** 22, second);
    second.synchronize();
    const found = rows();
    const copies = found.filter(row => row.kind === 'host-to-device') as [Row, Row];
    expect(copies[1].begin).toBeLessThan(copies[0].end);
    const wait = found.find(row => row.kind === 'stream-wait');
    expect(wait).toMatchObject({ stream: second.id, waitsFor: first.id });
    expect(wait?.end).toBeGreaterThanOrEqual(copies[0].end);
    expect(wait?.begin).toBeGreaterThanOrEqual(copies[1].end);
    expect(found.find(row => row.kind === 'on-device')?.begin).toBeGreaterThanOrEqual(wait?.end ?? NaN);
  });

  test('the ring drops the oldest, counts them, and reuses their events', () => {
    trace.start(4, [recorder]);
    const stream = on(recorder);
    const storage = block(64, recorder);
    const fill = (count: number): void => {
      for (let i = 0; i < count; i++) storage.fill(0, 1, 1, i + 1, stream);
    };
    fill(50);
    stream.synchronize();
    expect(trace.read().dropped).toBe(1 + 50 + 1 - 4);
    expect(rows().map(({ bytes, number }) => [bytes, number])).toEqual([
      [48, 48],
      [49, 49],
      [50, 50],
      [0, 51]
    ]);
    expect(rows()[0]?.end).not.toBeNaN();
    expect(callsOf(() => fill(50)).filter(call => call === 'cuEventCreate')).toEqual([]);
  });

  test('a reader gets new records, and earlier ones again once they are done', () => {
    trace.start(8, [recorder]);
    const stream = on(recorder);
    const storage = block(2 ** 20, recorder);
    const numbersOf = ({ numbers, names }: ReturnType<typeof trace.readSince>): number[][] =>
      names.map((_, index) => [16, 18].map(field => numbers[index * FIELDS + field] as number));
    storage.fill(0, 1, 1, 2 ** 20, stream);
    const first = trace.readSince(0, 0, new Float64Array(), 100);
    expect(numbersOf(first)).toEqual([
      [0, 0],
      [1, 1]
    ]);
    const since = (next: number, open: number[], limit = 100): number[][] =>
      numbersOf(trace.readSince(first.epoch, next, Float64Array.from(open), limit));
    expect(since(2, [1])).toEqual([]);
    stream.synchronize();
    expect(since(2, [1])).toEqual([
      [1, 0],
      [2, 0]
    ]);
    expect(since(0, [], 1)).toEqual([[0, 0]]);
    expect(since(99, [50, NaN, -1])).toEqual([]);
    trace.clear();
    expect(trace.readSince(first.epoch, 2, Float64Array.of(1), 9)).toMatchObject({
      names: [],
      added: 0,
      dropped: 0
    });
    for (const [epoch, next, open, limit] of [
      [-1, 0, new Float64Array(), 1],
      [0, 0.5, new Float64Array(), 1],
      [0, 0, [], 1],
      [0, 0, new Float64Array(), 0]
    ] as unknown as [number, number, Float64Array, number][])
      expect(errorOf(() => trace.readSince(epoch, next, open, limit)).kind).toBe('argument');
  });

  test('a full ring of pending work keeps no more events than records', () => {
    trace.start(8, [recorder]);
    const stream = on(recorder);
    const storage = block(2 ** 24, recorder);
    const host = new Uint8Array(2 ** 24);
    const made = callsOf(() => {
      for (let i = 0; i < 40; i++) storage.writeFromHost(0, host, stream);
    }).filter(call => call === 'cuEventCreate');
    // Three events for each record in virtual time, and those of the next record.
    expect(made.length).toBeLessThanOrEqual(3 * 9);
    stream.synchronize();
    const copies = rows().filter(row => row.kind === 'host-to-device');
    expect(copies).toHaveLength(7);
    for (const [index, copy] of copies.entries())
      if (index > 0) expect(copy.begin).toBeGreaterThanOrEqual(copies[index - 1]?.end ?? NaN);
  });

  test('captured work is not recorded; a launch of its graph is one operation', () => {
    trace.start(100, [recorder]);
    const [stream, side] = [on(recorder), on(recorder)];
    const [a, b] = [block(64, recorder), block(64, recorder)];
    stream.beginCapture();
    a.fill(0, 1, 1, 64, stream);
    side.waitForStream(stream);
    b.fill(0, 1, 2, 64, side);
    stream.waitForStream(side);
    const graph = stream.endCapture();
    expect(rows().filter(({ kind }) => kind !== 'allocation')).toEqual([]);
    graph.launch(stream);
    stream.synchronize();
    const [launch, ...others] = rows().filter(({ kind }) => !['allocation', 'host-wait'].includes(kind));
    expect(others).toEqual([]);
    expect(launch).toMatchObject({ kind: 'graph', name: 'graph launch', stream: stream.id });
    expect(launch?.blocks).toHaveLength(6);
    // Two fills of 2.001 us and an event of 0.5 us.
    expect((launch?.end ?? 0) - (launch?.begin ?? 0)).toBeGreaterThan(4);
    graph.destroy();
  });

  test('work in an external capture is not recorded and does not break it', () => {
    const foreign = native.wrapStream(recorder, recording.makeStream());
    const storage = block(64, recorder);
    trace.start(100, [recorder]);
    foreign.beginCapture();
    storage.fill(0, 1, 1, 64, foreign);
    foreign.endCapture().destroy();
    expect(rows().filter(({ kind }) => kind === 'fill')).toEqual([]);
    storage.fill(0, 1, 1, 64, foreign);
    foreign.synchronize();
    expect(rows().filter(({ kind }) => kind === 'fill')).toHaveLength(1);
    recording.destroyStream(foreign.handle);
  });

  test('times of a stream that was destroyed meanwhile are available', () => {
    trace.start(100, [simulated()]);
    const stream = on();
    const storage = block(2 ** 20);
    storage.writeFromHost(0, new Uint8Array(2 ** 20), stream);
    stream.destroy();
    simulated().synchronize();
    const copy = rows().find(({ kind }) => kind === 'host-to-device');
    expect((copy?.end ?? NaN) - (copy?.begin ?? NaN)).toBeGreaterThan(40);
  });

  test('an operation that fails leaves no record, and its events are reused', () => {
    trace.start(100, [recorder]);
    const stream = on(recorder);
    const storage = block(64, recorder);
    storage.fill(0, 1, 1, 1, stream);
    stream.synchronize();
    rows();
    recording.fail('cuMemsetD8Async', 1, 1);
    expect(errorOf(() => storage.fill(0, 1, 1, 2, stream)).kind).toBe('driver');
    expect(rows().filter(({ kind }) => kind === 'fill')).toHaveLength(1);
    expect(callsOf(() => storage.fill(0, 1, 1, 3, stream)).filter(call => call === 'cuEventCreate')).toEqual(
      []
    );
  });

  test('work that cannot be timed runs and is recorded all the same', () => {
    const stream = on(recorder);
    const storage = block(64, recorder);
    trace.start(100, [recorder]);
    recording.fail('cuEventRecord', 1, -1);
    storage.fill(0, 1, 7, 64, stream);
    recording.reset();
    const target = new Uint8Array(1);
    storage.readToHost(0, target, stream);
    expect(target[0]).toBe(7);
    const [fill, copy] = rows().filter(({ kind }) => ['fill', 'device-to-host'].includes(kind)) as [Row, Row];
    expect(fill).toMatchObject({ bytes: 64, begin: NaN, end: NaN });
    expect(copy.end).toBeGreaterThan(copy.begin);
  });

  test('the loss of a device is reported by the operation, not by the trace', () => {
    const stream = on(recorder);
    const storage = block(64, recorder);
    trace.start(100, [recorder]);
    storage.fill(0, 1, 1, 64, stream);
    recording.fail('*', 700, -1);
    expect(errorOf(() => storage.fill(0, 1, 1, 64, stream)).kind).toBe('lost');
    expect(rows().filter(({ kind }) => kind === 'fill')).toMatchObject([{ begin: NaN }]);
    expect(errorOf(() => trace.start(10, [recorder])).kind).toBe('lost');
    expect(trace.enabled()).toBe(false);
    recording.reset();
  });

  test('blocks are recorded when they are allocated and freed, also by the collector, with the remaining device memory', async () => {
    // A reference that the last call left on the stack would keep a young object alive.
    const collectAll = async (): Promise<void> => {
      await new Promise(resolve => setImmediate(resolve));
      collect();
    };
    // What earlier tests dropped.
    await collectAll();
    native.drainReleases(true);
    trace.start(100, [recorder]);
    const kept = block(1000, recorder);
    (() => void block(500, recorder))();
    await collectAll();
    kept.release();
    block(0, recorder).release();
    const found = rows();
    const before = (found[0]?.live ?? NaN) - 1000;
    expect(found.map(({ kind, bytes, live }) => [kind, bytes, live - before])).toEqual([
      ['allocation', 1000, 1000],
      ['allocation', 500, 1500],
      ['free', 500, 1000],
      ['free', 1000, 0]
    ]);
  });

  test('copies by worker threads are on the transfer stream, with the tag of the caller', async () => {
    let place = 1;
    const source = trace.setContext(() => place);
    trace.start(100, [simulated()]);
    const stream = on();
    const storage = block(2 ** 16);
    storage.fill(0, 1, 9, 2 ** 16, stream);
    place = 2;
    const target = new Uint8Array(2 ** 16);
    const done = storage.readToHostAsync(0, target, stream);
    place = 3;
    await done;
    expect(target[100]).toBe(9);
    const copy = rows().find(({ kind }) => kind === 'device-to-host');
    expect(copy).toMatchObject({ stream: 0, source, tag: 2, bytes: 2 ** 16 });
    expect(copy?.thread).not.toBe(rows().find(({ kind }) => kind === 'fill')?.thread);
    expect(copy?.end).toBeGreaterThan(copy?.begin ?? NaN);
  });
});

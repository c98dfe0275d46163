import {
  block,
  errorOf,
  mark,
  microseconds,
  native,
  record,
  rejectionOf,
  simulated,
  stream,
  wait
} from './support.ts';

const MEBI = 2 ** 20;

describe('streams', () => {
  test('include the two default streams with their handles, always the same objects', () => {
    const device = simulated();
    expect(device.legacyStream().handle).toBe(1n);
    expect(device.perThreadStream().handle).toBe(2n);
    expect(device.legacyStream()).toBe(device.legacyStream());
    expect(native.wrapStream(device, 1n)).toBe(device.legacyStream());
    expect(native.wrapStream(device, 2n)).toBe(device.perThreadStream());
    expect(device.legacyStream().owned).toBe(false);
    device.legacyStream().destroy();
    expect(device.legacyStream().destroyed).toBe(false);
  });

  test('are numbered, prioritized and owned', () => {
    const [first, second] = [stream({ priority: -1 }), stream({ priority: -99, blocking: true })];
    expect(second.id).toBeGreaterThan(first.id);
    expect(first.handle).not.toBe(second.handle);
    expect([first.priority, second.priority]).toEqual([-1, -5]);
    expect(first.owned).toBe(true);
    expect(first.device).toBe(simulated());
  });

  test('created elsewhere are wrapped once, and are our own object if the handle is ours', () => {
    const own = stream();
    expect(native.wrapStream(simulated(), own.handle)).toBe(own);
    expect(errorOf(() => native.wrapStream(simulated(), 0n)).kind).toBe('argument');
    expect(errorOf(() => native.wrapStream(simulated(), 0xdeadn))).toMatchObject({
      kind: 'driver',
      status: 400
    });
    const other = native.createStream(simulated(), { blocking: false, priority: -2 });
    const handle = other.handle;
    other.destroy();
    expect(errorOf(() => native.wrapStream(simulated(), handle))).toMatchObject({
      statusName: 'CUDA_ERROR_INVALID_HANDLE'
    });
  });

  test('go from idle to busy to idle as virtual time passes', () => {
    const [on, storage] = [stream(), block(MEBI)];
    expect(on.query()).toBe(true);
    storage.writeFromHost(0, new Uint8Array(MEBI), on);
    expect([on.sequence, on.completed]).toEqual([1, 0]);
    let queries = 0;
    while (!on.query()) queries++;
    // 2 us and 1 MiB at 25 GB/s are 43.9 us; each query takes one.
    expect(queries).toBe(43);
    expect(on.completed).toBe(1);
  });

  test('synchronize immediately in real time', () => {
    const [on, storage] = [stream(), block(MEBI)];
    for (let copy = 0; copy < 100; copy++) storage.copyFrom(0, block(MEBI), 0, MEBI, on);
    on.synchronize();
    expect(on.query()).toBe(true);
    expect(on.completed).toBe(100);
  });

  test('refuse use after destroy, which is idempotent', async () => {
    const on = stream();
    const handle = on.handle;
    on.destroy();
    on.destroy();
    expect(on.destroyed).toBe(true);
    expect(on.handle).toBe(handle);
    for (const action of [
      () => on.query(),
      () => on.synchronize(),
      () => record(on, native.createEvent(simulated(), true)),
      () => wait(on, mark(stream())),
      () => block(8).fill(0, 1, 0, 8, on),
      () => block(8).prepare(on, 'read'),
      () => block(8).recordUse(on, 'write')
    ]) {
      expect(errorOf(action).kind).toBe('freed');
    }
    expect((await rejectionOf(on.synchronizeAsync())).kind).toBe('freed');
  });

  test('are waited for on a worker thread', async () => {
    const [on, storage] = [stream(), block(MEBI)];
    storage.writeFromHost(0, new Uint8Array(MEBI), on);
    const waiting = on.synchronizeAsync();
    on.destroy();
    await waiting;
    expect(on.completed).toBe(1);
    await simulated().perThreadStream().synchronizeAsync();
  });

  test('refuse options of the wrong kind', () => {
    const device = simulated();
    expect(errorOf(() => native.createStream(device, {} as never)).kind).toBe('argument');
    expect(errorOf(() => native.createStream(device, null as never)).kind).toBe('argument');
    expect(errorOf(() => native.createStream({} as never, { blocking: true, priority: 0 })).kind).toBe(
      'argument'
    );
  });
});

describe('virtual time', () => {
  test('follows the modelled device', () => {
    const [on, source, target] = [stream(), block(MEBI), block(MEBI)];
    source.writeFromHost(0, new Uint8Array(MEBI), on);
    const marks = [mark(on)];
    target.copyFrom(0, source, 0, MEBI, on);
    marks.push(mark(on));
    target.fill(0, 1, 0, MEBI, on);
    marks.push(mark(on));
    const [start, copied, filled] = marks as [(typeof marks)[0], (typeof marks)[0], (typeof marks)[0]];
    // 2 us, the bytes at 1000 and 1500 GB/s, and 0.5 us for the event behind them.
    expect(microseconds(start, copied)).toBeCloseTo(2 + MEBI / 1e6 + 0.5, 2);
    expect(microseconds(copied, filled)).toBeCloseTo(2 + MEBI / 1.5e6 + 0.5, 2);
  });

  test('lets streams run concurrently, except that the legacy stream and blocking ones wait for each other', () => {
    const legacy = simulated().legacyStream();
    const [free, blocking] = [stream(), stream({ blocking: true })];
    const host = new Uint8Array(MEBI);
    simulated().synchronize();
    block(MEBI).writeFromHost(0, host, legacy);
    const ends = [legacy, free, blocking].map(mark) as [
      ReturnType<typeof mark>,
      ReturnType<typeof mark>,
      ReturnType<typeof mark>
    ];
    expect(microseconds(ends[0], ends[1])).toBeLessThan(-30);
    expect(microseconds(ends[0], ends[2])).toBe(0.5);
    block(MEBI).writeFromHost(0, host, blocking);
    expect(legacy.query()).toBe(false);
    expect(free.query()).toBe(true);
    expect(microseconds(mark(blocking), mark(legacy))).toBe(0.5);
  });
});

describe('events', () => {
  test('are done before they are recorded, then with the preceding work', () => {
    const [on, event] = [stream(), native.createEvent(simulated(), true)];
    expect(event.query()).toBe(true);
    event.synchronize();
    block(MEBI).writeFromHost(0, new Uint8Array(MEBI), on);
    record(on, event);
    expect(event.query()).toBe(false);
    event.synchronize();
    expect(event.query()).toBe(true);
    expect([on.sequence, on.completed]).toEqual([2, 2]);
  });

  test('order streams on the device', () => {
    const [producer, consumer] = [stream(), stream()];
    block(MEBI).writeFromHost(0, new Uint8Array(MEBI), producer);
    const produced = mark(producer);
    wait(consumer, produced);
    expect(microseconds(produced, mark(consumer))).toBe(0.5);
  });

  test('measure time only if both have timing and are done', () => {
    const on = stream();
    const start = mark(on);
    const untimed = native.createEvent(simulated(), false);
    record(on, untimed);
    block(MEBI).writeFromHost(0, new Uint8Array(MEBI), on);
    const end = mark(on);
    expect(untimed.timing).toBe(false);
    expect(errorOf(() => end.elapsedSince(start))).toMatchObject({ status: 600, call: 'cuEventElapsedTime' });
    end.synchronize();
    expect(errorOf(() => end.elapsedSince(untimed)).statusName).toBe('CUDA_ERROR_INVALID_HANDLE');
    expect(errorOf(() => end.elapsedSince(native.createEvent(simulated(), true))).status).toBe(400);
    expect(end.elapsedSince(start)).toBeGreaterThan(0.04);
  });

  test('are waited for on a worker thread, even if they are destroyed meanwhile', async () => {
    const on = stream();
    block(MEBI).writeFromHost(0, new Uint8Array(MEBI), on);
    const event = mark(on);
    const waiting = event.synchronizeAsync();
    event.destroy();
    await waiting;
    expect(on.completed).toBe(2);
  });

  test('refuse use after destroy, which is idempotent', async () => {
    const event = mark(stream());
    event.destroy();
    event.destroy();
    expect(event.device).toBe(simulated());
    for (const action of [
      () => event.handle,
      () => event.query(),
      () => event.synchronize(),
      () => wait(stream(), event),
      () => record(stream(), event),
      () => mark(stream()).elapsedSince(event)
    ]) {
      expect(errorOf(action).kind).toBe('freed');
    }
    expect((await rejectionOf(event.synchronizeAsync())).kind).toBe('freed');
  });
});

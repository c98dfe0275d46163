/** When the trace records, which devices, and the source positions. */

import type { NativeDevice, NativeEvent } from '../../src/native/binding.ts';
import { collect, errorOf, mark, microseconds, native, rejectionOf, simulated } from './support.ts';
import { block, callsOf, on, recorder, rows, tracesApart } from './trace-rows.ts';
import { pass } from '../setup/until.ts';

const { trace } = native;

tracesApart();

describe('a trace that is off', () => {
  /** Runs one of each operation, on new streams. */
  function everything(device: NativeDevice): void {
    const [first, second] = [on(device), on(device)];
    const [a, b] = [block(4096, device), block(4096, device)];
    a.writeFromHost(0, new Uint8Array(4096), first);
    b.copyFrom(0, a, 0, 4096, second);
    b.fill(0, 4, 7, 16, first);
    b.readToHost(0, new Uint8Array(16), second);
    second.beginCapture();
    a.fill(0, 1, 1, 1, second);
    const graph = second.endCapture();
    graph.launch(second);
    second.synchronize();
    graph.destroy();
    a.release();
    b.release();
  }

  test('makes the same driver calls before the first start and after a stop, and records nothing', () => {
    everything(recorder); // fills the pool of events
    recorder.synchronize();
    const before = callsOf(() => everything(recorder));
    trace.start(1000, [recorder]);
    const during = callsOf(() => everything(recorder));
    trace.stop();
    const after = callsOf(() => everything(recorder));
    expect(after).toEqual(before);
    const records = (calls: string[]): number => calls.filter(call => call === 'cuEventRecord').length;
    expect(records(during)).toBeGreaterThan(records(before) + 10);
    expect(trace.enabled()).toBe(false);
    const recorded = rows().length;
    everything(recorder);
    expect(rows()).toHaveLength(recorded);
  });

  test('the work itself is submitted in the same way while it is on', () => {
    const work = (calls: string[]): string[] =>
      calls.filter(call => /^cu(Mem|Graph|Stream(Wait|Begin|End|Destroy))/.test(call));
    everything(recorder);
    recorder.synchronize();
    const before = work(callsOf(() => everything(recorder)));
    trace.start(1000, null);
    expect(work(callsOf(() => everything(recorder)))).toEqual(before);
  });
});

describe('the place of a submission', () => {
  test('is requested at each submission, and a function that throws or returns nonsense means no place', () => {
    const answers: (() => unknown)[] = [() => 7, () => 4_000_000_000, () => undefined, () => 'x'];
    answers.push(() => {
      throw new Error('inside');
    });
    let answer: (() => unknown) | undefined;
    const source = trace.setContext(() => answer?.() as number);
    const [stream, storage] = [on(), block()];
    trace.start(100, [simulated()]);
    for (answer of answers) storage.fill(0, 1, 1, 1, stream);
    const found = rows();
    expect(found.map(({ tag }) => tag)).toEqual([7, 4_000_000_000, 0, 0, 0]);
    expect(new Set(found.map(row => row.source))).toEqual(new Set([source]));
  });

  test('is not requested while the trace is off', () => {
    let asked = 0;
    trace.setContext(() => ++asked);
    const [stream, storage] = [on(), block()];
    storage.fill(0, 1, 1, 1, stream);
    expect(asked).toBe(0);
    trace.start(10, [simulated()]);
    storage.fill(0, 1, 1, 1, stream);
    expect(asked).toBe(1);
  });

  test('the same function keeps its number, another gets a new one', () => {
    const place = (): number => 1;
    const source = trace.setContext(place);
    expect(trace.setContext(place)).toBe(source);
    expect(trace.setContext(() => 1)).not.toBe(source);
  });

  test('the collector can run inside the request', () => {
    trace.setContext(() => {
      collect();
      return 1;
    });
    trace.start(1000, [simulated()]);
    const [first, second] = [on(), on()];
    for (let i = 0; i < 5; i++) {
      const storage = block(1024);
      storage.fill(0, 1, i, 1024, first);
      block(1024).copyFrom(0, storage, 0, 1024, second);
    }
    trace.setContext(() => 0);
    const found = rows();
    expect(found.filter(({ kind }) => kind === 'on-device')).toHaveLength(5);
    expect(found.filter(({ kind }) => kind === 'free').length).toBeGreaterThan(3);
  });
});

describe('starting and stopping', () => {
  test('a new start drops earlier records, also pending ones', async () => {
    trace.start(10, [simulated()]);
    const [stream, storage] = [on(), block(2 ** 20)];
    storage.fill(0, 1, 1, 2 ** 20, stream);
    const done = storage.readToHostAsync(0, new Uint8Array(2 ** 20), stream);
    trace.start(10, [simulated()]);
    await done;
    storage.fill(0, 1, 1, 4, stream);
    expect(rows().filter(({ kind }) => kind === 'fill')).toMatchObject([{ bytes: 4 }]);
    trace.clear();
    expect(rows()).toEqual([]);
    expect(trace.enabled()).toBe(true);
  });

  test('records other devices only if they, or no device, were named', () => {
    const submit = (device: NativeDevice): void => block(64, device).fill(0, 1, 1, 64, on(device));
    const drivers = (): number[] => [
      ...new Set(
        rows()
          .filter(row => row.kind === 'fill')
          .map(row => row.driver)
      )
    ];
    trace.start(100, [recorder]);
    submit(simulated());
    submit(recorder);
    expect(drivers()).toEqual([2]);
    trace.start(100, null);
    submit(simulated());
    submit(recorder);
    expect(drivers()).toEqual([1, 2]);
  });

  test('refuses a wrong capacity, device or function', async () => {
    for (const capacity of [0, -1, 1.5, 2 ** 24 + 1, NaN, '8', undefined])
      expect(errorOf(() => trace.start(capacity as number, null)).kind).toBe('argument');
    for (const devices of [[], [{}], 'sim:0', undefined, [on()]])
      expect(errorOf(() => trace.start(1, devices as unknown as NativeDevice[])).kind).toBe('argument');
    expect(errorOf(() => trace.setContext(1 as unknown as () => number)).kind).toBe('argument');
    expect(errorOf(() => trace.noteRange(1 as unknown as string, 0)).kind).toBe('argument');
    expect(errorOf(() => trace.noteRange('a', '0' as unknown as number)).kind).toBe('argument');
    expect(trace.enabled()).toBe(false);
    const storage = block();
    storage.release();
    trace.start(10, null);
    expect((await rejectionOf(storage.readToHostAsync(0, new Uint8Array(1), on()))).kind).toBe('freed');
    expect(rows().filter(({ kind }) => kind === 'device-to-host')).toEqual([]);
  });

  test('times of a long trace are measured from moving base points, and are consistent', async () => {
    trace.start(1000, [simulated()]);
    const stream = on();
    const storage = block(2 ** 24);
    const marks: NativeEvent[] = [];
    for (let i = 0; i < 3; i++) {
      if (i > 0) await pass(300, 'the moments move along with time');
      storage.writeFromHost(0, new Uint8Array(2 ** 24), stream);
      // Directly behind the copy on the stream, regardless of the host's other driver calls.
      marks.push(mark(stream));
      stream.synchronize();
    }
    const copies = rows().filter(({ kind }) => kind === 'host-to-device');
    expect(copies).toHaveLength(3);
    for (let i = 1; i < 3; i++) {
      const apart = (copies[i]?.end ?? NaN) - (copies[i - 1]?.end ?? NaN);
      const between = microseconds(marks[i - 1] as NativeEvent, marks[i] as NativeEvent);
      expect(Math.abs(apart - between)).toBeLessThan(0.1);
      expect(apart).toBeGreaterThan(600);
    }
  });
});

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { inspect } from 'node:util';

import {
  arange,
  ArgumentError,
  attachNotebookHost,
  DeviceError,
  display,
  DISPLAY_METHOD,
  empty,
  emptyShared,
  Stream,
  trace,
  zeros,
  type ChromeEvent,
  type ChromeTrace,
  type MimeBundle,
  type TraceEvent
} from '../../src/index.ts';
import { toDevice } from '../../src/device.ts';
import { contextNumber, contextOf, resetContexts } from '../../src/trace/context.ts';

const sim = { device: 'sim:0' } as const;
const on = (): Stream => new Stream(sim);
const ofKind = (...kinds: string[]): TraceEvent[] =>
  trace.events().filter(event => kinds.includes(event.kind));
const namesOf = (event: TraceEvent | undefined): string[] | undefined =>
  event?.labels.map(({ text }) => text);

beforeEach(() => toDevice('sim:0').synchronize());
afterEach(() => {
  trace.stop();
  trace.clear();
  attachNotebookHost(undefined);
});

describe('trace', () => {
  test('is off until it is started, and after its scope', () => {
    using stream = on();
    zeros(4, { stream }).fill(1);
    expect(trace.enabled).toBe(false);
    expect(trace.events()).toEqual([]);
    expect(trace.toChrome().traceEvents.filter(({ ph }) => ph !== 'M')).toEqual([]);
    {
      using started = trace.start({ devices: ['sim:0'] });
      expect(started).toBe(trace);
      expect(trace.enabled).toBe(true);
      zeros(4, { stream });
    }
    expect(trace.enabled).toBe(false);
    zeros(4, { stream });
    expect(ofKind('fill')).toHaveLength(1);
    trace.stop();
    trace.clear();
    expect(trace.events()).toEqual([]);
  });

  test('tells operation, stream, array and times', async () => {
    using stream = on();
    trace.start();
    const a = arange(6, { dtype: 'float32', stream }).reshape(2, 3);
    a.fill(2);
    const b = a.copy();
    await b.toTypedArrayAsync();
    b.toTypedArray();
    stream.synchronize();
    const found = ofKind('copy-host-to-device', 'fill', 'copy-on-device', 'copy-device-to-host');
    const told = found.map(({ kind, name, stream: where, bytes, array }) => [
      kind,
      name,
      where,
      bytes,
      array?.dtype,
      array?.shape
    ]);
    const own = `stream #${stream.id}`;
    expect(told).toEqual([
      ['copy-host-to-device', 'copy host to device', own, 24, 'float32', [6]],
      ['fill', 'fill', own, 24, 'float32', [2, 3]],
      ['copy-on-device', 'copy on device', own, 24, 'float32', [2, 3]],
      ['copy-device-to-host', 'copy device to host', 'transfer stream', 24, 'float32', [2, 3]],
      ['copy-device-to-host', 'copy device to host', own, 24, 'float32', [2, 3]]
    ]);
    for (const { device, start, end, submitted, hostStart, hostEnd } of found) {
      expect(device).toBe(toDevice('sim:0'));
      expect(end).toBeGreaterThan(start as number);
      expect(start).toBeGreaterThanOrEqual(submitted as number);
      expect(hostEnd).toBeGreaterThanOrEqual(hostStart);
    }
    expect(found[2]?.blocks.map(({ access }) => access)).toEqual(['read', 'write']);
    expect(found[1]?.blocks).toEqual([{ pointer: a.storage.pointer, bytes: 24, access: 'write' }]);
  });

  test('a copy from page-locked memory comes from the host, and one into it goes there', () => {
    using stream = on();
    using host = emptyShared([1 << 20], { dtype: 'uint8', stream });
    using a = empty([1 << 20], { dtype: 'uint8', stream });
    using b = empty([1 << 20], { dtype: 'uint8', stream });
    trace.start();
    a.copyFrom(host);
    b.copyFrom(a);
    host.copyFrom(b);
    stream.synchronize();
    const found = ofKind('copy-host-to-device', 'copy-device-to-host', 'copy-on-device');
    expect(found.map(({ name }) => name)).toEqual([
      'copy host to device',
      'copy on device',
      'copy device to host'
    ]);
    // By the durations of the simulated device: 2 us and 25 bytes a nanosecond, or 1000.
    const [there, within, back] = found.map(({ start, end }) => (end as number) - (start as number));
    expect(there).toBeGreaterThan(2 + (1 << 20) / 25_000);
    expect(back).toBeGreaterThan(2 + (1 << 20) / 25_000);
    expect(within).toBeLessThan(10);
  });

  test('a wait for an event suffices for the work before it, and for no other', () => {
    using first = on();
    using second = on();
    using a = empty(4, { stream: first });
    using b = empty(4, { stream: first });
    trace.start();
    a.fill(1, { stream: first });
    using mark = first.record();
    b.fill(2, { stream: first });
    second.wait(mark);
    a.fill(3, { stream: second });
    expect(ofKind('stream-wait')).toHaveLength(1);
    b.fill(4, { stream: second });
    expect(ofKind('stream-wait')).toHaveLength(2);
    a.fill(5, { stream: first });
    first.wait(second);
    b.fill(6, { stream: first });
    expect(ofKind('stream-wait')).toHaveLength(4);
    first.synchronize();
    expect([a.item(0), b.item(0)]).toEqual([5, 6]);
  });

  test('names the default streams, and what a stream waits for', () => {
    using stream = on();
    trace.start({ devices: [toDevice('sim:0')] });
    const a = zeros(4, sim);
    const b = empty(4, { stream });
    b.copyFrom(a);
    stream.synchronize();
    const legacy = Stream.legacyDefault('sim:0');
    expect(ofKind('fill')[0]?.stream).toBe('legacy default stream');
    expect(ofKind('stream-wait')).toMatchObject([{ streamId: stream.id, waitsFor: legacy.id }]);
    expect(ofKind('host-wait')).toMatchObject([{ stream: `stream #${stream.id}`, start: null }]);
  });

  test('an array is told only of operations on its own block', () => {
    using stream = on();
    trace.start();
    const a = zeros(4, { dtype: 'uint8', stream });
    const b = zeros(8, { dtype: 'uint8', stream });
    a.storage.fill(0, 1, 1, 4, stream);
    stream.synchronize();
    expect(ofKind('fill').map(({ array }) => array?.shape)).toEqual([[4], [8], undefined]);
    expect(b.size).toBe(8);
  });

  test('the ring keeps the latest and counts the rest; a new start is empty', () => {
    using stream = on();
    const a = zeros(64, { dtype: 'uint8', stream });
    trace.start({ capacity: 3 });
    for (let i = 1; i <= 10; i++) a.slice(`:${i}`).fill(i);
    stream.synchronize();
    const { events, dropped } = trace.read();
    expect(dropped).toBe(8);
    expect(events.map(({ kind, bytes, number }) => [kind, bytes, number])).toEqual([
      ['fill', 9, 8],
      ['fill', 10, 9],
      ['host-wait', 0, 10]
    ]);
    expect(events[0]?.array?.shape).toEqual([9]);
    expect(trace.toChrome().otherData['records dropped']).toBe(8);
    trace.start();
    expect(trace.read()).toEqual({ events: [], dropped: 0 });
  });

  test('captured work is one span where its graph is launched', () => {
    using stream = on();
    const a = zeros(4, { stream });
    stream.synchronize();
    trace.start();
    using graph = stream.capture(() => a.fill(1).fill(2));
    expect(ofKind('fill', 'graph')).toEqual([]);
    graph.launch(stream);
    stream.synchronize();
    expect(ofKind('fill', 'graph', 'copy-host-to-device')).toMatchObject([{ kind: 'graph', array: null }]);
  });

  test('refuses what it cannot do', () => {
    for (const capacity of [0, -1, 0.5, Infinity])
      expect(() => trace.start({ capacity })).toThrow(ArgumentError);
    expect(() => trace.start({ devices: ['sim:7'] })).toThrow(DeviceError);
    expect(() => trace.start({ devices: [] })).toThrow(ArgumentError);
    expect(() => trace.label(1 as unknown as string, () => 1)).toThrow(ArgumentError);
    expect(() => trace.label('x', 1 as unknown as () => number)).toThrow(ArgumentError);
    expect(trace.enabled).toBe(false);
  });
});

describe('labels', () => {
  test('nest, give back what their functions return, and are ranges of their own', () => {
    using stream = on();
    const a = zeros(4, { dtype: 'uint8', stream });
    trace.start();
    const result = trace.label('outer', () => {
      a.fill(1);
      return trace.label('inner', () => a.fill(2).size);
    });
    a.fill(3);
    expect(result).toBe(4);
    expect(ofKind('fill').map(namesOf)).toEqual([['outer'], ['outer', 'inner'], []]);
    const [inner, outer] = ofKind('label') as [TraceEvent, TraceEvent];
    expect([inner.name, outer.name]).toEqual(['inner', 'outer']);
    expect(outer.hostStart).toBeLessThanOrEqual(inner.hostStart);
    expect(outer.hostEnd).toBeGreaterThanOrEqual(inner.hostEnd);
    expect(inner.device).toBeNull();
  });

  test('two calls of one text are two ranges; a function that throws ends its range', () => {
    trace.start();
    for (let i = 0; i < 2; i++) trace.label('same', () => i);
    expect(() =>
      trace.label('bad', () => {
        throw new RangeError('inside');
      })
    ).toThrow(RangeError);
    const found = ofKind('label');
    expect(found.map(({ name }) => name)).toEqual(['same', 'same', 'bad']);
    expect(new Set(found.map(({ labels }) => labels[0]?.id)).size).toBe(3);
  });

  test('follow asynchronous code, also where two run at once and one fails', async () => {
    using stream = on();
    const a = zeros(4, { dtype: 'uint8', stream });
    trace.start();
    const step = async (text: string, fail: boolean): Promise<void> => {
      a.fill(1);
      await turn();
      a.fill(2);
      if (fail) throw new RangeError(text);
    };
    const one = trace.label('one', () => step('one', false));
    const two = trace.label('two', () => step('two', true));
    a.fill(3);
    await one;
    await expect(two).rejects.toThrow(RangeError);
    expect(ofKind('fill').map(namesOf)).toEqual([['one'], ['two'], [], ['one'], ['two']]);
    expect(ofKind('label').map(({ name, labels }) => [name, labels[0]?.asynchronous])).toEqual([
      ['one', true],
      ['two', true]
    ]);
  });

  test('one that outlives its trace says nothing in the next', async () => {
    trace.start();
    const waiting = trace.label('old', () => turn());
    trace.start();
    await waiting;
    // What was made before may be collected meanwhile.
    expect(trace.events().filter(({ kind }) => kind !== 'free')).toEqual([]);
  });

  test('run their function and nothing else while the trace is off', () => {
    expect(trace.label('off', () => 5)).toBe(5);
    expect(trace.events()).toEqual([]);
  });
});

describe('places in the program', () => {
  test('a record names the notebook cell that submitted it', () => {
    using stream = on();
    const a = zeros(4, { dtype: 'uint8', stream });
    let cell: string | undefined = 'In [3]';
    attachNotebookHost({ display: () => undefined, inspect: () => undefined, cell: () => cell });
    trace.start();
    a.fill(1);
    cell = 'In [4]';
    a.fill(2);
    cell = undefined;
    a.fill(3);
    attachNotebookHost({ display: () => undefined, inspect: () => undefined });
    a.fill(4);
    expect(ofKind('fill').map(event => event.cell)).toEqual(['In [3]', 'In [4]', null, null]);
  });

  test('are remembered by number until the ring has no record of them', () => {
    resetContexts(1);
    let cell = 'In [0]';
    attachNotebookHost({ display: () => undefined, inspect: () => undefined, cell: () => cell });
    const first = contextNumber();
    expect(contextNumber()).toBe(first);
    expect(contextOf(first)?.cell).toBe('In [0]');
    for (let i = 1; i < 3000; i++) {
      cell = `In [${i}]`;
      contextNumber();
    }
    expect(contextOf(first)).toBeUndefined();
    expect(contextOf(contextNumber())?.cell).toBe('In [2999]');
    expect(contextOf(0)).toBeUndefined();
  });
});

type Slice = ChromeEvent & { readonly ts: number; readonly dur: number };

/** What every viewer of the format asks for. */
function validate({ traceEvents }: ChromeTrace): void {
  const row = ({ pid, tid }: ChromeEvent): string => `${pid}/${tid}`;
  const metadata = traceEvents.filter(({ ph }) => ph === 'M');
  const processes = new Set(metadata.filter(({ name }) => name === 'process_name').map(({ pid }) => pid));
  const threads = new Set(metadata.filter(({ name }) => name === 'thread_name').map(row));
  const shown = traceEvents.filter(({ ph }) => ph !== 'M');
  let time = -Infinity;
  for (const event of shown) {
    expect(event.name).not.toBe('');
    expect(Number.isFinite(event.ts)).toBe(true);
    expect(event.ts).toBeGreaterThanOrEqual(time);
    time = event.ts as number;
    expect(processes).toContain(event.pid);
    if (event.ph !== 'C') expect(threads).toContain(row(event));
  }
  const slices = shown.filter(({ ph }) => ph === 'X') as Slice[];
  // On each thread a slice lies inside the one that is open or behind it.
  for (const list of Map.groupBy(slices, row).values()) {
    const open: Slice[] = [];
    for (const slice of list) {
      expect(slice.dur).toBeGreaterThanOrEqual(0);
      while (open.length > 0 && (open.at(-1) as Slice).ts + (open.at(-1) as Slice).dur <= slice.ts)
        open.pop();
      const outer = open.at(-1);
      if (outer !== undefined) expect(slice.ts + slice.dur).toBeLessThanOrEqual(outer.ts + outer.dur + 1e-6);
      open.push(slice);
    }
  }
  const inside = (flow: ChromeEvent): boolean =>
    slices.some(
      slice =>
        row(slice) === row(flow) &&
        slice.ts <= (flow.ts as number) &&
        (flow.ts as number) <= slice.ts + slice.dur
    );
  const flows = shown.filter(({ ph }) => ph === 's' || ph === 'f');
  for (const pair of Map.groupBy(flows, ({ id }) => id).values()) {
    expect(pair.map(({ ph }) => ph)).toEqual(['s', 'f']);
    expect(pair.every(inside)).toBe(true);
    expect(pair[1]?.bp).toBe('e');
  }
  for (const pair of Map.groupBy(
    shown.filter(({ ph }) => ph === 'b' || ph === 'e'),
    ({ id }) => id
  ).values())
    expect(pair.map(({ ph }) => ph)).toEqual(['b', 'e']);
}

describe('Chrome traces', () => {
  /** Two streams, labels both ways, waits, a graph, asynchronous copies, allocations. */
  async function busy(device: string): Promise<void> {
    using first = new Stream({ device });
    using second = new Stream({ device });
    const a = zeros(2 ** 16, { dtype: 'uint8', stream: first });
    const b = zeros(2 ** 16, { dtype: 'uint8', stream: second });
    using graph = first.capture(() => a.fill(7));
    trace.label('work', () => {
      a.fill(1);
      trace.label('copies', () => {
        b.copyFrom(a);
        a.slice('::2').fill(3);
      });
      graph.launch(first);
    });
    await Promise.all([
      trace.label('read a', () => a.toTypedArrayAsync()),
      trace.label('read b', async () => void (await b.toTypedArrayAsync()))
    ]);
    a.dispose();
    b.dispose();
    second.synchronize();
    first.synchronize();
  }

  test('are valid: rows are named, times go forward, slices nest, arrows have both ends', async () => {
    trace.start();
    await busy('sim:0');
    await busy('rec:0');
    const chrome = trace.toChrome();
    validate(chrome);
    const { traceEvents } = chrome;
    const names = traceEvents.filter(({ name }) => name === 'process_name').map(({ args }) => args?.['name']);
    expect(names).toEqual(['host', 'rec:0, virtual time', 'sim:0, virtual time']);
    const timed = trace.events().filter(({ start }) => start !== null);
    expect(timed.length).toBeGreaterThan(15);
    const flows = (ph: string): number =>
      traceEvents.filter(event => event.ph === ph && event.cat === 'flow').length;
    expect([flows('s'), flows('f')]).toEqual([timed.length, timed.length]);
    const executions = traceEvents.filter(
      ({ ph, cat }) => ph === 'X' && cat !== 'submission' && cat !== 'label'
    );
    expect(executions).toHaveLength(timed.length + ofKind('host-wait').length);
  });

  test('show two streams at work at one time', () => {
    using first = on();
    using second = on();
    trace.start();
    for (const stream of [first, second]) arange(2 ** 18, { dtype: 'float32', stream });
    first.synchronize();
    second.synchronize();
    const chrome = trace.toChrome();
    validate(chrome);
    const slices = chrome.traceEvents.filter(({ ph }) => ph === 'X') as Slice[];
    const [one, other] = slices.filter(({ cat }) => cat === 'copy-host-to-device') as [Slice, Slice];
    expect([one.tid, other.tid]).toEqual([first.id, second.id]);
    expect(other.ts).toBeLessThan(one.ts + one.dur);
  });

  test('a label covers its submissions in virtual time, inner inside outer', () => {
    using stream = on();
    const a = zeros(64, { dtype: 'uint8', stream });
    trace.start();
    trace.label('outer', () => trace.label('inner', () => a.fill(1).fill(2)));
    stream.synchronize();
    const chrome = trace.toChrome();
    validate(chrome);
    const device = chrome.traceEvents.filter(({ pid, ph }) => pid !== 1 && ph === 'X') as Slice[];
    const [outer, inner] = device.filter(({ cat }) => cat === 'label') as [Slice, Slice];
    expect([outer.name, inner.name]).toEqual(['outer', 'inner']);
    const submissions = device.filter(({ cat }) => cat === 'submission');
    expect(submissions).toHaveLength(2);
    for (const { ts, dur } of submissions) {
      expect(ts).toBeGreaterThanOrEqual(inner.ts);
      expect(ts + dur).toBeLessThanOrEqual(inner.ts + inner.dur + 1e-6);
    }
  });

  test('work that is not done is shown by its submission, without an arrow', () => {
    using stream = on();
    const a = empty(2 ** 24, { dtype: 'uint8', stream });
    trace.start();
    a.slice('::2').fill(1);
    a.fill(1);
    const before = trace.toChrome();
    validate(before);
    expect(ofKind('fill').at(-1)?.start).toBeNull();
    stream.synchronize();
    const after = trace.toChrome();
    validate(after);
    const arrows = (chrome: ChromeTrace): number => chrome.traceEvents.filter(({ ph }) => ph === 's').length;
    expect(arrows(after)).toBeGreaterThan(arrows(before));
  });

  test('count allocated bytes', () => {
    using stream = on();
    trace.start();
    const a = empty(1000, { dtype: 'uint8', stream });
    a.dispose();
    const counters = trace.toChrome().traceEvents.filter(({ ph }) => ph === 'C');
    const bytes = counters.map(({ args }) => args?.['bytes'] as number) as [number, number];
    expect(bytes).toHaveLength(2);
    expect(bytes[0] - bytes[1]).toBe(1000);
    expect(counters[0]?.name).toBe('allocated bytes, sim:0');
  });

  test('are saved as JSON that reads back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trace-test-'));
    try {
      trace.start();
      await busy('sim:0');
      trace.stop(); // or the collector may add to it
      const path = join(folder, 'trace.json');
      await trace.save(path);
      const read = JSON.parse(readFileSync(path, 'utf8')) as ChromeTrace;
      expect(read).toEqual(trace.toChrome());
      validate(read);
      await expect(trace.save(join(folder, 'none', 'trace.json'))).rejects.toThrow('ENOENT');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('pictures', () => {
  test('a notebook shows lanes with bars and tooltips, and a table; text has the same numbers', async () => {
    using stream = on();
    let shown: MimeBundle = {};
    attachNotebookHost({ display: bundle => void (shown = bundle), inspect: () => undefined });
    trace.start();
    const a = zeros([2, 3], { dtype: 'float32', stream });
    trace.label('<b>', () => a.fill(1));
    stream.synchronize();
    await display(trace);
    const html = shown['text/html'] as string;
    expect(html).toContain(`stream #${stream.id}`);
    expect(html).toContain('of virtual time');
    expect(html).toContain('float32 (2, 3)');
    expect(html).toContain('&lt;b&gt;');
    expect(html).not.toContain('<b>&');
    expect(html).not.toMatch(/<(script|style|svg)/);
    expect(html.match(/position:absolute/g)).toHaveLength(2);
    const text = shown['text/plain'] as string;
    expect(text).toMatch(
      /^trace of 2 operations\n {2}operation +count +time +bytes\n {2}fill +2 .* µs +48 B$/
    );
    expect(inspect(trace)).toBe(text);
  });

  test('an empty trace, and one of pending work, say so', () => {
    using stream = on();
    trace.start();
    const bundle = (): MimeBundle => trace[DISPLAY_METHOD]();
    expect(bundle()['text/plain']).toBe('trace of 0 operations');
    empty(2 ** 24, { dtype: 'uint8', stream }).fill(1);
    expect(bundle()['text/plain']).toBe('trace of 1 operations, 1 not done or not timed');
    stream.synchronize();
    expect(bundle()['text/html']).toContain('position:absolute');
  });

  test('many operations make a short picture', () => {
    using stream = on();
    const a = zeros(4, { dtype: 'uint8', stream });
    trace.start({ capacity: 2000 });
    for (let i = 0; i < 1500; i++) a.fill(i % 250);
    stream.synchronize();
    const html = trace[DISPLAY_METHOD]();
    expect(String(html['text/html'])).toContain('the 48 longest of 1500 are drawn');
    expect(Buffer.byteLength(String(html['text/html']))).toBeLessThan(10_000);
  });
});

/** Output made from a trace: Chrome's files and pictures. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import {
  array,
  attachNotebookHost,
  display,
  DISPLAY_METHOD,
  empty,
  Stream,
  trace,
  zeros,
  type ChromeEvent,
  type ChromeTrace,
  type MimeBundle
} from '../../../src/index.ts';
import { giveBackKeptMemory } from '../../../src/memory/manager/kept-memory.ts';
import { native } from '../../../src/native/load.ts';
import { ofKind, on, tracesApart } from './trace-support.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { skipUnderPlugin } from '../managers/skip.ts';

tracesApart();

type Slice = ChromeEvent & { readonly ts: number; readonly dur: number };

/** Requirements of every viewer of the format. */
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
  // On each thread a slice lies inside the open one or after it.
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
  /** Two streams, labels in both forms, waits, a graph, asynchronous copies, allocations. */
  async function busy(device: string): Promise<void> {
    using first = new Stream({ device });
    using second = new Stream({ device });
    using a = zeros(2 ** 16, { dtype: 'uint8', stream: first });
    using b = zeros(2 ** 16, { dtype: 'uint8', stream: second });
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

  test('are valid: rows are named, times increase, slices nest, arrows have both ends', async () => {
    trace.start();
    await busy('sim:0');
    await busy('rec:0');
    const chrome = trace.toChrome();
    validate(chrome);
    const { traceEvents } = chrome;
    const names = traceEvents.filter(({ name }) => name === 'process_name').map(({ args }) => args?.['name']);
    expect(names).toEqual(['host', 'rec:0, virtual time', 'sim:0, virtual time']);
    const timed = trace.read().events.filter(({ start }) => start !== null);
    expect(timed.length).toBeGreaterThan(15);
    const flows = (ph: string): number =>
      traceEvents.filter(event => event.ph === ph && event.cat === 'flow').length;
    expect([flows('s'), flows('f')]).toEqual([timed.length, timed.length]);
    const executions = traceEvents.filter(
      ({ ph, cat }) => ph === 'X' && cat !== 'submission' && cat !== 'label'
    );
    expect(executions).toHaveLength(timed.length + ofKind('host-wait').length);
  });

  test('show two streams working at the same time', () => {
    using first = on();
    using second = on();
    trace.start();
    for (const stream of [first, second]) array(new Float32Array(2 ** 18), { stream });
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
    using a = zeros(64, { dtype: 'uint8', stream });
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

  test('pending work is shown by its submission, without an arrow', () => {
    using stream = on();
    using a = empty(2 ** 24, { dtype: 'uint8', stream });
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

  skipUnderPlugin('count allocated bytes', () => {
    using stream = on();
    // What earlier tests dropped would be freed during the trace.
    native().drainReleases(true);
    giveBackKeptMemory(stream.device);
    trace.start();
    using a = empty(1000, { dtype: 'uint8', stream });
    a.dispose();
    giveBackKeptMemory(stream.device);
    const counters = trace.toChrome().traceEvents.filter(({ ph }) => ph === 'C');
    const bytes = counters.map(({ args }) => args?.['bytes'] as number) as [number, number];
    expect(bytes).toHaveLength(2);
    expect(bytes[0] - bytes[1]).toBe(1000);
    expect(counters[0]?.name).toBe('allocated bytes, sim:0');
  });

  test('are saved as JSON that can be read again', async () => {
    const folder = temporaryFolder();
    trace.start();
    await busy('sim:0');
    trace.stop(); // or the collector may add to it
    const path = join(folder, 'trace.json');
    await trace.save(path);
    const read = JSON.parse(readFileSync(path, 'utf8')) as ChromeTrace;
    expect(read).toEqual(trace.toChrome());
    validate(read);
    await expect(trace.save(join(folder, 'none', 'trace.json'))).rejects.toThrow('ENOENT');
  });
});

describe('pictures', () => {
  test('a notebook shows lanes with bars and tooltips, and a table; the text has the same numbers', async () => {
    using stream = on();
    let shown: MimeBundle = {};
    attachNotebookHost({ display: bundle => void (shown = bundle), inspect: () => undefined });
    trace.start();
    using a = zeros([2, 3], { dtype: 'float32', stream });
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
      /^trace of 2 operations\n {2}operation +count +time +size\n {2}fill +2 .* µs +48 B$/
    );
    expect(inspect(trace)).toBe(text);
  });

  test('an empty trace, and one of pending work, have a sentence', () => {
    using stream = on();
    trace.start();
    const bundle = (): MimeBundle => trace[DISPLAY_METHOD]();
    expect(bundle()['text/plain']).toBe('trace of 0 operations');
    empty(2 ** 24, { dtype: 'uint8', stream }).fill(1);
    expect(bundle()['text/plain']).toBe('trace of 1 operations, 1 not done or not timed');
    stream.synchronize();
    expect(bundle()['text/html']).toContain('position:absolute');
  });

  test('many operations give a short picture', () => {
    using stream = on();
    using a = zeros(4, { dtype: 'uint8', stream });
    trace.start({ capacity: 2000 });
    for (let i = 0; i < 1500; i++) a.fill(i % 250);
    stream.synchronize();
    const html = trace[DISPLAY_METHOD]();
    expect(String(html['text/html'])).toContain('the 48 longest of 1500 are drawn');
    expect(Buffer.byteLength(String(html['text/html']))).toBeLessThan(10_000);
  });
});

import { TRACE_KINDS } from '../../../src/recording/trace/kinds.ts';
import { NO_LANE, traceColumns, type TracePicture } from '../../../src/pictures/timeline/schema.ts';
import { toDevice } from '../../../src/core/device.ts';
import { DISPLAY_METHOD, Stream, trace, zeros } from '../../../src/index.ts';
import { traceBatch } from '../../../src/pictures/timeline/batch.ts';
import { TraceSummary, tracePicture } from '../../../src/pictures/timeline/summary.ts';
import { VirtualLabels } from '../../../src/recording/trace/virtual-labels.ts';
import { skipUnderPlugin } from '../managers/skip.ts';

const on = (): Stream => new Stream({ device: 'sim:0' });
const numbers = (events: readonly { readonly number: number }[]): number[] =>
  events.map(({ number }) => number);

// Arrays are disposed at the end of each test: if they were collected later, another test's trace would record it.
beforeEach(() => toDevice('sim:0').synchronize());
afterEach(() => {
  trace.stop();
  trace.clear();
});

describe('a reader', () => {
  test('returns each record once, and again when its work is done', () => {
    using stream = on();
    trace.start();
    const reader = trace.reader();
    using _a = zeros(2 ** 20, { stream });
    const first = reader.read(100);
    expect(numbers(first.events)).toEqual([0, 1]);
    expect(first).toMatchObject({
      restarted: true,
      recording: true,
      added: 2,
      dropped: 0,
      more: false,
      open: 1
    });
    expect(reader.read(100)).toMatchObject({ events: [], open: 1 });
    stream.synchronize();
    const [fill, wait] = reader.read(100).events;
    expect(fill).toMatchObject({ number: 1, kind: 'fill', start: expect.any(Number) as unknown });
    expect(wait).toMatchObject({ number: 2, kind: 'host-wait' });
    expect(reader.read(100)).toMatchObject({ events: [], open: 0, restarted: false });
    expect(numbers(reader.again(0, 2))).toEqual([0, 1]);
    expect(reader.again(3, 10)).toEqual([]);
  });

  skipUnderPlugin('reads no more than requested, and reports that there is more', () => {
    using stream = on();
    trace.start();
    using a = zeros(4, { stream });
    for (let i = 0; i < 8; i++) a.fill(i);
    stream.synchronize();
    const reader = trace.reader();
    const parts = [reader.read(4), reader.read(4), reader.read(4)];
    expect(parts.map(({ events, more }) => [numbers(events), more])).toEqual([
      [[0, 1, 2, 3], true],
      [[4, 5, 6, 7], true],
      [[8, 9, 10], false]
    ]);
  });

  skipUnderPlugin('starts again with the trace, and does not search for dropped records', () => {
    using stream = on();
    trace.start({ capacity: 4 });
    const reader = trace.reader();
    using a = zeros(4, { stream });
    expect(reader.read(100).open).toBe(1);
    for (let i = 0; i < 20; i++) a.fill(i);
    const late = reader.read(100);
    expect(late).toMatchObject({ dropped: 18, added: 22 });
    expect(numbers(late.events)).toEqual([18, 19, 20, 21]);
    expect(numbers(reader.again(0, 100))).toEqual([18, 19, 20, 21]);
    trace.clear();
    expect(reader.read(100)).toMatchObject({ restarted: true, events: [], added: 0, dropped: 0, open: 0 });
    a.fill(1);
    expect(numbers(reader.read(100).events)).toEqual([0]);
  });

  test('a trace that never started has nothing to read; changes are reported until nobody listens', () => {
    const changes: boolean[] = [];
    const end = trace.onChange(() => changes.push(trace.enabled));
    trace.start();
    trace.clear();
    trace.stop();
    end();
    trace.start();
    expect(changes).toEqual([true, true, false]);
  });
});

describe('columns', () => {
  test('a batch has the facts of the events', () => {
    using a = on();
    using b = on();
    trace.start();
    using x = zeros(1000, { stream: a });
    using y = zeros(1000, { stream: b });
    trace.label('outer', () => trace.label('inner', () => y.copyFrom(x)));
    b.synchronize();
    const { events } = trace.read();
    const labels = new VirtualLabels();
    for (const event of events) labels.note(event);
    const { batch, columns: bytes } = traceBatch(events, labels);
    const columns = traceColumns(bytes.buffer as ArrayBuffer, batch.count);
    expect(batch.count).toBe(events.length);
    for (const [row, event] of events.entries()) {
      const facts = batch.facts[columns.facts[row] as number];
      const lane = batch.lanes[columns.lane[row] as number];
      expect(TRACE_KINDS[facts?.kind as number]).toBe(event.kind);
      expect(facts?.labels).toEqual(event.labels.map(({ text }) => text));
      expect([columns.number[row], columns.bytes[row]]).toEqual([event.number, event.bytes]);
      expect(lane?.name).toBe(event.stream ?? undefined);
      expect(batch.lanes[columns.host[row] as number]).toMatchObject({ device: null, id: event.thread });
      if (event.kind === 'label') continue;
      expect(columns.start[row]).toBe(event.start ?? NaN);
      if (event.start !== null && event.end !== null)
        expect(columns.duration[row]).toBeCloseTo(event.end - event.start, 3);
    }
    const wait = events.findIndex(({ kind }) => kind === 'stream-wait');
    expect(batch.lanes[columns.waits[wait] as number]).toMatchObject({ device: 'sim:0', id: a.id });
    expect(columns.waits[0]).toBe(NO_LANE);
    // In virtual time a label spans from its first submission to the end of its last.
    const [inner, outer] = events.flatMap(({ kind }, row) => (kind === 'label' ? [row] : []));
    const submitted = events
      .filter(event => event.labels.length === 2)
      .flatMap(event => event.submitted ?? []);
    expect(columns.start[inner as number]).toBe(Math.min(...submitted.filter(time => time !== null)));
    expect(columns.start[outer as number]).toBe(columns.start[inner as number]);
    expect(columns.duration[inner as number]).toBeGreaterThanOrEqual(1);
  });
});

describe('the picture that is saved', () => {
  const bytesOf = (picture: TracePicture): number => Buffer.byteLength(JSON.stringify(picture));

  skipUnderPlugin(
    'is small whatever the trace contains, and has the longest and the latest operations',
    () => {
      using stream = on();
      trace.start();
      using small = zeros(4, { stream });
      using _large = zeros(2 ** 20, { stream });
      for (let i = 0; i < 3000; i++) trace.label(`${'long '.repeat(100)}${i}`, () => small.fill(i));
      stream.synchronize();
      // Read once: earlier arrays may be collected, which is recorded, at any time.
      const read = trace.read();
      const { events } = read;
      const picture = tracePicture(read, true);
      expect(bytesOf(picture)).toBeLessThanOrEqual(64 * 1024);
      expect(picture).toMatchObject({ version: 1, recording: true, added: events.length, dropped: 0 });
      const buffer = Uint8Array.from(Buffer.from(picture.columns, 'base64')).buffer;
      const kept = [...traceColumns(buffer, picture.batch.count).number];
      expect(kept).toContain(3);
      expect(kept).toContain(events.at(-1)?.number);
      expect(kept).toEqual(kept.toSorted((a, b) => a - b));
    }
  );

  test('of an empty trace is a picture too', () => {
    expect(new TraceSummary().picture({ epoch: 3, recording: false, added: 0, dropped: 0 })).toMatchObject({
      batch: { count: 0, lanes: [], facts: [] },
      columns: ''
    });
  });

  skipUnderPlugin('has the times of a record that is read again', () => {
    using stream = on();
    trace.start();
    const reader = trace.reader();
    using _a = zeros(2 ** 20, { stream });
    const summary = new TraceSummary();
    summary.add(reader.read(10).events);
    stream.synchronize();
    summary.add(reader.read(10).events);
    const { batch, columns } = summary.picture({ epoch: 1, recording: true, added: 3, dropped: 0 });
    const { start } = traceColumns(Uint8Array.from(Buffer.from(columns, 'base64')).buffer, batch.count);
    expect(batch.count).toBe(3);
    expect([...start].map(Number.isNaN)).toEqual([true, false, true]);
  });

  test('a notebook gets it with HTML and text', () => {
    using stream = on();
    trace.start();
    for (let i = 0; i < 40; i++) zeros(4, { stream: i % 2 === 0 ? stream : on() });
    const bundle = trace[DISPLAY_METHOD]();
    expect(bundle['application/vnd.stridelab.picture+json']).toMatchObject({
      view: 'StreamTimeline',
      picture: { version: 1 }
    });
    expect(Buffer.byteLength(String(bundle['text/html']))).toBeLessThan(10_000);
  });
});

import { jest } from '@jest/globals';
import {
  NO_LANE,
  TRACE_COLUMNS,
  TRACE_KINDS,
  TRACE_PICTURE_VERSION,
  TRACE_RECORD_BYTES,
  traceColumns,
  type TraceBatch,
  type TraceColumns,
  type TraceFacts,
  type TraceLane,
  type TracePicture
} from '../../../src/description/trace-picture.ts';
import { englishPhrases } from '../../../labextension/src/views/phrases.ts';
import { chromeJson } from '../../../labextension/src/views/stream-timeline/chrome.ts';
import type { Scene } from '../../../labextension/src/views/stream-timeline/draw.ts';
import { layOut } from '../../../labextension/src/views/stream-timeline/layout.ts';
import { workTogether } from '../../../labextension/src/views/stream-timeline/measure.ts';
import { createRecords } from '../../../labextension/src/views/stream-timeline/records.ts';
import { createRow } from '../../../labextension/src/views/stream-timeline/row.ts';
import { step } from '../../../labextension/src/views/stream-timeline/step.ts';
import { formatTime, ticksOf } from '../../../labextension/src/views/stream-timeline/time.ts';
import { createStreamTimeline } from '../../../labextension/src/views/stream-timeline/timeline.ts';
import { createTimeWindow } from '../../../labextension/src/views/stream-timeline/window.ts';
import type { Channel, Message } from '../../../labextension/src/views/view.ts';
import { until } from '../../setup/until.ts';

const kind = (name: (typeof TRACE_KINDS)[number]): number => TRACE_KINDS.indexOf(name);
const host: TraceLane = { device: null, deviceName: '', name: 'thread 1', id: 1, virtual: false };
const lane = (id: number, virtual = false): TraceLane => ({
  device: virtual ? 'sim:0' : 'cuda:0',
  deviceName: 'A device',
  name: `stream #${id}`,
  id,
  virtual
});
const facts = (name: (typeof TRACE_KINDS)[number], more: Partial<TraceFacts> = {}): TraceFacts => ({
  kind: kind(name),
  name,
  cell: null,
  array: null,
  labels: [],
  ...more
});

interface Line {
  readonly facts: TraceFacts;
  readonly start?: number;
  readonly duration?: number;
  readonly submitted?: number;
  readonly lane?: number;
  readonly waits?: number;
  readonly number?: number;
  readonly bytes?: number;
}

/** Lanes are the host's thread, then the streams. */
function batchOf(
  lines: readonly Line[],
  lanes: readonly TraceLane[] = [host, lane(1), lane(2)]
): { batch: TraceBatch; columns: TraceColumns; bytes: ArrayBuffer } {
  const bytes = new ArrayBuffer(lines.length * TRACE_RECORD_BYTES);
  const columns = traceColumns(bytes, lines.length);
  for (const [row, line] of lines.entries()) {
    const {
      start = NaN,
      duration = 1,
      submitted = 0,
      lane: at = NO_LANE,
      waits = NO_LANE,
      number = row
    } = line;
    const values = {
      start,
      duration,
      submitted,
      lane: at,
      waits,
      number,
      bytes: line.bytes ?? 0,
      facts: row,
      host: 0
    };
    for (const [name, value] of Object.entries(values)) columns[name as keyof TraceColumns][row] = value;
    columns.submitDuration[row] = 0.5;
  }
  return { batch: { count: lines.length, lanes, facts: lines.map(line => line.facts) }, columns, bytes };
}

function pictureOf(lines: readonly Line[], more: Partial<TracePicture> = {}): TracePicture {
  const { batch, bytes } = batchOf(lines);
  return {
    version: TRACE_PICTURE_VERSION,
    epoch: 1,
    recording: false,
    added: lines.length,
    dropped: 0,
    batch,
    columns: Buffer.from(bytes).toString('base64'),
    ...more
  };
}

const FLOW: readonly Line[] = [
  { facts: facts('fill', { cell: 'In [1]' }), start: 10, duration: 5, submitted: 1, lane: 1, bytes: 1000 },
  {
    facts: facts('kernel', { name: 'saxpy', labels: ['mix'] }),
    start: 12,
    duration: 8,
    submitted: 2,
    lane: 2
  },
  { facts: facts('stream-wait'), start: 20, duration: 4, submitted: 3, lane: 2, waits: 1 },
  {
    facts: facts('copy-on-device', { array: 'float32 (4,)' }),
    start: 24,
    duration: 2,
    submitted: 4,
    lane: 2,
    bytes: 4096
  },
  { facts: facts('allocation'), submitted: 5, bytes: 64 },
  { facts: facts('label', { name: 'mix', labels: ['mix'] }), submitted: 1.5 },
  { facts: facts('kernel', { name: 'pending' }), submitted: 6, lane: 1 }
];

describe('a row of bars', () => {
  test('is searched by time whatever the order it came in, and counts work once where bars overlap', () => {
    const row = createRow();
    for (const [slot, [start, end]] of [
      [5, 7],
      [0, 4],
      [3, 6],
      [20, 21]
    ].entries())
      row.add(slot, start!, end!, true);
    row.settle();
    expect(row.slots).toEqual([1, 2, 0, 3]);
    expect([0, 3.5, 6.5, 7, 30].map(time => row.firstAfter(time))).toEqual([0, 0, 2, 3, 4]);
    expect([-1, 0, 2, 7, 10, 20.5, 99].map(time => row.workedUntil(time))).toEqual([0, 0, 2, 7, 7, 7.5, 8]);
    row.add(9, 30, 40, true);
    row.settle();
    expect([row.last(), row.workedUntil(35)]).toEqual([40, 13]);
  });

  test('waits are no work, and instants have a place', () => {
    const row = createRow();
    row.add(0, 0, 2, true);
    row.add(1, 2, 10, false);
    row.add(2, 10, 10, true);
    row.settle();
    expect([5, 9, 11].map(time => row.workedUntil(time))).toEqual([2, 2, 2]);
    expect(row.firstAfter(9.9)).toBe(1);
    expect(createRow().last()).toBe(-Infinity);
  });

  test('work of several rows: at once, and at all', () => {
    const [a, b] = [createRow(), createRow()];
    a.add(0, 0, 10, true);
    b.add(1, 5, 8, true);
    b.add(2, 8, 30, false);
    for (const row of [a, b]) row.settle();
    expect(workTogether([a, b], [2, 20])).toEqual([8, 3]);
    expect(workTogether([], [0, 1])).toEqual([0, 0]);
  });
});

describe('records', () => {
  test('are placed on the rows of their streams, threads and labels', () => {
    const records = createRecords();
    const { batch, columns } = batchOf(FLOW);
    records.add(batch, columns);
    const rows = layOut(records, false, englishPhrases).rows.map(({ title, kind: of, row }) => [
      title,
      of,
      row.slots.length
    ]);
    expect(rows).toEqual([
      ['labels', 'labels', 1],
      ['thread 1', 'calls', 6],
      ['stream #1', 'work', 1],
      ['stream #2', 'work', 3]
    ]);
    expect(layOut(records, true, englishPhrases).rows).toEqual([]);
  });

  test('told again they get their times, and stay one', () => {
    const records = createRecords();
    for (const lines of [FLOW, FLOW, [{ ...FLOW[6]!, start: 30, number: 6 }]]) {
      const { batch, columns } = batchOf(lines);
      records.add(batch, columns);
    }
    expect(records.columns.number).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(records.columns.start[6]).toBe(30);
    const [first] = layOut(records, false, englishPhrases).rows.filter(({ kind: of }) => of === 'work');
    expect(first?.row.slots).toEqual([0, 6]);
  });

  test('tables of batches are one: the same lane and facts have one place', () => {
    const records = createRecords();
    const one = batchOf([{ facts: facts('fill'), start: 1, lane: 1 }], [host, lane(7)]);
    const other = batchOf([{ facts: facts('fill'), start: 2, lane: 2, number: 1 }], [host, lane(3), lane(7)]);
    for (const { batch, columns } of [one, other]) records.add(batch, columns);
    expect([records.facts.length, records.lanes.length]).toEqual([1, 3]);
    expect(records.columns.lane).toEqual([1, 1]);
  });

  test('simulated devices have rows on the axis of virtual time, with the labels around them', () => {
    const records = createRecords();
    const lanes = [host, lane(1, true)];
    const lines: Line[] = [
      { facts: facts('fill'), start: 3, lane: 1 },
      { facts: facts('label', { labels: ['a', 'b'] }), start: 2 },
      { facts: facts('host-wait'), lane: 1 }
    ];
    const { batch, columns } = batchOf(lines, lanes);
    records.add(batch, columns);
    const kinds = (virtual: boolean): string[] =>
      layOut(records, virtual, englishPhrases).rows.map(row => row.kind);
    expect(kinds(true)).toEqual(['labels', 'calls', 'work']);
    expect(kinds(false)).toEqual(['labels', 'calls']);
  });

  test('a page keeps so many: the oldest quarter goes, and is counted', () => {
    const records = createRecords(8);
    const lines = Array.from({ length: 13 }, (_, start): Line => ({ facts: facts('fill'), start, lane: 1 }));
    const { batch, columns } = batchOf(lines);
    records.add(batch, columns);
    expect(records.columns.number).toEqual([6, 7, 8, 9, 10, 11, 12]);
    expect([records.evicted, records.slotOf(2), records.slotOf(6)]).toEqual([6, undefined, 0]);
    const work = layOut(records, false, englishPhrases).rows.at(-1)!;
    expect(work.row.starts).toEqual([6, 7, 8, 9, 10, 11, 12]);
  });

  test('what only forgotten records were about is forgotten too', () => {
    const records = createRecords(8);
    for (let number = 0; number < 100; number++) {
      const step = facts('kernel', { name: 'saxpy', labels: [`step ${number}`] });
      const { batch, columns } = batchOf([{ facts: step, start: number, duration: 1, lane: 1, number }]);
      records.add(batch, columns);
    }
    expect(records.facts.length).toBeLessThanOrEqual(16);
    for (const [slot, number] of records.columns.number.entries())
      expect(records.factsOf(slot).labels).toEqual([`step ${number}`]);
    const { batch, columns } = batchOf([
      { facts: facts('kernel', { name: 'saxpy', labels: ['step 99'] }), start: 100, lane: 1, number: 100 }
    ]);
    const before = records.facts.length;
    records.add(batch, columns);
    expect(records.facts.length).toBeLessThanOrEqual(before);
  });
});

describe('the window', () => {
  test('shows all until somebody moves it, and never leaves what there is', () => {
    const shown = createTimeWindow();
    shown.setBounds(100, 200);
    expect([shown.from, shown.to, shown.fits]).toEqual([98, 202, true]);
    shown.setBounds(100, 300);
    expect([shown.from, shown.to]).toEqual([96, 304]);
    shown.zoom(0.5, 96);
    expect([shown.from, shown.to, shown.fits]).toEqual([96, 200, false]);
    shown.pan(-3);
    expect(shown.from).toBe(96);
    shown.pan(Infinity);
    expect([shown.from, shown.to]).toEqual([200, 304]);
    shown.reveal(110, 120);
    expect(shown.from).toBeLessThanOrEqual(110);
    expect(shown.to - shown.from).toBeCloseTo(104);
    for (let i = 0; i < 60; i += 1) shown.zoom(0.5);
    expect(shown.to - shown.from).toBeCloseTo(0.05);
    shown.zoom(Infinity);
    expect([shown.from, shown.to, shown.fits]).toEqual([96, 304, true]);
  });

  test('of one instant has a width', () => {
    const shown = createTimeWindow();
    shown.setBounds(5, 5);
    expect(shown.to).toBeGreaterThan(shown.from);
  });
});

describe('times', () => {
  test('are as exact as the view of them', () => {
    expect(formatTime(2592.0512, 1)).toBe('2.592051 ms');
    expect(formatTime(2592.0512, 5000)).toBe('2.592 ms');
  });

  test('ticks are 1, 2 or 5 times a power of ten, and share a unit', () => {
    expect(ticksOf(0, 1000, 240).map(({ text }) => text)).toEqual(['0.0 ms', '0.5 ms', '1.0 ms']);
    expect(ticksOf(-3, 12, 4).map(({ time }) => time)).toEqual([0, 5, 10]);
    expect(ticksOf(2.0001, 2.0004, 0.0001).map(({ text }) => text)).toContain('2.0002 µs');
  });
});

describe('from bar to bar', () => {
  const records = createRecords();
  const { batch, columns } = batchOf(FLOW);
  records.add(batch, columns);
  const layout = layOut(records, false, englishPhrases);
  const scene = (selected: Scene['selected'], matches = new Uint8Array(FLOW.length).fill(1)): Scene => {
    return { records, layout, from: 0, to: 30, top: 0, matches, selected, measured: undefined };
  };

  test('along a row, then to the next, to the end', () => {
    const passed: number[] = [];
    let bar = step(scene(undefined), 0, 0);
    for (; bar !== undefined; bar = step(scene(bar), 0, 1)) passed.push(bar.number);
    expect(passed).toEqual([5, 0, 1, 2, 3, 4, 6, 0, 1, 2, 3]);
    const last = step(scene({ number: 3 }), 0, -1);
    expect(last?.number).toBe(2);
  });

  test('up and down to what is nearest in time; what is filtered out is passed', () => {
    expect(step(scene({ number: 3 }), -1, 0)?.number).toBe(0);
    expect(step(scene({ number: 3 }), 1, 0)).toBeUndefined();
    const only = Uint8Array.from(FLOW, (_, index) => Number(index === 3));
    expect(step(scene(undefined, only), 0, 0)?.number).toBe(3);
    expect(step(scene(undefined, new Uint8Array(FLOW.length)), 0, 0)).toBeUndefined();
  });
});

test('a page without a kernel makes a file that Perfetto opens', () => {
  const records = createRecords();
  const { batch, columns } = batchOf(FLOW);
  records.add(batch, columns);
  const { traceEvents } = JSON.parse(chromeJson(records)) as { traceEvents: Record<string, unknown>[] };
  const of = (phase: string): Record<string, unknown>[] => traceEvents.filter(({ ph }) => ph === phase);
  expect(
    of('M')
      .map(({ args }) => (args as { name: string }).name)
      .sort()
  ).toEqual(['cuda:0 A device', 'host', 'stream #1', 'stream #2', 'thread 1'].sort());
  expect(of('X').filter(({ pid }) => pid === 2)).toHaveLength(4);
  expect(of('s')).toHaveLength(of('f').length);
  for (const { ts, dur } of of('X')) expect([typeof ts, typeof dur]).toEqual(['number', 'number']);
  expect(of('i')).toMatchObject([{ name: 'allocation', ts: 5 }]);
});

describe('the view', () => {
  let root: HTMLElement;
  const text = (selector: string): string => root.querySelector(selector)?.textContent ?? `no ${selector}`;
  const tab = (name: string): HTMLElement =>
    [...root.querySelectorAll<HTMLElement>('[role=tab]')].find(found => found.textContent?.includes(name))!;
  const press = (key: string, more: KeyboardEventInit = {}): boolean =>
    root
      .querySelector('.stridelab-trace-stage')!
      .dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more }));
  const frame = (): Promise<void> =>
    new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve())));

  beforeEach(() => {
    root = document.createElement('div');
    document.body.append(root);
    jest.spyOn(HTMLCanvasElement.prototype, 'getContext').mockReturnValue(null);
  });
  afterEach(() => {
    root.remove();
    jest.restoreAllMocks();
  });

  test('a saved picture says that it is one, how much of the trace it holds, and what is off', async () => {
    const view = createStreamTimeline(root, { phrases: englishPhrases });
    view.update(pictureOf(FLOW, { added: 5000, dropped: 12 }), false);
    await frame();
    expect(text('.stridelab-header')).toContain('5,000 records, 2 streams');
    expect(text('.stridelab-lifetime')).toContain('snapshot');
    expect(text('.stridelab-empty')).toContain('Shown are 7 of them');
    expect(text('.stridelab-empty')).toContain('The oldest 12 had to go');
    const follow = [...root.querySelectorAll('button')].find(({ textContent }) => textContent === 'Follow')!;
    expect([follow.getAttribute('aria-disabled'), follow.title]).toEqual([
      'true',
      'No kernel stands behind this picture: run the cell again to make it live.'
    ]);
    view.dispose();
  });

  test('says what to do where nothing is recorded', async () => {
    const view = createStreamTimeline(root, { phrases: englishPhrases });
    view.update(pictureOf([]), false);
    await frame();
    expect(text('.stridelab-empty')).toContain('call trace.start()');
  });

  test.each([
    ['nothing', null],
    ['text', 'a'],
    ['columns that are too short', { ...pictureOf(FLOW), columns: 'AAAA' }],
    ['columns that are no base64', { ...pictureOf(FLOW), columns: '###' }],
    ['an unknown kind', pictureOf([{ facts: { ...facts('fill'), kind: 99 } }])],
    ['a lane that is none', pictureOf([{ facts: facts('fill'), start: 1, lane: 9 }])],
    ['no facts', { ...pictureOf(FLOW), batch: { count: 0, lanes: [] } }],
    ['another version', { ...pictureOf(FLOW), version: 99 }]
  ])('%s is a sentence, not half a picture', (_, data) => {
    const view = createStreamTimeline(root, { phrases: englishPhrases });
    view.update(data, false);
    expect(root.querySelector<HTMLElement>('.stridelab-problem')!.hidden).toBe(false);
    expect(text('.stridelab-problem').length).toBeGreaterThan(20);
    view.update(pictureOf(FLOW), false);
    expect(root.querySelector<HTMLElement>('.stridelab-problem')!.hidden).toBe(true);
  });

  test('the list tells what the canvas shows; filter and kinds narrow it', async () => {
    const view = createStreamTimeline(root, { phrases: englishPhrases });
    view.update(pictureOf(FLOW), false);
    tab('List').click();
    const rows = (): string[] =>
      [...root.querySelectorAll<HTMLElement>('tbody tr')]
        .filter(row => !row.hidden)
        .map(row => row.textContent);
    await until(() => rows().length === 7);
    expect(rows()[0]).toBe('0fillfillstream #110 µs5 µs1000 BIn [1]');
    expect(rows()[4]).toBe('4allocationmemorythread 15 µs500 ns64 B');
    expect(rows()[6]).toContain('–');
    const search = root.querySelector('input')!;
    search.value = 'MIX';
    search.dispatchEvent(new Event('input'));
    await until(() => rows().length === 2);
    search.value = '';
    search.dispatchEvent(new Event('input'));
    [...root.querySelectorAll('button')].find(found => found.textContent.startsWith('kernel'))!.click();
    await until(() => rows().length === 5);
    view.dispose();
  });

  test('keys choose, go on, tell details, measure and leave', async () => {
    const view = createStreamTimeline(root, { phrases: englishPhrases });
    view.update(pictureOf(FLOW), false);
    await frame();
    const shownFacts = (): HTMLElement[] =>
      [...root.querySelectorAll<HTMLElement>('.stridelab-trace-facts')].filter(({ hidden }) => !hidden);
    // With nothing chosen, Tab is the page's.
    expect(press('Tab')).toBe(true);
    expect(press('Enter')).toBe(false);
    await until(() => shownFacts().length === 1);
    expect(shownFacts()[0]!.textContent).toContain('mix');
    expect(press('Tab')).toBe(false);
    await until(() => shownFacts()[0]!.textContent.includes('In [1]'));
    for (const fact of ['stream #1, cuda:0', '5 µs', '9 µs', '0.2 GB/s', '1000 B'])
      expect(shownFacts()[0]!.textContent).toContain(fact);
    press('Enter');
    expect(document.activeElement).toBe(shownFacts()[0]);
    press('Escape');
    press('m');
    await until(() => shownFacts().some(({ textContent }) => textContent.startsWith('Measured')));
    const measured = shownFacts().find(({ textContent }) => textContent.startsWith('Measured'))!.textContent;
    expect(measured).toContain('stream #2, cuda:0, busy10 µs');
    expect(measured).toContain('Two or more at once3 µs');
    press('Escape');
    await until(() => shownFacts().length === 0);
    expect(press('Escape')).toBe(true);
    expect(press('ArrowRight', { ctrlKey: true })).toBe(true);
    view.dispose();
  });

  test('a kernel tells the rest once, then what is new; another start begins anew', async () => {
    let listener: (message: Message) => void = () => undefined;
    const asked: unknown[] = [];
    const message = (lines: readonly Line[], more: object = {}): Message => {
      const { batch, bytes } = batchOf(lines);
      const content = { epoch: 1, recording: true, added: 8, dropped: 0, batch, ...more };
      return { content, buffers: [new DataView(bytes)] };
    };
    const channel: Channel = {
      request: (method, parameters) => {
        asked.push([method, parameters]);
        const from = Number(parameters?.['from']);
        return Promise.resolve(
          message(
            FLOW.slice(from, from + 4).map((line, index) => ({ ...line, number: from + index })),
            { next: from + 4, more: from === 0 }
          )
        );
      },
      onPush: take => {
        listener = take;
        return () => (listener = () => undefined);
      }
    };
    const view = createStreamTimeline(root, { phrases: englishPhrases, channel });
    view.update(pictureOf(FLOW.slice(0, 2), { added: 7 }), true);
    await until(() => asked.length === 2);
    await frame();
    expect(asked).toEqual([
      ['records', { from: 0 }],
      ['records', { from: 4 }]
    ]);
    expect(text('.stridelab-lifetime')).toContain('recording');
    expect(root.querySelector<HTMLElement>('.stridelab-empty')!.hidden).toBe(true);
    listener(message([{ facts: facts('graph'), start: 40, lane: 1, number: 7 }]));
    await frame();
    const count = (name: string): string =>
      [...root.querySelectorAll<HTMLElement>('.stridelab-trace-legend button')].find(
        ({ hidden, textContent }) => !hidden && textContent.startsWith(name)
      )?.textContent ?? '';
    expect([count('graph'), count('kernel')]).toEqual(['graph 1', 'kernel 2']);
    listener(
      message([{ facts: facts('graph'), start: 1, lane: 1 }], { epoch: 2, added: 1, recording: false })
    );
    await frame();
    expect([count('graph'), count('kernel')]).toEqual(['graph 1', '']);
    expect(text('.stridelab-lifetime')).toContain('not recording');
    const record = [...root.querySelectorAll<HTMLElement>('.stridelab-actions button')].find(
      ({ textContent }) => textContent === 'Start recording'
    )!;
    record.click();
    expect(asked.at(-1)).toEqual(['start', undefined]);
    view.update(pictureOf(FLOW), false);
    await frame();
    expect(record.hidden).toBe(true);
    expect(text('.stridelab-lifetime')).toContain('snapshot');
    // The kernel is reached again: what it said meanwhile was not heard.
    expect([count('graph'), count('kernel')]).toEqual(['graph 1', '']);
    view.update(pictureOf(FLOW), true);
    await until(() => asked.length === 5);
    expect(asked.slice(3)).toEqual([
      ['records', { from: 0 }],
      ['records', { from: 4 }]
    ]);
    view.update(pictureOf(FLOW), true);
    expect(asked).toHaveLength(5);
    view.dispose();
  });
});

test('the columns of the schema are as wide as a record', () => {
  expect(Object.keys(TRACE_COLUMNS)).toHaveLength(10);
  expect(TRACE_RECORD_BYTES).toBe(46);
});

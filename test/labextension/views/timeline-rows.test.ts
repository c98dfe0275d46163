/** The data that the timeline draws: records, rows, windows, times, and navigation from bar to bar. */

import { TRACE_COLUMNS, TRACE_RECORD_BYTES } from '../../../src/pictures/timeline/schema.ts';
import { chromeJson } from '../../../labextension/src/views/timeline/chrome.ts';
import type { Scene } from '../../../labextension/src/views/timeline/draw.ts';
import { layOut } from '../../../labextension/src/views/timeline/layout.ts';
import { workTogether } from '../../../labextension/src/views/timeline/measure.ts';
import { firstIn } from '../../../labextension/src/views/timeline/read-older.ts';
import { createRecords } from '../../../labextension/src/views/timeline/records.ts';
import { createRow } from '../../../labextension/src/views/timeline/row.ts';
import { step } from '../../../labextension/src/views/timeline/step.ts';
import { formatTime, ticksOf } from '../../../labextension/src/views/timeline/time.ts';
import { createTimeWindow } from '../../../labextension/src/views/timeline/window.ts';
import { FLOW, batchOf, facts, host, lane, type Line } from './timeline-records.ts';

describe('a row of bars', () => {
  test('is searched by time whatever the order of insertion, and counts work once where bars overlap', () => {
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

  test('waits are not work, and instants have a position', () => {
    const row = createRow();
    row.add(0, 0, 2, true);
    row.add(1, 2, 10, false);
    row.add(2, 10, 10, true);
    row.settle();
    expect([5, 9, 11].map(time => row.workedUntil(time))).toEqual([2, 2, 2]);
    expect(row.firstAfter(9.9)).toBe(1);
    expect(createRow().last()).toBe(-Infinity);
  });

  test('work of several rows: the overlap and the union', () => {
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
    const rows = layOut(records, false).rows.map(({ title, kind: of, row }) => [title, of, row.slots.length]);
    expect(rows).toEqual([
      ['labels', 'labels', 1],
      ['thread 1', 'calls', 6],
      ['stream #1', 'work', 1],
      ['stream #2', 'work', 3]
    ]);
    expect(layOut(records, true).rows).toEqual([]);
  });

  test('that are sent again get their times, and are not duplicated', () => {
    const records = createRecords();
    for (const lines of [FLOW, FLOW, [{ ...FLOW[6]!, start: 30, number: 6 }]]) {
      const { batch, columns } = batchOf(lines);
      records.add(batch, columns);
    }
    expect(records.columns.number).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(records.columns.start[6]).toBe(30);
    const [first] = layOut(records, false).rows.filter(({ kind: of }) => of === 'work');
    expect(first?.row.slots).toEqual([0, 6]);
  });

  test('tables of batches are merged: equal lanes and facts have one entry', () => {
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
    const kinds = (virtual: boolean): string[] => layOut(records, virtual).rows.map(row => row.kind);
    expect(kinds(true)).toEqual(['labels', 'calls', 'work']);
    expect(kinds(false)).toEqual(['labels', 'calls']);
  });

  test('a page keeps a limited number: the oldest quarter is dropped, and counted', () => {
    const records = createRecords(8);
    const lines = Array.from({ length: 13 }, (_, start): Line => ({ facts: facts('fill'), start, lane: 1 }));
    const { batch, columns } = batchOf(lines);
    records.add(batch, columns);
    expect(records.columns.number).toEqual([6, 7, 8, 9, 10, 11, 12]);
    expect([records.evicted, records.slotOf(2), records.slotOf(6)]).toEqual([6, undefined, 0]);
    const work = layOut(records, false).rows.at(-1)!;
    expect(work.row.starts).toEqual([6, 7, 8, 9, 10, 11, 12]);
  });

  test('facts of dropped records only are dropped too', () => {
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

describe('dropped records', () => {
  /** Work of stream 1: each starts 10 after the previous one; its last digit is its length. */
  const line = (number: number): Line => ({
    facts: facts('kernel'),
    start: 10 * number,
    duration: number % 10,
    lane: 1,
    number
  });
  const busyUntil = (time: number): number =>
    Array.from({ length: 1 + Math.floor(time / 10) }, (_, number) =>
      Math.min(number % 10, time - 10 * number)
    ).reduce((sum, length) => sum + length, 0);
  const filled = (count: number, most: number) => {
    const records = createRecords(most);
    const add = (numbers: readonly number[]): void => {
      const { batch, columns } = batchOf(numbers.map(line));
      records.add(batch, columns);
    };
    add(Array.from({ length: count }, (_, number) => number));
    const { row } = layOut(records, false).rows.at(-1)!;
    row.settle();
    return { records, row, add };
  };

  test('leave the busy time of their row, exact where parts meet and where no record was dropped', () => {
    const { records, row } = filled(1000, 64);
    const { older } = row;
    expect([row.begin(), row.last(), records.evicted]).toEqual([0, 9999, 944]);
    expect([older.width, records.summed, older.end]).toEqual([32, 944, 9433]);
    for (let time = 0; time < 9400; time += older.width)
      expect(row.workedUntil(time)).toBeCloseTo(busyUntil(time), 6);
    for (const time of [9433, 9500, 9777, 9999])
      expect(row.workedUntil(time)).toBeCloseTo(busyUntil(time), 6);
    expect(older.busy).toHaveLength(512);
    expect(firstIn(older, 5000, 5000)).toBe(500);
    expect([firstIn(older, 9450, 9999), firstIn(older, -9, -1)]).toEqual([Infinity, Infinity]);
  });

  test('count once when they are read again, and when they are dropped again', () => {
    const { row, add } = filled(1000, 64);
    const before = row.workedUntil(9999);
    add([500, 501, 502]);
    row.settle();
    expect(row.slots).toHaveLength(59);
    expect([row.workedUntil(9999), row.begin()]).toEqual([before, 0]);
    add(Array.from({ length: 200 }, (_, index) => 1000 + index));
    row.settle();
    expect(row.workedUntil(11_999)).toBeCloseTo(busyUntil(11_999), 6);
  });

  test('without a time or an end are not work, nor are waits', () => {
    const older = createRow().older;
    older.add(0, 5, NaN, true);
    older.add(1, 6, 9, false);
    expect([older.workedUntil(100), firstIn(older, 0, 5), firstIn(older, 6, 6), older.end]).toEqual([
      0, 0, 1, 9
    ]);
  });
});

describe('the window', () => {
  test('shows everything until the user moves it, and never leaves the range', () => {
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
  test('are as exact as the window requires', () => {
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
  const layout = layOut(records, false);
  const scene = (selected: Scene['selected'], matches = new Uint8Array(FLOW.length).fill(1)): Scene => {
    return { records, layout, from: 0, to: 30, top: 0, matches, selected, measured: undefined };
  };

  test('moves along a row, then to the next, to the end', () => {
    const passed: number[] = [];
    let bar = step(scene(undefined), 0, 0);
    for (; bar !== undefined; bar = step(scene(bar), 0, 1)) passed.push(bar.number);
    expect(passed).toEqual([5, 0, 1, 2, 3, 4, 6, 0, 1, 2, 3]);
    const last = step(scene({ number: 3 }), 0, -1);
    expect(last?.number).toBe(2);
  });

  test('moves up and down to the nearest in time, and skips filtered bars', () => {
    expect(step(scene({ number: 3 }), -1, 0)?.number).toBe(0);
    expect(step(scene({ number: 3 }), 1, 0)).toBeUndefined();
    const only = Uint8Array.from(FLOW, (_, index) => Number(index === 3));
    expect(step(scene(undefined, only), 0, 0)?.number).toBe(3);
    expect(step(scene(undefined, new Uint8Array(FLOW.length)), 0, 0)).toBeUndefined();
  });
});

test('a page without a kernel creates a file that Perfetto opens', () => {
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

test('the columns of the schema are as wide as a record', () => {
  expect(Object.keys(TRACE_COLUMNS)).toHaveLength(10);
  expect(TRACE_RECORD_BYTES).toBe(46);
});

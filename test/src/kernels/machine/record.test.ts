/** The record of a checked run: what the lanes of each warp accessed, and where they split. */

import * as b from './build-program.ts';
import { checkAndRecord } from './run-program.ts';

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

function program() {
  const made = b.builder();
  const [x, s] = [made.array('x', 'f64', { contiguous: false, readOnly: true }), made.shared('s', 'f64', 40)];
  b.atLine(2);
  const value = b.load(x, b.tid);
  b.atLine(3);
  const write = b.store(s, b.tid, value);
  b.atLine(4);
  return made.program([b.when(b.less(b.tid, 34), [write])]);
}
const given = { values: range(100), shape: [40], strides: [2], offset: 1 };

test('has an entry for each access and branch of a warp', () => {
  const { record, faults } = checkAndRecord(
    { recordBlocks: 2, recordWords: 1000 },
    program(),
    { grid: 3, block: 40 },
    given
  );
  expect(faults).toEqual([]);
  expect(record.complete).toBe(true);
  const place = (line: number) => record.places.findIndex(found => found.line === line);
  const all = 0xffffffff;
  const offsets = (from: number, count: number, step: number) =>
    range(count).map(lane => (from + lane) * step);
  const entries = [0, 1].flatMap(block => [
    [3, place(4), block, 0, all, all],
    [3, place(4), block, 1, 0xff, 0b11],
    [0, place(2), block, 0, all, 0, 8, ...offsets(0, 32, 16)],
    [0, place(2), block, 1, 0b11, 0, 8, ...offsets(32, 2, 16)],
    [1, place(3), block, 0, all, 1, 8, ...offsets(0, 32, 8)],
    [1, place(3), block, 1, 0b11, 1, 8, ...offsets(32, 2, 8)]
  ]);
  expect(record.words).toEqual(entries.flat());
});

test('leaves the last blocks out if there is no room for all', () => {
  const run = (recordWords: number) =>
    checkAndRecord({ recordBlocks: 4, recordWords }, program(), { grid: 4, block: 40 }, given).record;
  const words = run(10_000).words.length;
  const cut = run(words - 1);
  expect(cut).toMatchObject({ complete: true, blocks: 3 });
  expect(cut.words.length).toBe((words / 4) * 3);
  expect(run(words / 4)).toMatchObject({ complete: true, blocks: 1, words: cut.words.slice(0, words / 4) });
  expect(run(words / 4 - 1)).toMatchObject({ complete: false, blocks: 1 });
});

test('ends before an entry that does not fit', () => {
  const { record } = checkAndRecord({ recordBlocks: 1, recordWords: 20 }, program(), { block: 40 }, given);
  expect(record.complete).toBe(false);
  expect(record.words).toHaveLength(12);
});

test('is empty unless it is asked for', () => {
  const { record } = checkAndRecord({ recordBlocks: 0, recordWords: 0 }, program(), { block: 40 }, given);
  expect(record).toMatchObject({ complete: true, words: [] });
});

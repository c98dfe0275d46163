import { arrange, bytesOf, type Arrangement } from '../../../labextension/src/sidebar/arrange.ts';
import { outcomeText, sentences } from '../../../labextension/src/sidebar/free-sentences.ts';
import { inspectCode, subjectOf, type Subject } from '../../../labextension/src/sidebar/subjects.ts';
import { entry } from './entries.ts';

const plain: Arrangement = {
  grouping: 'storage',
  column: 'name',
  descending: false,
  filter: '',
  folded: new Set()
};

const base = entry('w', { bytes: 4096, block: 7, blockBytes: 4096, shape: [32, 32] });
const view = entry('head', { bytes: 1024, block: 7, blockBytes: 4096, readOnly: true });
const small = entry('xs[10]', { dtype: 'int8', bytes: 4, stream: 3 });
const other = entry('xs[9]', { dtype: 'int8', bytes: 8, device: 'sim:1', state: 'busy', origin: 'Python' });
const freed = entry('old', { state: 'freed', block: 0, blockBytes: 0, bytes: 64 });
const all = [base, view, small, other, freed];

function texts(change: Partial<Arrangement>): string[] {
  return arrange(all, [{ id: 3, label: 'stream #3', device: 'sim:0', state: 'idle' }], {
    ...plain,
    ...change
  }).map(row =>
    row.kind === 'group' ? `*${row.label}` : `${'  '.repeat(row.level - 1)}${row.entry.names[0]}`
  );
}

test('arrays of one block are listed under the widest of them, single ones by themselves', () => {
  expect(texts({})).toEqual(['old', '*w', '  head', '  w', 'xs[9]', 'xs[10]']);
});

test('a collapsed group hides its arrays and keeps its figures', () => {
  const rows = arrange(all, [], { ...plain, folded: new Set(['block 7']) });
  expect(rows.find(row => row.kind === 'group')).toMatchObject({
    open: false,
    bytes: 4096,
    entries: [view, base]
  });
  expect(rows.length).toBe(4);
});

test.each([
  ['dtype', ['*float32', '  head', '  old', '  w', '*int8', '  xs[9]', '  xs[10]']],
  ['device', ['*sim:0', '  head', '  old', '  w', '  xs[10]', '*sim:1', '  xs[9]']],
  ['stream', ['*stream #1', '  head', '  old', '  w', '  xs[9]', '*stream #3, sim:0', '  xs[10]']],
  ['none', ['head', 'old', 'w', 'xs[9]', 'xs[10]']]
] as const)('groups by %s', (grouping, wanted) => {
  expect(texts({ grouping })).toEqual(wanted);
});

test('headings of devices and streams have the request for them, and the code of a cell', () => {
  const streams = [{ id: 3, label: 'stream #3', device: 'sim:0', state: 'destroyed' } as const];
  const subjects = (grouping: Arrangement['grouping']): (Subject | undefined)[] =>
    arrange([freed, small, other], streams, { ...plain, grouping }).map(subjectOf);
  expect(subjects('device')[0]).toMatchObject({ kind: 'device', place: { device: 'sim:0' } });
  expect(inspectCode(subjects('device')[0]!)).toContain("devices().find(({ label }) => label === 'sim:0')!");
  const named = subjects('stream').filter(subject => subject?.kind === 'stream');
  expect(named).toMatchObject([
    { place: { stream: 1 }, code: 'xs[9].stream' },
    { place: { stream: 3 }, code: 'xs[10].stream' }
  ]);
  expect(subjects('dtype')[0]).toBe(undefined);
  const groups = arrange([small], streams, { ...plain, grouping: 'stream' });
  expect(groups[0]).toMatchObject({ kind: 'group', stream: { state: 'destroyed' } });
});

test.each([
  ['size', true, ['*w', '  w', '  head', 'old', 'xs[9]', 'xs[10]']],
  ['dtype', false, ['*w', '  w', '  head', 'old', 'xs[10]', 'xs[9]']],
  ['device', true, ['xs[9]']]
] as const)('sorts by %s', (column, descending, wanted) => {
  expect(texts({ column, descending }).slice(0, wanted.length)).toEqual(wanted);
});

test.each([
  ['int8', ['xs[9]', 'xs[10]']],
  ['INT8 python', ['xs[9]']],
  ['(32, 32)', ['w']],
  ['read-only', ['head']],
  ['busy', ['xs[9]']],
  ['freed', ['old']],
  ['nothing has this', []]
])('filters by %s', (filter, wanted) => {
  expect(texts({ filter, grouping: 'none' })).toEqual(wanted);
});

test('memory shared by several arrays counts once, and freed arrays hold none', () => {
  expect(bytesOf(all)).toBe(4096 + 16 + 16);
});

test('the question before freeing names what will be freed and what will stay', () => {
  expect(sentences([view], all)).toEqual([
    'Memory stays in use by other arrays: w.',
    'Code that uses a freed array throws FreedError.'
  ]);
  expect(sentences([base, view], all)).toEqual([
    'Arrays: w, head.',
    'This frees 4 KiB of memory.',
    'Code that uses a freed array throws FreedError.'
  ]);
  const many = Array.from({ length: 10 }, (_, i) => entry(`x${i}`));
  expect(sentences(many, many)[0]).toBe('Arrays: x0, x1, x2, x3, x4, x5, x6, x7 and 2 more.');
});

test('the result of freeing is shown', () => {
  expect(outcomeText({ freed: 1, bytes: 1024, remaining: [] })).toBe('Freed 1 array and 1 KiB of memory.');
  expect(outcomeText({ freed: 2, bytes: 0, remaining: ['w'] })).toBe(
    'Freed 2 arrays and 0 B of memory. Memory still in use by: w.'
  );
});

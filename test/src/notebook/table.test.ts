import { html, table } from '../../../src/notebook/index.ts';

const textOf = (rows: unknown, options = {}): string => table(rows, options).data['text/plain'] as string;
const htmlOf = (rows: unknown, options = {}): string => table(rows, options).data['text/html'] as string;
const resourceOf = (rows: unknown): unknown => table(rows).data['application/vnd.dataresource+json'];
const lines = (...rows: string[]): string => rows.join('\n');

describe('a table is made of', () => {
  test.each([
    [
      'objects with different keys',
      [{ a: 1 }, { a: 20, b: 'x' }],
      lines('    a  b', '─  ──  ─', '0   1', '1  20  x')
    ],
    ['arrays', [[1, 2], [3]], lines('   0  1', '─  ─  ─', '0  1  2', '1  3')],
    ['single values', [1, 'x', null], lines('   value', '─  ─────', '0  1', '1  x', '2  null')],
    ['a typed array', new Int16Array([7, -1]), lines('   value', '─  ─────', '0      7', '1     -1')],
    ['columns', { x: [1, 2], y: new Float32Array(1) }, lines('   x  y', '─  ─  ─', '0  1  0', '1  2')],
    ['a Map of rows', new Map([['k', { v: 1n }]]), lines('key  v', '───  ─', '  k  1')],
    [
      'rows by name',
      { first: { v: 1 }, second: { v: 2 } },
      lines('        v', '──────  ─', ' first  1', 'second  2')
    ],
    ['a Set', new Set(['a']), lines('   value', '─  ─────', '0  a')],
    [
      'a generator',
      (function* () {
        yield { a: 1 };
      })(),
      lines('   a', '─  ─', '0  1')
    ],
    ['Maps as rows', [new Map([['a', 1]])], lines('   a', '─  ─', '0  1')],
    ['nothing', [], lines('', '')]
  ])('%s', (_, rows, expected) => {
    expect(textOf(rows)).toBe(expected);
  });

  test('data frames of other libraries, of which it reads the visible part', () => {
    const records = [{ a: 1 }, { a: 2 }, { a: 3 }];
    const polars = {
      schema: { a: 'i64' },
      height: 3,
      head: (count: number) => ({ ...polars, toRecords: () => records.slice(0, count) }),
      toRecords: () => {
        throw new Error('all of it');
      }
    };
    const arquero = {
      columnNames: () => ['a'],
      numRows: () => 3,
      objects: ({ limit }: { limit: number }) => records.slice(0, limit)
    };
    const arrow = {
      schema: {},
      numRows: 3,
      getChild: () => null,
      slice: (start: number, end: number) => records.slice(start, end).map(row => ({ toJSON: () => row }))
    };
    for (const frame of [polars, arquero, arrow])
      expect(textOf(frame, { rows: 2 })).toBe(lines('   a', '─  ─', '0  1', '1  2', '… 1 more row'));
  });

  test.each([5, 'text', null, undefined])('not of %p', value => {
    expect(() => table(value)).toThrow(/^A table is made of rows/);
  });
});

test('omitted parts are counted, and never read', () => {
  const rows = new Proxy(
    Array.from({ length: 1_000_000 }, () => ({ a: 1 })),
    {
      get(target, key) {
        if (typeof key === 'string' && Number(key) >= 50) throw new Error(`row ${key} was read`);
        return Reflect.get(target, key) as unknown;
      }
    }
  );
  expect(htmlOf(rows)).toContain('… 999,950 more rows');
  const wide = [Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`c${i}`, i]))];
  expect(textOf(wide)).toMatch(/\n… 10 more columns$/);
  expect(textOf(wide, { columns: ['c39', 'c0', 'none'] })).toMatch(/^ {3}c39 {2}c0 {2}none\n/);
  expect(textOf({ x: [1], y: [1, 2, 3] }, { rows: 1 })).toMatch(/\n… 2 more rows$/);
});

test('its HTML is escaped, aligned per cell, and has no style sheet', () => {
  const source = htmlOf([{ '<n>': 1, s: '<script>', markup: html`<i>ok</i>`, none: null }], {
    caption: '<c>'
  });
  expect(source).toContain('<caption>&lt;c&gt;</caption>');
  expect(source).toContain('<th style="text-align: right">&lt;n&gt;</th>');
  expect(source).toContain('<td style="text-align: right">1</td>');
  expect(source).toContain('<td style="text-align: left">&lt;script&gt;</td>');
  expect(source).toContain('<td style="text-align: left"><i>ok</i></td>');
  expect(source).toContain('opacity: 0.6">null</td>');
  expect(source).not.toMatch(/<style|class=/);
});

test('text is aligned by its width in a terminal, each row on one line', () => {
  expect(
    textOf([
      { a: '日本', b: 1 },
      { a: 'é\u0301x', b: 22 },
      { a: 'two\nlines', b: 3 }
    ])
  ).toBe(
    lines(
      '   a           b',
      '─  ─────────  ──',
      '0  日本        1',
      '1  é\u0301x         22',
      '2  two⏎lines   3'
    )
  );
});

test('cells that throw or are long stay one cell', () => {
  const bad = {
    get a(): never {
      throw new RangeError('no');
    }
  };
  expect(textOf([bad])).toContain('RangeError: no');
  expect(textOf([{ a: 'x'.repeat(1_000) }]).length).toBeLessThan(700);
});

test('the data resource has types, and only JSON values', () => {
  const rows = [{ i: 1, n: 1.5, s: 'x', b: true, d: new Date(0), big: 5n, nan: NaN, o: { a: 1 } }];
  expect(resourceOf(rows)).toEqual({
    schema: {
      fields: [
        { name: 'i', type: 'integer' },
        { name: 'n', type: 'number' },
        { name: 's', type: 'string' },
        { name: 'b', type: 'boolean' },
        { name: 'd', type: 'datetime' },
        { name: 'big', type: 'any' },
        { name: 'nan', type: 'number' },
        { name: 'o', type: 'any' }
      ]
    },
    data: [
      { i: 1, n: 1.5, s: 'x', b: true, d: '1970-01-01T00:00:00.000Z', big: '5', nan: null, o: '{ a: 1 }' }
    ]
  });
  expect(resourceOf(new Map([['k', 1]]))).toMatchObject({ schema: { primaryKey: ['key'] } });
});

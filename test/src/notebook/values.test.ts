import { inspect } from 'node:util';
import { MAX_HTML } from '../../../src/notebook/outline-html.ts';
import { plainText } from '../../../src/notebook/plain-text.ts';
import { render } from '../../../src/notebook/rendering.ts';
import type { MimeBundle } from '../../../src/notebook/host.ts';

const textOf = (value: unknown): string => plainText(value, false);

function bundleOf(value: unknown): MimeBundle {
  const rendering = render(value, { colors: false });
  if (rendering instanceof Promise) throw new Error('the value is not rendered at once');
  return rendering.data;
}

function htmlOf(value: unknown): string {
  const html = bundleOf(value)['text/html'];
  if (typeof html !== 'string') throw new Error('the value has no HTML');
  return html;
}

class Point {
  x = 1;
  inner = { list: [1, { y: 2 }] };
  get z(): number {
    throw new Error('called');
  }
}

const circular: Record<string, unknown> = { name: 'c', children: [] };
circular['self'] = circular;
(circular['children'] as unknown[]).push({ parent: circular });

const COMMON = {
  'a number': -0,
  'a string with lines': 'a\nb',
  'data of depth 6': { a: { b: { c: { d: { e: { f: 1 } } } } } },
  'JSON of an API': { users: [{ id: 1, tags: ['a'], address: { geo: { lat: 1.5 } } }, { id: 2 }], total: 2 },
  'many numbers': Array.from({ length: 200 }, (_, i) => i),
  'many words': Array.from({ length: 30 }, (_, i) => `word ${i}`),
  'a Map and a Set': { map: new Map([['k', { v: 1 }]]), set: new Set([{ a: 1 }]), flat: new Set([1]) },
  'a subclass': new (class Names extends Map<unknown, unknown> {})([[1, {}]]),
  'an instance': new Point(),
  'functions and classes': { f() {}, g: Point, h: () => 1 },
  'a circle': circular,

  holes: [1, , { a: 1 }, , ,],
  'keys that are no identifiers': { 'a-b': 1, [Symbol('s')]: 2, é: 3 },
  accessors: {
    get a() {
      throw new Error('called');
    },
    set b(_: unknown) {}
  },
  'bytes and typed arrays': [{ b: Buffer.from('abc'), f: new Float32Array(3), r: new ArrayBuffer(2) }],
  dates: { date: new Date(0), invalid: new Date(NaN), pattern: /x/g },
  promises: { done: Promise.resolve({ a: 1 }), never: new Promise(() => {}) },
  'empty things': { a: {}, b: [], c: new Map(), d: new Set() },
  'all kinds of primitives': [{}, 'x', null, undefined, true, 1n, Symbol('z')],
  'long lines in a property': { s: `${'a'.repeat(50)}\n${'b'.repeat(50)}` },
  'a match': [{}, 'abc'.match(/(?<q>b)/)],
  'a boxed number': [{}, Object(1)],
  'an array with a name': Object.assign([{}, 1], { named: true })
};

describe('text is as that of inspect, to any depth', () => {
  test.each(Object.entries(COMMON))('%s', (_, value) => {
    for (const colors of [false, true])
      expect(plainText(value, colors)).toBe(inspect(value, { colors, depth: 20 }));
  });

  test('except for objects without a prototype, which look like others', () => {
    const rows = { __proto__: null, a: { __proto__: null, b: 1 } };
    expect(textOf(rows)).toBe('{ a: { b: 1 } }');
  });

  test('objects of classes are written inside two others, data inside of anything', () => {
    class Node {
      readonly next: unknown;
      constructor(next: unknown) {
        this.next = next;
      }
    }
    const chain = new Node(new Node(new Node(new Node({ deep: 1 }))));
    expect(textOf(chain)).toBe('Node { next: Node { next: Node { next: [Node, 1 property] } } }');
    expect(textOf(new Node([[[[[new Node(1)]]]]]))).toContain('Node { next: 1 }');
  });

  test('inspect methods are told their level, and failures of one do not hide the others', () => {
    const levels: unknown[] = [];
    const own = { [inspect.custom]: (depth: unknown) => String(levels.push(depth)) };
    textOf([own, [own, [own, [own]]]]);
    expect(levels).toEqual([1, 0, -1, -2]);
    const bad = {
      [inspect.custom]() {
        throw new Error('bad');
      }
    };
    expect(textOf({ good: 1, bad })).toMatch(/good: 1[^]*inspection failed: Error: bad/);
  });
});

describe('text states what it leaves out', () => {
  test.each([
    [Array.from({ length: 1e6 }, (_, i) => i), /\.\.\. 999900 more items\n\]$/],
    [Array.from({ length: 1e6 }, (_, i) => ({ i })), /… 999,900 more items\n\]$/],
    [Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => [`k${i}`, i])), /… 9,000 more properties\n}$/],
    [new Map(Array.from({ length: 300 }, (_, i) => [i, { i }])), /^Map\(300\) {[^]*… 200 more entries\n}$/],
    [new Set(Array.from({ length: 101 }, (_, i) => ({ i }))), /… 1 more item\n}$/],
    ['x'.repeat(1e6), /\.\.\. 990000 more characters$/],
    [
      [{}, Array.from({ length: 40 }, () => Array.from({ length: 40 }, (_, i) => ({ i })))],
      /\[Array, 40 items\]/
    ]
  ])('%#', (value, expected) => {
    expect(textOf(value)).toMatch(expected);
  });
});

/** Values that would need megabytes, or never end. */
const HUGE: Readonly<Record<string, () => unknown>> = {
  'nested data of 10 MB': () => {
    const level = (depth: number): unknown =>
      depth === 0
        ? 'v'.repeat(50)
        : Object.fromEntries(Array.from({ length: 10 }, (_, i) => [i, level(depth - 1)]));
    return level(5);
  },
  'long strings': () =>
    Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`k${i}`, 'é'.repeat(9_000)])),
  'long keys': () =>
    Object.fromEntries(Array.from({ length: 999 }, (_, i) => [`${'k'.repeat(999)}${i}`, {}])),
  'shared objects, 2^40 paths': () => {
    let value: unknown = { x: 1 };
    for (let i = 0; i < 40; i += 1) value = { a: value, b: value };
    return value;
  },
  'circles everywhere': () => {
    const all: Record<string, unknown>[] = Array.from({ length: 100 }, () => ({}));
    for (const one of all) Object.assign(one, { all, next: all[0] });
    return all;
  },
  'a Proxy whose properties are new ones': () => {
    const make = (): unknown =>
      new Proxy(
        {},
        {
          ownKeys: () => Array.from({ length: 101 }, (_, i) => `k${i}`),
          getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: make() })
        }
      );
    return make();
  },
  'an infinite collection': () => ({
    __proto__: { '@@__IMMUTABLE_ITERABLE__@@': true, constructor: class Range {} },
    size: undefined,
    *[Symbol.iterator]() {
      for (let i = 0; ; i += 1) yield { i };
    }
  }),
  'a chain of 10,000 objects': () => {
    let value: unknown = 1;
    for (let i = 0; i < 10_000; i += 1) value = { value };
    return value;
  }
};

test.each(Object.entries(HUGE))('%s is bounded, as text and as a tree', (_, make) => {
  const value = make();
  const data = bundleOf(value);
  expect((data['text/plain'] as string).length).toBeLessThan(101_000);
  expect(Buffer.byteLength(htmlOf(value))).toBeLessThanOrEqual(MAX_HTML);
  expect(htmlOf(value).slice(0, 300)).toContain('<details');
});

describe('a tree', () => {
  const wide = (value: unknown): unknown => ({
    value,
    ...Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, i]))
  });

  test('is made of what needs many lines and has parts', () => {
    expect(Object.keys(bundleOf({ a: [1, 2, { b: 3 }] }))).toEqual(['text/plain']);
    expect(Object.keys(bundleOf(Array.from({ length: 1_000 }, (_, i) => i)))).toEqual(['text/plain']);
    expect(Object.keys(bundleOf('x\n'.repeat(100)))).toEqual(['text/plain']);
    expect(Object.keys(bundleOf(wide(1)))).toEqual(['text/html', 'text/plain']);
  });

  test('opens its first levels, and needs neither a script nor a style sheet', () => {
    const html = htmlOf(wide({ inner: { x: 1 } }));
    expect(html).toMatch(/^<div [^>]*><details open><summary>Object<\/summary><ul/);
    expect(html).toContain('<summary>value: { inner: {…} }</summary>');
    expect(html).not.toMatch(/<script|<style|class=|onclick/);
  });

  test('escapes keys and values', () => {
    const html = htmlOf(
      wide({ '<b>': '<img src=x onerror=alert(1)>', [Symbol('<i>')]: new Map([['<u>', {}]]) })
    );
    expect(html).not.toMatch(/<b>|<img|<i>|<u>/);
  });

  test('links circles to the object that contains itself', () => {
    const value = wide(1) as Record<string, unknown>;
    value['self'] = { back: value };
    const [, id] = /<a href="#([^"]+)">\[Circular \*1\]<\/a>/.exec(htmlOf(value)) ?? [];
    expect(id).toBeDefined();
    expect(htmlOf({ ...value, self: 1 })).not.toContain('id=');
    expect(htmlOf(value)).toMatch(/<details id="circular-\w+" open>/);
  });

  test('numbers the items of lists, and folds long texts', () => {
    const html = htmlOf([wide(1), 'a\n'.repeat(200), new Error('kept')]);
    expect(html).toMatch(/<summary>0: \{ value: 1, k0: 0/);
    expect(html).toMatch(/<summary>1: 'a\\na[^<]*<\/summary><pre[^>]*>a\na\n/);
    expect(html).toMatch(/<summary>2: Error: kept…<\/summary><pre/);
  });
});

describe('an array of flat objects with the same keys', () => {
  const rows = Array.from({ length: 60 }, (_, id) => ({ __proto__: null, id: BigInt(id), name: `n${id}` }));

  test('is a table, if it does not fit on a line', () => {
    const data = bundleOf(rows);
    expect(data['text/plain']).toMatch(/^ +id {2}name\n.*\n 0 {3}0 {2}n0\n/);
    expect(data['text/plain']).toMatch(/… 10 more rows$/);
    expect(data['text/html']).toContain('<table>');
    expect(Object.keys(bundleOf(rows.slice(0, 1)))).toEqual(['text/plain']);
  });

  test('is none with other keys, nested values, accessors, classes, holes, nothing, or too many columns', () => {
    const line = { text: 'a long text '.repeat(6) };
    for (const other of [
      [line, { text: 'x', more: 1 }],
      [line, { other: 1 }],
      [line, { text: [1] }],
      [line, { text: {} }],
      [line, { text: () => 1 }],
      [
        line,
        {
          get text(): string {
            throw new Error('called');
          }
        }
      ],
      [line, new Point()],
      [line, null],
      [{}, {}],
      [Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`c${i}`, i]))]
    ])
      expect(JSON.stringify(bundleOf(other))).not.toContain('<table>');
  });

  test('stores bounded cells', () => {
    expect(JSON.stringify(bundleOf([{ a: 'x'.repeat(1e6) }, { a: '' }])).length).toBeLessThan(5_000);
  });
});

/** An instance of a class with this name and these members on its prototype. */
function instance(name: string, inherited: object, own: object = {}): object {
  const { [name]: made } = { [name]: class {} };
  Object.defineProperties(made!.prototype, Object.getOwnPropertyDescriptors(inherited));
  return Object.assign(new made!(), own);
}

function ended(timer: NodeJS.Timeout): NodeJS.Timeout {
  clearTimeout(timer);
  return timer;
}

const says = (text: string): { toString(): string } => ({ toString: () => text });
const marks = (...names: string[]): Record<string, true> =>
  Object.fromEntries(['ITERABLE', ...names].map(name => [`@@__IMMUTABLE_${name}__@@`, true]));
const iterating = (...values: unknown[]): object => ({ [Symbol.iterator]: () => values.values() });

const LIBRARIES: readonly (readonly [string, object, string])[] = [
  ['a date of DuckDB', instance('DuckDBDateValue', says('2020-01-01'), { days: 1 }), '2020-01-01'],
  [
    'a tensor of TensorFlow.js',
    instance(
      'Tensor',
      { toString: (verbose: boolean) => (verbose ? 'Tensor\n  dtype: int32' : '') },
      { dataId: {}, rankType: '1', dtype: 'int32' }
    ),
    'Tensor\n  dtype: int32'
  ],
  ['a unit of mathjs', instance('Unit', { isUnit: true, ...says('5 cm') }), '5 cm'],
  ['a complex number', instance('Complex', says('2 + 3i'), { re: 2, im: 3 }), '2 + 3i'],
  [
    'a fraction',
    instance('Fraction', { toFraction: () => '1/3', ...says('0.(3)') }, { n: 1n, d: 3n }),
    '1/3'
  ],
  ['a BigNumber', instance('BigNumber', { _isBigNumber: true, ...says('1.5') }, { c: [1] }), '1.5'],
  [
    'a matrix of mathjs',
    instance('DenseMatrix', {
      isDenseMatrix: true,
      valueOf: () => [
        [1, 2],
        [3, 4]
      ]
    }),
    'DenseMatrix(2) [ [ 1, 2 ], [ 3, 4 ] ]'
  ],
  [
    'a sparse matrix, whose values are counted',
    instance('SparseMatrix', { isSparseMatrix: true }, { _values: Array(5_000).fill(1), _size: [9000, 8] }),
    '[SparseMatrix, 9000 × 8, 5,000 values]'
  ],
  ['a timer', ended(setTimeout(() => undefined, 100)), 'Timeout (over)'],
  ['an interval', setInterval(() => undefined, 100).unref(), 'Timeout (every 100 ms)'],
  [
    'a Day.js date',
    instance('M', { format: () => '2020-01-01T00:00:00Z' }, { $isDayjsObject: true }),
    'Dayjs<2020-01-01T00:00:00Z>'
  ],
  [
    'a duration of Moment',
    instance('Duration', { humanize: says, toISOString: () => 'PT5S' }, { _milliseconds: 5 }),
    'Duration<PT5S>'
  ],
  [
    'a Map of Immutable',
    instance('Map', { ...marks('MAP', 'KEYED'), ...iterating(['a', [1]]) }, { size: 1 }),
    "Immutable.Map(1) { 'a' => [ 1 ] }"
  ],
  [
    'an OrderedSet',
    instance('OrderedSet', { ...marks('SET', 'ORDERED'), ...iterating(1) }, { size: 1 }),
    'Immutable.OrderedSet(1) { 1 }'
  ],
  [
    'a List',
    instance('List', { ...marks('LIST', 'ORDERED'), ...iterating(1, 2) }, { size: 2 }),
    'Immutable.List(2) [ 1, 2 ]'
  ],
  [
    'a Record',
    instance(
      'Record',
      { '@@__IMMUTABLE_RECORD__@@': true, toSeq: () => new Map([['x', 1]]) },
      { _name: 'Point' }
    ),
    'Immutable.Point { x: 1 }'
  ],
  [
    'an ndarray',
    instance(
      'View2dfloat64',
      { dtype: 'float64', get: (i: number, j: number) => i * 3 + j },
      { shape: [2, 3], stride: [3, 1] }
    ),
    'ndarray float64(2) [ [ 0, 1, 2 ], [ 3, 4, 5 ] ]'
  ],
  [
    'a vector of Arrow',
    instance('Vector', { nullCount: 0, ...iterating(1, 2) }, { length: 2, type: says('Int32') }),
    'Vector<Int32>(2) [ 1, 2 ]'
  ],
  [
    'a table of Arrow inside another value',
    instance('Table', { numRows: 3000, numCols: 2 }, { schema: {}, batches: [] }),
    '[Table, 3,000 rows × 2 columns]'
  ]
];

describe('values of libraries are shown as their users write them', () => {
  test.each(LIBRARIES)('%s', (_, value, expected) => {
    expect(textOf(value)).toBe(expected);
    expect(textOf([value])).toContain(expected.split('\n')[0]!.slice(0, 20));
  });

  test('one whose method fails is shown with its properties', () => {
    const freed = instance(
      'Tensor',
      {
        toString() {
          throw new Error('disposed');
        }
      },
      { dataId: 1, rankType: '1', dtype: 'x' }
    );
    expect(textOf(freed)).toBe("Tensor { dataId: 1, rankType: '1', dtype: 'x' }");
  });

  test('a Proxy is shown as its target, a revoked one as such, also inside others', () => {
    const held = Proxy.revocable({}, {});
    held.revoke();
    const target = { x: 1, [inspect.custom]: () => 'its own text' };
    const loud = new Proxy(target, {
      get() {
        throw new Error('read');
      }
    });
    expect(textOf([{}, held.proxy, loud, new Proxy([1], {})])).toBe(
      '[ {}, <Revoked Proxy>, its own text, [ 1 ] ]'
    );
    expect(textOf(held.proxy)).toBe('<Revoked Proxy>');
  });

  test('functions have their properties', () => {
    expect(textOf(Object.assign(() => 1, { settings: { a: 1 } }))).toBe(
      '[Function (anonymous)] { settings: { a: 1 } }'
    );
  });

  test('a class of the user with toString is shown with its properties', () => {
    expect(textOf(instance('Money', says('5 EUR'), { amount: 5 }))).toBe('Money { amount: 5 }');
  });

  test('a result that DuckDB has read is a table, of which only the shown rows are read', () => {
    const reader = instance(
      'DuckDBResultReader',
      {
        deduplicatedColumnNames: () => ['id', 'name'],
        value(column: number, row: number) {
          if (row >= 50) throw new Error(`row ${row} was read`);
          return column === 0 ? BigInt(row) : `n${row}`;
        }
      },
      { currentRowCount: 1_000_000 }
    );
    expect(bundleOf(reader)['text/plain']).toMatch(
      /^ +id {2}name\n[^]*\n49 {2}49 {2}n49\n… 999,950 more rows$/
    );
  });
});

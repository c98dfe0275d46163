import { inspect } from 'node:util';
import { waitBriefly } from '../../../src/pictures/text/wait-briefly.ts';
import { renderArrayBundle } from '../../../src/pictures/array/render.ts';
import { ARRAY_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import type { ArrayDescription } from '../../../src/pictures/array/schema.ts';
import { toDevice } from '../../../src/core/device.ts';
import { native } from '../../../src/native/load.ts';
import type { NDArray } from '../../../src/index.ts';
import {
  arange,
  array,
  Event,
  exchanges,
  full,
  matmul,
  ones,
  recordDType,
  Stream,
  trace,
  zeros
} from '../../../src/index.ts';

const sim = { device: 'sim:0' } as const;

/** The text above the line with dtype, shape and device. */
const valuesOf = (a: NDArray): string => String(a).split('\n').slice(0, -1).join('\n');

test('String, console.log and text/plain are the values, then dtype, shape and device', () => {
  const a = arange(4, { ...sim, dtype: 'float32' }).reshape(2, 2);
  const product = matmul(a, a.T);
  const text = '[[ 1.  3.]\n [ 3. 13.]]\nfloat32 (2, 2) on sim:0 (simulated), 16 B';
  expect(String(product)).toBe(text);
  expect(`${product as unknown as string}`).toBe(text);
  expect(inspect(product)).toBe(text);
  expect(renderArrayBundle(product)['text/plain']).toBe(text);
});

describe('values, as NumPy prints them', () => {
  test.each([
    ['float64', [0, 0.1, 0.25], '[0.   0.1  0.25]'],
    ['float64', [1 / 3, 2.5, 10], '[ 0.33333333  2.5        10.        ]'],
    ['float64', [1e-6, 1, 1e3], '[1.e-06 1.e+00 1.e+03]'],
    ['float64', [1e8, 1], '[1.e+08 1.e+00]'],
    ['float64', [1e300, 1], '[1.e+300 1.e+000]'],
    ['float64', [5e-324], '[5.e-324]'],
    ['float64', [NaN, Infinity, -Infinity, 1], '[      NaN  Infinity -Infinity        1.]'],
    ['float64', [NaN], '[NaN]'],
    ['float64', [-0, 0], '[-0.  0.]'],
    ['float32', [0.1, 0.25, 3], '[0.1  0.25 3.  ]'],
    ['float32', [4.3060782e-6, -360.77976], '[ 4.3060782e-06 -3.6077975e+02]'],
    ['float16', [0.1, 3], '[0.1 3. ]'],
    ['bfloat16', [0.1, 3.14], '[0.1  3.14]'],
    ['float8_e4m3fn', [0.5, 448], '[  0.5 448. ]'],
    ['float8_e5m2', [0.5, NaN], '[0.5 NaN]'],
    ['float4_e2m1fn', [0.5, -6], '[ 0.5 -6. ]'],
    ['int4', [-8, 7], '[-8  7]'],
    ['uint4', [15, 0], '[15  0]'],
    ['int32', [1, -20, 300], '[  1 -20 300]'],
    ['int64', [2n ** 63n - 1n, -1n], '[9223372036854775807                  -1]'],
    ['bool', [true, false], '[ true false]'],
    [
      'complex128',
      [
        { re: 1, im: -2.5 },
        { re: 0, im: 3 }
      ],
      '[1.-2.5j 0.+3.j ]'
    ],
    ['complex64', [{ re: NaN, im: 1 }], '[NaN+1.j]'],
    ['str3', ['a', 'bcd'], '["a" "bcd"]'],
    ['void2', [Uint8Array.of(1, 255)], '[0x01ff]'],
    ['datetime64[D]', [0n, -(2n ** 63n)], '[1970-01-01        NaT]'],
    ['datetime64[25us]', [-1n], '[1969-12-31T23:59:59.999975]'],
    ['datetime64[h]', [16n], '[1970-01-01T16]'],
    ['datetime64[M]', [-1n], '[1969-12]'],
    ['datetime64', [5n], '[5]'],
    ['datetime64[s]', [2n ** 62n], `[${2n ** 62n}]`],
    ['timedelta64[s]', [-3n, 10n], '[-3 10]']
  ] as const)('%s %j', (dtype, values, text) => {
    expect(valuesOf(array([...values], { ...sim, dtype }))).toBe(text);
  });

  test('records, vectors, masks, no axes and no elements are printed', () => {
    const dtype = recordDType([
      ['x', '<f4'],
      ['n', '<i4', [2]]
    ]);
    expect(valuesOf(zeros(2, { ...sim, dtype }))).toBe('[{x: 0, n: [0, 0]} {x: 0, n: [0, 0]}]');
    expect(valuesOf(zeros(1, { ...sim, dtype: 'float32_x2' }))).toBe('[0x0000000000000000]');
    const masked = arange(3, { ...sim, dtype: 'int32' }).withMask(array([true, false, true], sim));
    expect(valuesOf(masked)).toBe('[ 0 --  2]');
    expect(valuesOf(array(5, sim))).toBe('5.0');
    expect(valuesOf(array(-0.5, { ...sim, dtype: 'float32' }))).toBe('-0.5');
    expect(valuesOf(array(5n, sim))).toBe('5');
    expect(valuesOf(zeros([0, 3], sim))).toBe('[]');
  });

  test('views are printed: negative strides, repeated axes, transposes', () => {
    const a = arange(6, { ...sim, dtype: 'int32' });
    expect(valuesOf(a.slice('::-2'))).toBe('[5 3 1]');
    expect(valuesOf(a.reshape(2, 3).T)).toBe('[[0 3]\n [1 4]\n [2 5]]');
    expect(valuesOf(a.slice('0:2').broadcastTo([2, 2]))).toBe('[[0 1]\n [0 1]]');
  });

  test('beyond 1,000 elements the ends of each axis are printed', () => {
    expect(valuesOf(arange(1001, { ...sim, dtype: 'int32' }))).toBe('[   0    1    2 ...  998  999 1000]');
    const square = arange(40_000, { ...sim, dtype: 'int32' }).reshape(200, 200);
    const lines = valuesOf(square).split('\n');
    expect(lines).toHaveLength(7);
    expect(lines[0]).toBe('[[    0     1     2 ...   197   198   199]');
    expect(lines[3]).toBe(' ...');
    expect(lines[6]).toBe(' [39800 39801 39802 ... 39997 39998 39999]]');
    expect(valuesOf(square.slice('::-1', '::-1')).split('\n')[0]).toBe(
      '[[39999 39998 39997 ... 39802 39801 39800]'
    );
    // The transposed view shows the other axis.
    expect(valuesOf(square.T).split('\n')[0]).toBe('[[    0   200   400 ... 39400 39600 39800]');
    const masked = square.withMask(zeros([200, 1], { ...sim, dtype: 'bool' }));
    expect(valuesOf(masked).split('\n')[0]).toBe('[[-- -- -- ... -- -- --]');
  });

  test.each([
    [[1]],
    [[999]],
    [[100, 10]],
    [[10, 100]],
    [[1000, 1000]],
    [[2, 3, 4]],
    [[10, 10, 10]],
    [[100, 100, 100]],
    [[5, 5, 5, 5]],
    [Array<number>(10).fill(2)],
    [Array<number>(20).fill(2)],
    [Array<number>(64).fill(1)],
    [[1, 100, 1, 1]]
  ])('shape %j is printed in two to ten lines, none of them long', shape => {
    const lines = String(arange(1, { ...sim }).broadcastTo(shape)).split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(lines.length).toBeLessThanOrEqual(10);
    expect(Math.max(...lines.slice(0, -1).map(line => line.length))).toBeLessThanOrEqual(75 + shape.length);
    expect(lines.at(-1)).toMatch(/^float64 \(/);
  });

  test('three axes are separate matrices', () => {
    expect(valuesOf(arange(8, { ...sim, dtype: 'int8' }).reshape(2, 2, 2))).toBe(
      '[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]'
    );
    const summarised = valuesOf(arange(1e6, { ...sim, dtype: 'int32' }).reshape(100, 100, 100));
    expect(summarised).toContain('[[[     0');
    expect(summarised).toContain('999999]]]');
  });

  test('long elements are truncated, and elements too long to be copied are named', () => {
    const long = zeros(2, { ...sim, dtype: 'void300' });
    expect(
      Math.max(
        ...valuesOf(long)
          .split('\n')
          .map(line => line.length)
      )
    ).toBeLessThan(80);
    expect(String(zeros(1, { ...sim, dtype: 'void100000' }))).toMatch(
      /values not shown: one element has 100000 bytes/
    );
  });
});

describe('printing is an inspection', () => {
  test('that is not a use or an exchange, and copies only what it shows', () => {
    const a = zeros([1000, 1000], sim);
    a.synchronize();
    let uses = 0;
    a.onUse(() => uses++);
    exchanges.start();
    trace.start();
    try {
      expect(String(a)).toContain('...');
      inspect(a);
    } finally {
      trace.stop();
      exchanges.stop();
    }
    expect(uses).toBe(0);
    expect(exchanges.read().events).toEqual([]);
    const copied = trace.read().events.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(copied).toBeLessThan(10_000);
  });

  test('that waits for pending work', () => {
    using stream = new Stream(sim);
    const a = zeros(2 ** 20, { stream });
    a.fill(7, { stream });
    expect(stream.query()).toBe(false);
    expect(valuesOf(a)).toBe('[7. 7. 7. ... 7. 7. 7.]');
  });

  test('that does not wait forever: work that never ends is named', () => {
    const endless = {
      device: { simulated: false },
      destroyed: false,
      query: () => false
    } as unknown as Stream;
    const done = { device: { simulated: false }, destroyed: false, query: () => true } as unknown as Stream;
    expect(waitBriefly([done, endless], 20)).toBe(endless);
    expect(waitBriefly([done], 20)).toBeUndefined();
    let asked = 0;
    const soon = { ...done, query: () => (asked += 1) > 3 } as unknown as Stream;
    expect(waitBriefly([soon], 10_000)).toBeUndefined();
  });

  test('that is skipped during a capture, which stays valid', () => {
    using stream = new Stream(sim);
    const a = zeros(3, { stream });
    const other = ones(3, sim);
    let texts: string[] = [];
    using graph = stream.capture(() => {
      a.fill(5, { stream });
      texts = [String(a), inspect(other), String(renderArrayBundle(a)['text/plain'])];
    });
    for (const text of texts)
      expect(text).toMatch(
        /^float64 \(3,\) .*\nvalues not shown: a copy to the host would break the capture/
      );
    graph.launch(stream);
    expect(valuesOf(a)).toBe('[5. 5. 5.]');
  });

  test('that reports freed arrays, and the reason of lost ones', () => {
    const a = zeros(3, sim);
    a.dispose();
    expect(String(a)).toBe('float64 (3,) on sim:0 (simulated), 24 B, freed');
    expect(inspect({ a })).toContain('24 B, freed');
    const lost = zeros(8, { stream: new Stream({ device: toDevice('rec:0') }) });
    native().recording.fail('*', 719, -1);
    try {
      expect(String(lost)).toMatch(/^float64 \(8,\) on rec:0 .*\nlost: .*CUDA_ERROR_LAUNCH_FAILED/);
    } finally {
      native().recording.reset();
    }
  });
});

test('inside other values, the values are printed below each other, and deep inside in one line', () => {
  const a = full([2, 2], 1, { ...sim, dtype: 'int32' });
  const line = 'NDArray int32 (2, 2) on sim:0 (simulated), 16 B';
  expect(inspect({ a })).toBe(`{\n  a: ${line}\n    [[1 1]\n     [1 1]]\n}`);
  expect(inspect({ x: { y: { a } } }, { depth: 2 })).toContain(`a: ${line} `);
  expect(inspect(a, { depth: 0 })).toBe(line);
  expect(inspect(a, { breakLength: Infinity })).toBe(line);
  expect(inspect(a, { depth: null })).toBe(String(a));
});

describe('operators', () => {
  const a = arange(3, sim);
  test.each<readonly [string, () => unknown]>([
    ['a + 1', () => (a as unknown as number) + 1],
    ['a * 2', () => (a as unknown as number) * 2],
    ['a < 2', () => (a as unknown as number) < 2],
    ['-a', () => -(a as unknown as number)],
    ['"a: " + a', () => 'a: ' + (a as unknown as string)]
  ])('%s names the function to call', (_, operate) => {
    expect(operate).toThrow(/array of shape \(3,\) is not a number.*add\(a, 1\) or a\.add\(1\)/);
  });

  test('an array without axes converts to its value, as in NumPy', () => {
    expect((array(5, sim) as unknown as number) + 1).toBe(6);
    expect(Number(array(7n, sim))).toBe(7);
    expect(Number(array(true, sim))).toBe(1);
    expect(() => Number(array({ re: 1, im: 1 }, sim))).toThrow(/is not a number/);
    expect(() => Number(array(1, sim).withMask(array(false, sim)))).toThrow(/is not a number/);
  });
});

test('streams, events and graphs print what they are', () => {
  using stream = new Stream(sim);
  using event = new Event(sim);
  expect(inspect(stream)).toMatch(/^Stream stream #\d+ on sim:0 \(simulated\), handle 0x[0-9a-f]+, idle$/);
  expect(inspect(event)).toMatch(/^Event on sim:0 \(simulated\), handle 0x[0-9a-f]+, done$/);
  const a = zeros(2 ** 20, { stream });
  a.fill(1, { stream });
  stream.record(event);
  expect(inspect(event)).toMatch(/pending$/);
  using graph = stream.capture(() => {
    a.fill(2, { stream });
    expect(inspect(stream)).toMatch(/capturing$/);
  });
  expect(inspect(graph)).toBe('Graph on sim:0 (simulated)');
  const lost = new Stream({ device: toDevice('rec:0') });
  native().recording.fail('*', 719, -1);
  try {
    expect(inspect(lost)).toMatch(/failed$/);
  } finally {
    native().recording.reset();
  }
});

describe('the picture of a result', () => {
  const a = arange(6, { ...sim, dtype: 'float32' }).reshape(2, 3);

  test('begins with the values, and folds the descriptor without a script', () => {
    const html = String(renderArrayBundle(a)['text/html']);
    const [first, fold] = html.split('<details>') as [string, string];
    expect(first).toBe(`<pre style="white-space:pre;overflow-x:auto">${String(a)}</pre>`);
    expect(fold).toContain('<summary><b>Descriptor, streams, statistics</b></summary>');
    expect(fold).toContain('<b>typestr</b>');
    expect(html).not.toMatch(/<(script|style)|\son\w+=|<details open/);
  });

  test('has the rest one click away', () => {
    const html = String(renderArrayBundle(a)['text/html']);
    expect(html).toMatch(/<details><summary><b>Absent: descr, mask, event<\/b>/);
    const masked = String(
      renderArrayBundle(a.withMask(ones([2, 3], { ...sim, dtype: 'bool' })))['text/html']
    );
    expect(masked).toMatch(/<details><summary><b>Absent: descr, event<\/b>/);
  });

  test('explains hidden values', () => {
    const holes = zeros(2000, sim);
    holes.slice('500:503').fill(NaN);
    expect(String(renderArrayBundle(holes)['text/html'])).toContain('(contains 3 NaN)');
  });

  test('contains the text for the pictures of a page', () => {
    const described = renderArrayBundle(a)[ARRAY_MIME_TYPE] as ArrayDescription;
    expect(described.text).toBe(String(a));
    expect(described.descriptor.length).toBeGreaterThan(5);
  });
});

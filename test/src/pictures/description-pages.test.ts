import { readBytes } from '../../../src/pictures/array/bytes-page.ts';
import { readValues } from '../../../src/pictures/array/values-page.ts';
import { placementsIn } from '../../../src/layout/byte-map.ts';
import { arange, array, recordDType, zeros } from '../../../src/index.ts';

const sim = { device: 'sim:0' } as const;
const all = { rows: 16, columns: 8 };

describe('pages of values', () => {
  test('cover the last two axes, from a cell or an index', () => {
    const a = arange(3 * 40 * 20, { ...sim, dtype: 'int32' }).reshape(3, 40, 20);
    const page = readValues(a, { ...all, index: [2, 17, 9] });
    expect(page).toMatchObject({ leading: [2], row: 16, column: 8, height: 40, width: 20, cursor: [17, 9] });
    expect(page.cells).toHaveLength(16);
    expect(page.cells[1]?.[1]).toBe(String(2 * 800 + 17 * 20 + 9));
    const last = readValues(a, { ...all, leading: [1], row: 39, column: 19 });
    expect([last.row, last.column, last.cells.length, last.cells[0]?.length]).toEqual([32, 16, 8, 4]);
  });

  test('one axis is folded', () => {
    const page = readValues(arange(20, sim), { ...all, index: [11] });
    expect(page).toMatchObject({ height: 3, width: 8, cursor: [1, 3] });
    expect(page.cells.map(row => row.length)).toEqual([8, 8, 4]);
    expect(page.cells[1]?.[3]).toBe('11');
    expect(readValues(arange(3, sim), all)).toMatchObject({ height: 1, width: 3 });
  });

  test('one axis is folded as wide as there is room, at round numbers', () => {
    const folds = [1, 3, 7, 8, 15, 16, 30, NaN].map(
      columns => readValues(arange(100, sim), { rows: 16, columns }).width
    );
    expect(folds).toEqual([1, 2, 4, 8, 8, 16, 24, 1]);
    const page = readValues(arange(100, sim), { rows: 2, columns: 24, index: [51] });
    expect(page).toMatchObject({ height: 5, width: 24, row: 2, column: 0, cursor: [2, 3] });
    expect(page.cells.map(row => [row[0], row.length])).toEqual([
      ['48', 24],
      ['72', 24]
    ]);
  });

  test('no axis, no elements and invalid positions are handled', () => {
    expect(readValues(zeros([], sim), { ...all, index: [] })).toMatchObject({
      cells: [['0']],
      height: 1,
      width: 1
    });
    expect(readValues(zeros([0, 4], sim), all)).toMatchObject({ cells: [], copiedBytes: 0 });
    expect(readValues(zeros([4, 4], sim), { ...all, row: NaN, column: -5, leading: [9] })).toMatchObject({
      row: 0,
      column: 0
    });
    for (const index of [[4, 0], [0], [0, -1], [0.5, 0]])
      expect(() => readValues(zeros([4, 4], sim), { ...all, index })).toThrow('There is no element');
  });

  test('special values have texts', () => {
    const a = array([NaN, Infinity, -Infinity, -0, 0, 1], sim);
    const mask = array([1, 1, 1, 1, 1, 0], sim);
    expect(readValues(a.withMask(mask), all).cells).toEqual([
      ['NaN', 'Infinity', '-Infinity', '-0', '0', '--']
    ]);
  });

  test('copy at most 64 KiB, however far apart the elements lie, and report how much', () => {
    const wide = zeros([64, 2 ** 14], { ...sim, dtype: 'uint8' });
    const sparse = wide.slice(null, '::1000');
    const page = readValues(sparse, { rows: 64, columns: 16 });
    expect(page.copiedBytes).toBeLessThanOrEqual(page.cells.flat().length * 4);
    const large = readValues(zeros([5000, 5000], sim), { rows: 1e9, columns: 1e9 });
    expect(large.copiedBytes).toBeLessThanOrEqual(65_536);
    expect(large.copiedBytes).toBe(large.cells.flat().length * 8);
    expect(() => readValues(zeros(2, { ...sim, dtype: '|S70000' }), all)).toThrow('too many to show');
  });

  test('a fold of large elements copies no more than 64 KiB either, and is paged by columns', () => {
    const a = array(
      Array.from({ length: 60 }, (_, at) => String(at)),
      { ...sim, dtype: '|S5000' }
    ).slice('::3');
    const page = readValues(a, { ...all, index: [11] });
    expect(page.copiedBytes).toBeLessThanOrEqual(65_536);
    expect(page).toMatchObject({ row: 1, column: 3, height: 3, width: 8, cursor: [1, 3] });
    expect(page.cells).toEqual([['"33"', '"36"', '"39"']]);
    expect(readValues(a, { ...all, row: 1, column: 7 })).toMatchObject({
      column: 6,
      cells: [['"42"', '"45"']]
    });
    expect(readValues(a, { ...all, row: 2, column: 7 })).toMatchObject({
      row: 2,
      column: 3,
      cells: [['"57"']]
    });
  });

  test('views are read by their strides, and reading does not count as use', () => {
    const a = arange(24, { ...sim, dtype: 'int16' }).reshape(4, 6);
    let uses = 0;
    a.onUse(() => uses++);
    const views = [a.T, a.slice('::-1', '::-2'), a.slice(null, '1::2').T, a.slice(1).broadcastTo([3, 6])];
    for (const view of views) expect(readValues(view, all).cells).toEqual(readValues(view.copy(), all).cells);
    readBytes(a, { rows: 1, columns: 16 });
    // The uses of copy(), which reads.
    expect(uses).toBe(views.length);
  });
});

describe('pages of bytes', () => {
  test('have the bytes, the address, and the elements that they belong to', () => {
    const a = array([1, 2, -0.5, 4], { ...sim, dtype: 'float32' });
    const page = readBytes(a.slice('2::-2'), { rows: 16, columns: 16 });
    expect(page.cells[0]?.slice(0, 12).join('')).toBe('0000803f00000040000000bf');
    expect(page.elements).toEqual([
      [0, [1], '1'],
      [8, [0], '-0.5']
    ]);
    expect(page).toMatchObject({
      address: `0x${a.pointer.toString(16)}`,
      number: { bytes: 4, exponent: 8, bias: 127 }
    });
  });

  test('are found by the index of an element, also if the page does not begin with it', () => {
    const a = arange(100, { ...sim, dtype: 'complex128' });
    const page = readBytes(a, { rows: 4, columns: 16, index: [9] });
    expect(page).toMatchObject({ row: 8, cursor: [9, 0], number: { bytes: 8, exponent: 11, bias: 1023 } });
    expect(page.elements.map(([offset, , text]) => [offset, text])).toEqual([
      [128, '8+0j'],
      [144, '9+0j'],
      [160, '10+0j'],
      [176, '11+0j']
    ]);
    const record = recordDType([
      ['x', '<f8'],
      ['tag', '|S5']
    ]);
    const odd = readBytes(zeros(8, { ...sim, dtype: record }), { rows: 1, columns: 16, row: 1 });
    expect(odd.elements[0]?.[0]).toBe(13);
    expect(odd.elements[0]?.[2]).toContain('x: 0');
    expect(odd.number).toBeNull();
  });

  test.each([
    ['float16', 5, 15],
    ['bfloat16', 8, 127],
    ['float8_e4m3fn', 4, 7],
    ['float8_e4m3fnuz', 4, 8],
    ['float8_e4m3b11fnuz', 4, 11],
    ['float8_e5m2', 5, 15],
    ['float8_e3m4', 3, 3],
    ['float8_e8m0fnu', 8, 127],
    ['int32', 0, 0]
  ] as const)('the bits of %s', (dtype, exponent, bias) => {
    expect(readBytes(zeros(2, { ...sim, dtype }), { rows: 1, columns: 16 }).number).toMatchObject({
      exponent,
      bias
    });
  });

  test('an array without memory has none', () => {
    expect(() => readBytes(zeros(0, sim), { rows: 1, columns: 16 })).toThrow('no memory');
  });
});

test('elements in a window agree with a search of every element', () => {
  let state = 3;
  const random = (most: number): number => (state = (state * 48_271) % 2_147_483_647) % most;
  for (let round = 0; round < 400; round++) {
    const shape = Array.from({ length: random(4) }, () => 1 + random(5));
    const strides = shape.map(() => random(61) - 30);
    const itemsize = 1 + random(9);
    const first = 1500;
    const [start, length] = [1300 + random(400), 1 + random(64)];
    const brute = new Set<number>();
    const visit = (axis: number, offset: number): void => {
      if (axis === shape.length) {
        if (offset < start + length && offset + itemsize > start) brute.add(offset);
        return;
      }
      for (let at = 0; at < (shape[axis] as number); at++)
        visit(axis + 1, offset + at * (strides[axis] as number));
    };
    visit(0, first);
    const found = placementsIn({ shape, strides, itemsize, offset: first }, start, start + length, 10_000);
    expect(new Set(found.map(({ offset }) => offset))).toEqual(brute);
    for (const { index, offset } of found)
      expect(index.reduce((sum, at, axis) => sum + at * (strides[axis] as number), first)).toBe(offset);
  }
  expect(placementsIn({ shape: [0, 3], strides: [4, 4], itemsize: 4, offset: 0 }, 0, 100, 9)).toEqual([]);
});

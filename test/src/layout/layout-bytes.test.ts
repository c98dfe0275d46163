import {
  indexOf,
  offsetOf,
  ordinalOf,
  placementsIn,
  runsIn,
  sharing,
  warpTouch,
  type Layout
} from '../../../src/layout/byte-map.ts';
import { sizeOf } from '../../../src/layout/shape.ts';

/** Every element's first byte and index, computed with plain loops. */
function everyElement(layout: Layout): { offset: number; index: number[] }[] {
  return Array.from({ length: sizeOf(layout.shape) }, (_, ordinal) => {
    let rest = ordinal;
    const index: number[] = [];
    for (const length of [...layout.shape].reverse()) {
      index.unshift(rest % length);
      rest = Math.floor(rest / length);
    }
    const offset = index.reduce((at, i, axis) => at + i * (layout.strides[axis] as number), layout.offset);
    return { offset, index };
  });
}

/** A small seeded generator, so that a failure can be reproduced. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function randomLayout(next: (below: number) => number): Layout {
  const itemsize = [1, 2, 4, 8, 12][next(5)] as number;
  const axes = next(5);
  const shape = Array.from({ length: axes }, () => next(5));
  const strides = shape.map(() => (next(13) - 6) * (next(4) === 0 ? 1 : itemsize));
  return { shape, strides, offset: 200 + next(40), itemsize };
}

describe('elements of a byte', () => {
  test('rules 22 to 24, 30: a thousand random layouts agree with plain loops, byte by byte', () => {
    const next = numbers(7);
    let shared = 0;
    for (let round = 0; round < 1000; round++) {
      const layout = randomLayout(next);
      const elements = everyElement(layout);
      const start = 100 + next(200);
      const end = start + next(60);
      const touching = elements.filter(({ offset }) => offset + layout.itemsize > start && offset < end);
      const expected = new Map<number, { index: number[]; count: number }>();
      if (end > start)
        for (const { offset, index } of touching) {
          const known = expected.get(offset);
          if (known === undefined) expected.set(offset, { index, count: 1 });
          else known.count += 1;
        }
      shared += [...expected.values()].some(({ count }) => count > 1) ? 1 : 0;
      const label = JSON.stringify({ layout, start, end });
      const found = placementsIn(layout, start, end, 10_000);
      expect([label, found.map(({ offset, index, count }) => [offset, index, count])]).toEqual([
        label,
        [...expected].sort((a, b) => a[0] - b[0]).map(([offset, { index, count }]) => [offset, index, count])
      ]);
    }
    expect(shared).toBeGreaterThan(20);
  });

  test('runs cover a range without holes, with the elements of each byte', () => {
    const next = numbers(11);
    for (let round = 0; round < 300; round++) {
      const layout = randomLayout(next);
      const elements = everyElement(layout);
      const start = 100 + next(200);
      const end = start + 1 + next(60);
      const runs = runsIn(layout, start, end);
      expect(runs[0]?.start).toBe(start);
      expect(runs.at(-1)?.end).toBe(end);
      for (const [at, run] of runs.entries()) {
        if (at > 0) expect(run.start).toBe(runs[at - 1]?.end);
        for (let byte = run.start; byte < run.end; byte++) {
          const here = elements.filter(({ offset }) => offset <= byte && byte < offset + layout.itemsize);
          expect(run.places.map(place => place.offset)).toEqual(
            [...new Set(here.map(({ offset }) => offset))].sort((a, b) => a - b)
          );
          expect(run.places.reduce((sum, place) => sum + place.count, 0)).toBe(here.length);
        }
      }
    }
  });

  test('a search in an array of a hundred million elements visits only nearby ones', () => {
    const layout: Layout = {
      shape: [1000, 10, 10_000],
      strides: [-800_000, 80_000, 8],
      offset: 799_200_000,
      itemsize: 8
    };
    expect(placementsIn(layout, 799_200_008, 799_200_009, 9)).toEqual([
      { offset: 799_200_008, index: [0, 0, 1], count: 1 }
    ]);
  });

  test('stride 0 counts every repetition in one place', () => {
    const layout = { shape: [3, 4], strides: [0, 4], offset: 0, itemsize: 4 };
    expect(placementsIn(layout, 4, 5, 9)).toEqual([{ offset: 4, index: [0, 1], count: 3 }]);
  });
});

test('index, order and byte of an element convert into each other', () => {
  const layout = { shape: [2, 3, 4], strides: [96, -32, 8], offset: 64, itemsize: 8 };
  for (const [ordinal, { offset, index }] of everyElement(layout).entries()) {
    expect(indexOf(layout.shape, ordinal)).toEqual(index);
    expect(ordinalOf(layout.shape, index)).toBe(ordinal);
    expect(offsetOf(layout, index)).toBe(offset);
  }
});

describe('two arrays of one block', () => {
  test('a thousand random pairs agree with plain sets of bytes', () => {
    const next = numbers(3);
    const seen = new Set<string>();
    for (let round = 0; round < 1000; round++) {
      const [one, other] = [randomLayout(next), randomLayout(next)];
      const bytesOf = (layout: Layout): Set<number> =>
        new Set(
          everyElement(layout).flatMap(({ offset }) =>
            Array.from({ length: layout.itemsize }, (_, byte) => offset + byte)
          )
        );
      const [mine, theirs] = [bytesOf(one), bytesOf(other)];
      const meet =
        mine.size > 0 &&
        theirs.size > 0 &&
        Math.max(...mine) >= Math.min(...theirs) &&
        Math.max(...theirs) >= Math.min(...mine);
      const expected = !meet ? 'apart' : [...mine].some(byte => theirs.has(byte)) ? 'shared' : 'interleaved';
      const label = JSON.stringify({ one, other });
      expect([label, sharing(one, other)]).toEqual([label, expected]);
      seen.add(expected);
    }
    expect(seen.size).toBe(3);
  });

  test('even and odd elements of very large arrays are proven disjoint', () => {
    const even = { shape: [1e8], strides: [8], offset: 0, itemsize: 4 };
    expect(sharing(even, { ...even, offset: 4 })).toBe('interleaved');
    expect(sharing(even, { ...even, offset: 8 })).toBe('shared');
    const many = { shape: [1e6], strides: [12], offset: 0, itemsize: 4 };
    const late = { shape: [2, 2], strides: [-1, 11_999_992], offset: 5, itemsize: 1 };
    expect(sharing(many, late)).toBe('unknown');
  });
});

describe('a warp of 32 threads', () => {
  const row = (strides: number[], shape: number[], itemsize = 4, address = 0) =>
    warpTouch({ shape, strides, offset: 0, itemsize }, sizeOf(shape), address);

  test.each([
    ['side by side', row([4], [64]), 1, 4, 1, 4],
    ['backwards', row([-4], [64], 4, 4 * 63), 1, 4, 1, 4],
    ['every second', row([8], [64]), 2, 8, 1, 4],
    ['a column', row([128, 4], [64, 1]), 32, 32, 1, 4],
    ['from the middle of a line', row([4], [64], 4, 64), 2, 4, 1, 4],
    ['one place', row([0], [64]), 1, 1, 1, 4],
    ['fewer elements than threads', row([8], [3], 8), 1, 1, 1, 1],
    ['elements wider than a sector', row([48], [4], 48), 2, 6, 2, 6]
  ])('%s', (_name, touch, lines, sectors, bestLines, bestSectors) => {
    expect(touch).toMatchObject({ lines, sectors, bestLines, bestSectors });
  });
});

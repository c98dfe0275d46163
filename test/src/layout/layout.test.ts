import { IndexError, ShapeError } from '../../../src/base/errors.ts';
import { copyStrided } from '../../../src/layout/copy.ts';
import { toAxis } from '../../../src/compute/program/axes.ts';
import { formatShape, sizeOf, toShape, type Shape } from '../../../src/layout/shape.ts';
import { sliceIndices, sliceView, transposeView, type SliceArgument } from '../../../src/layout/slice.ts';
import {
  extentOf,
  isColumnMajor,
  isRowMajor,
  mayOverlap,
  reshapedStrides,
  rowMajorStrides,
  type Strides
} from '../../../src/layout/strides.ts';

/** Byte offset of every element, in row-major order. */
function offsets(shape: Shape, strides: Strides, first = 0): number[] {
  if (shape.length === 0) return [first];
  const [length, ...inner] = shape as [number, ...number[]];
  const [step, ...steps] = strides as [number, ...number[]];
  return Array.from({ length }, (_, i) => offsets(inner, steps, first + i * step)).flat();
}

const LAYOUTS: readonly (readonly [Shape, Strides])[] = [
  [[], []],
  [[5], [8]],
  [[5], [-8]],
  [
    [3, 4],
    [16, 4]
  ],
  [
    [3, 4],
    [4, 12]
  ],
  [
    [3, 4],
    [0, 4]
  ],
  [
    [3, 4],
    [0, 0]
  ],
  [
    [3, 4],
    [-16, -4]
  ],
  [
    [3, 1, 4],
    [16, 999, 4]
  ],
  [
    [2, 3, 4],
    [96, -32, 8]
  ],
  [
    [3, 4],
    [20, 4]
  ],
  [
    [3, 4],
    [6, 4]
  ],
  [
    [0, 4],
    [16, 4]
  ]
];

describe('shape', () => {
  test.each([[[-1]], [[2, 1.5]], [[NaN]], [[Infinity]], [['3']], [[null]], [[2n ** 60n]], [-1], [1.5]])(
    'rule 16: %p is refused, naming the dimension',
    shape => {
      expect(() => toShape(shape as number[])).toThrow(ShapeError);
      expect(() => toShape(shape as number[])).toThrow(/dimension \d+ /);
    }
  );

  test('rule 16: the product is checked for overflow, but a zero dimension makes any shape empty', () => {
    expect(() => toShape([2 ** 30, 2 ** 30])).toThrow('2^53 - 1 elements');
    expect(sizeOf(toShape([2 ** 30, 2 ** 30, 0]))).toBe(0);
  });

  test('rule 15: () has one element; rule 31: 65 dimensions are refused', () => {
    expect(sizeOf(toShape([]))).toBe(1);
    expect(() => toShape(new Array<number>(65).fill(1))).toThrow('at most 64');
  });

  test('bigints, bare numbers, axes and text are accepted', () => {
    expect(toShape([3n, 2])).toEqual([3, 2]);
    expect(toShape(7)).toEqual([7]);
    expect([formatShape([]), formatShape([3]), formatShape([3, 4])]).toEqual(['()', '(3,)', '(3, 4)']);
    expect(toAxis(-1, 3)).toBe(2);
    expect(() => toAxis(3, 3)).toThrow(IndexError);
  });
});

test('shapes and strides are frozen copies, also those of equal lists', () => {
  const list = [2, 3];
  const shape = toShape(list);
  const again = toShape([2, 3]);
  list[0] = 9;
  expect([shape, again, toShape(list), toShape([2]), toShape([2, 3])]).toEqual([
    [2, 3],
    [2, 3],
    [9, 3],
    [2],
    [2, 3]
  ]);
  expect([shape, again].every(Object.isFrozen)).toBe(true);
  const strides = [
    [shape, 4],
    [shape, 4],
    [shape, 8],
    [toShape([9, 3]), 8],
    [toShape([4, 0, 2]), 1],
    [toShape([4, 1, 2]), 1]
  ].map(([of, itemsize]) => rowMajorStrides(of as Shape, itemsize as number));
  expect(strides).toEqual([
    [12, 4],
    [12, 4],
    [24, 8],
    [24, 8],
    [2, 2, 1],
    [2, 2, 1]
  ]);
  expect(strides.every(Object.isFrozen)).toBe(true);
});

describe('strides', () => {
  test.each(LAYOUTS)('rule 24: extent of %p %p is exactly the bytes touched', (shape, strides) => {
    const touched = offsets(shape, strides);
    const expected =
      touched.length === 0
        ? { start: 0, end: 0 }
        : { start: Math.min(...touched), end: Math.max(...touched) + 4 };
    expect(extentOf(shape, strides, 4)).toEqual(expected);
  });

  test.each(LAYOUTS)('rule 30: overlap of %p %p agrees with the bytes', (shape, strides) => {
    const bytes = offsets(shape, strides).flatMap(offset => [0, 1, 2, 3].map(i => offset + i));
    expect(mayOverlap(shape, strides, 4)).toBe(new Set(bytes).size !== bytes.length);
  });

  test('rules 17, 21, 28: contiguity is tested in both orders, and axes of length 1 and empty arrays do not count', () => {
    expect(isRowMajor([3, 4], rowMajorStrides([3, 4], 8), 8)).toBe(true);
    expect(isRowMajor([1, 4], [999, 4], 4)).toBe(true);
    expect(isColumnMajor([4, 1], [4, 999], 4)).toBe(true);
    expect(isColumnMajor([3, 4], [4, 12], 4)).toBe(true);
    expect(isRowMajor([0, 4], [1, 1], 4)).toBe(true);
    expect(isRowMajor([3], [-4], 4)).toBe(false);
  });

  test('rule 19: stride 0 is not contiguous unless its axis has one element', () => {
    for (const strides of [
      [0, 8],
      [0, 0],
      [8, 0]
    ])
      expect(isRowMajor([3, 4], strides, 8)).toBe(false);
    expect(isRowMajor([3], [0], 8)).toBe(false);
    expect(isRowMajor([1], [0], 8)).toBe(true);
  });

  test('reshape keeps the order of elements, or refuses', () => {
    const cases: readonly (readonly [Shape, Strides, Shape])[] = [
      [
        [3, 4],
        [16, 4],
        [2, 6]
      ],
      [[3, 4], [32, 8], [12]],
      [
        [3, 4],
        [32, 8],
        [3, 2, 2]
      ],
      [
        [6, 4],
        [4, 24],
        [2, 3, 4]
      ],
      [
        [6, 4],
        [-16, 4],
        [2, 3, 1, 4]
      ],
      [
        [2, 3],
        [0, 4],
        [1, 2, 3]
      ],
      [[1], [4], [1, 1, 1]],
      [[1, 1], [4, 4], []]
    ];
    for (const [shape, strides, target] of cases) {
      expect(offsets(target, reshapedStrides(shape, strides, target, 4))).toEqual(offsets(shape, strides));
    }
    expect(() => reshapedStrides([3, 4], [4, 12], [12], 4)).toThrow(ShapeError);
  });
});

describe('slice', () => {
  /** Python's result by definition: step from start while inside. */
  function python(start: number | null, stop: number | null, step: number, length: number): number[] {
    const forward = step > 0;
    const clamp = (value: number): number => {
      const absolute = value < 0 ? value + length : value;
      return forward ? Math.min(Math.max(absolute, 0), length) : Math.min(Math.max(absolute, -1), length - 1);
    };
    const from = start === null ? (forward ? 0 : length - 1) : clamp(start);
    const to = stop === null ? (forward ? length : -1) : clamp(stop);
    const indices: number[] = [];
    for (let i = from; forward ? i < to : i > to; i += step) indices.push(i);
    return indices;
  }

  test('agrees with the definition for every small start, stop, step and length', () => {
    const bounds = [null, -7, -5, -1, 0, 1, 3, 5, 8];
    for (const length of [0, 1, 5])
      for (const start of bounds)
        for (const stop of bounds)
          for (const step of [-3, -2, -1, 1, 2, 7]) {
            const { first, count, step: used } = sliceIndices([start, stop, step], length);
            const indices = Array.from({ length: count }, (_, i) => first + i * used);
            expect(indices).toEqual(python(start, stop, step, length));
          }
  });

  test('has text, tuples and null with the same meaning', () => {
    const view = (argument: SliceArgument) => sliceView([10], [4], [argument]);
    expect(view('1:8:2')).toEqual(view([1, 8, 2]));
    expect(view('::-1')).toEqual(view([null, null, -1]));
    expect(view(' 2 : ')).toEqual(view([2]));
    expect(view(null)).toEqual(view(':'));
  });

  test('an integer drops its axis, an empty result keeps the address', () => {
    expect(sliceView([3, 4], [16, 4], [1, '::-1'])).toEqual({ shape: [4], strides: [-4], offset: 16 + 12 });
    expect(sliceView([3, 4], [16, 4], [-1])).toEqual({ shape: [4], strides: [4], offset: 32 });
    expect(sliceView([3, 4], [16, 4], ['2:2', 3])).toEqual({ shape: [0], strides: [16], offset: 0 });
  });

  test.each([
    [[3]],
    [[-4]],
    [[0.5]],
    [['1']],
    [['a:b']],
    [['::0']],
    [['1:2:3:4']],
    [[0, 0, 0]],
    [[[0.5, 2]]]
  ])('%p is refused', arguments_ => {
    expect(() => sliceView([3, 4], [16, 4], arguments_ as unknown as SliceArgument[])).toThrow(IndexError);
  });

  test('transpose reverses or permutes, and refuses axes named twice', () => {
    expect(transposeView([2, 3, 4], [48, 16, 4], [])).toEqual({
      shape: [4, 3, 2],
      strides: [4, 16, 48],
      offset: 0
    });
    expect(transposeView([2, 3, 4], [48, 16, 4], [1, -1, 0]).shape).toEqual([3, 4, 2]);
    for (const axes of [
      [0, 0, 1],
      [0, 1],
      [0, 1, 3]
    ]) {
      expect(() => transposeView([2, 3, 4], [48, 16, 4], axes)).toThrow(IndexError);
    }
  });
});

describe('copyStrided', () => {
  test.each(LAYOUTS.filter(([shape, strides]) => !mayOverlap(shape, strides, 4)))(
    'gathers and scatters %p %p',
    (shape, strides) => {
      const { start, end } = extentOf(shape, strides, 4);
      const bytes = Uint8Array.from({ length: end - start }, (_, i) => i + 1);
      const compact = rowMajorStrides(shape, 4);
      const gathered = new Uint8Array(sizeOf(shape) * 4);
      copyStrided(
        shape,
        4,
        { bytes, first: -start, strides },
        { bytes: gathered, first: 0, strides: compact }
      );
      expect([...gathered]).toEqual(
        offsets(shape, strides, -start).flatMap(at => [...bytes.subarray(at, at + 4)])
      );
      const back = new Uint8Array(end - start);
      copyStrided(
        shape,
        4,
        { bytes: gathered, first: 0, strides: compact },
        { bytes: back, first: -start, strides }
      );
      for (const at of offsets(shape, strides, -start))
        expect(back.subarray(at, at + 4)).toEqual(bytes.subarray(at, at + 4));
    }
  );
});

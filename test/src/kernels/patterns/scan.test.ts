/** cuda.scan: running results of a function of two elements. */

import { arange, ArgumentError, array, cuda, IndexError, ones, zeros } from '../../../../src/index.ts';

const running = cuda.scan((a: number, b: number) => a + b);
/** Associative, and not commutative: the last one. */
const last = cuda.scan((_: number, b: number) => b);
const first = cuda.scan((a: number, _: number) => a);
/** Functions v → p·v + q modulo 251, composed: p and q in the upper and lower half of a number. */
const compose = (a: number, b: number): number => {
  const p = (((a >> 8) & 255) * ((b >> 8) & 255)) % 251;
  const q = (((b >> 8) & 255) * (a & 255) + (b & 255)) % 251;
  return (p << 8) | q;
};

test.each([[1], [2], [31], [32], [33], [255], [256], [257], [511], [513], [65_536], [65_537], [70_000]])(
  '%d elements',
  length => {
    const found = running(ones(length, { dtype: 'int32' })).toNested() as number[];
    expect(found.every((each, index) => each === index + 1)).toBe(true);
    expect(found).toHaveLength(length);
    const x = arange(length, { dtype: 'int32' });
    expect(last(x).toNested()).toEqual(x.toNested());
    expect((first(x).toNested() as number[]).every(each => each === 0)).toBe(true);
  }
);

test('keeps the order of elements', () => {
  const values = Array.from(
    { length: 70_000 },
    (_, i) => ((((i * 7919) % 250) + 1) << 8) | ((i * 104_729) % 251)
  );
  let sum = values[0]!;
  const expected = values.map((each, index) => (sum = index === 0 ? each : compose(sum, each)));
  const found = cuda
    .scan(compose)(array(values, { dtype: 'int32' }))
    .toNested() as number[];
  expect(found.findIndex((each, index) => each !== expected[index])).toBe(-1);
});

test.each([[0], [1], [2], [-1]])('along axis %d', axis => {
  const x = arange(2 * 300 * 3, { dtype: 'int32' }).reshape(2, 300, 3);
  const values = x.toNested() as number[][][];
  const at = (i: number, j: number, k: number): number => values[i]![j]![k]!;
  const along = axis < 0 ? axis + 3 : axis;
  const expected = values.map((plane, i) =>
    plane.map((row, j) =>
      row.map((_, k) => {
        const index = [i, j, k];
        let sum = 0;
        for (let step = 0; step <= [i, j, k][along]!; step++) {
          index[along] = step;
          sum += at(...(index as [number, number, number]));
        }
        return sum;
      })
    )
  );
  expect(running(x, { axis }).toNested()).toEqual(expected);
});

test.each([
  ['uint8', [200, 100, 5], [200, 44, 49]],
  ['float16', [0.5, 0.25, 2], [0.5, 0.75, 2.75]],
  ['float64', [0.1, 0.2], [0.1, 0.1 + 0.2]],
  ['int64', [2n ** 60n, 1n], [2n ** 60n, 2n ** 60n + 1n]]
] as const)('%s', (dtype, values, expected) => {
  const result = running(array(values as unknown as number[], { dtype }));
  expect([result.dtype.name, result.toNested()]).toEqual([dtype, expected]);
});

test('strided arrays, out, and an operand as out', () => {
  const x = arange(600, { dtype: 'int32' });
  const mirrored = running(x.slice('::-1')).toNested() as number[];
  expect([mirrored[0], mirrored[1], mirrored[599]]).toEqual([599, 1197, 179_700]);
  const out = zeros(1200, { dtype: 'int32' });
  running(x, { out: out.slice('::2') });
  expect([out.item(2), out.item(3), out.item(1198)]).toEqual([1, 0, 179_700]);
  running(x, { out: x });
  expect(x.item(599)).toBe(179_700);
});

test('arrays without elements', () => {
  expect(running(zeros(0, { dtype: 'int32' })).shape).toEqual([0]);
  expect(running(zeros([0, 5], { dtype: 'int32' }), { axis: 1 }).shape).toEqual([0, 5]);
  expect(running(zeros([5, 0], { dtype: 'int32' }), { axis: 1 }).shape).toEqual([5, 0]);
});

test.each([
  ['no function', () => cuda.scan('a' as never), ArgumentError, 'cuda.scan: expected a function'],
  [
    'a function of three',
    () => cuda.scan((a: number, b: number, c: number) => a + b + c),
    ArgumentError,
    'a function of 2 elements, not of 3'
  ],
  [
    'several axes without a choice',
    () => running(ones([2, 2])),
    IndexError,
    'the array has 2 axes; name one with { axis }'
  ],
  ['an axis that is not there', () => running(ones([2, 2]), { axis: 2 }), IndexError, '']
] as const)('%s is refused', (_, call, type, message) => {
  expect(call).toThrow(type);
  expect(call).toThrow(message);
});

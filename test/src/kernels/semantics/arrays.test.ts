/** Arrays of launches, shared and local memory: axes, strides, narrow elements, lengths. */

import {
  arange,
  array,
  KernelFaultError,
  zeros,
  type DTypeName,
  type NDArray
} from '../../../../src/index.ts';
import { kernelOf } from '../kernel-of.ts';
import { elementwise } from './elementwise.ts';

const one = { grid: 1, block: 1 };
const many = { grid: 4, block: 64 };
const ints = (...shape: number[]): NDArray => zeros(shape, { dtype: 'int32' });

test('two axes', () => {
  const [x, out] = [arange(12, { dtype: 'int32' }).reshape(3, 4), ints(4, 3)];
  const text = `(x: Readonly<DeviceArray<i32, 2>>, out: DeviceArray<i32, 2>) => {
    const [j, i] = cuda.grid(2);
    if (i < x.shape[0] && j < x.shape[1]) out[j][i] = x[i][j] * 100 + x.length * 10 + x[i].length + x.size * 1000;
  }`;
  kernelOf(2, text).launch({ grid: [2, 2], block: [3, 2] }, x, out);
  const expected = arange(12, { dtype: 'int32' }).reshape(3, 4).T.toNested() as number[][];
  expect(out.toNested()).toEqual(expected.map(row => row.map(each => each * 100 + 30 + 4 + 12_000)));
});

test('three and four axes', () => {
  const [x, y] = [ints(2, 3, 4), ints(2, 2, 2, 2)];
  const text = `(x: DeviceArray<i32, 3>, y: DeviceArray<i32, 4>) => {
    const [k, j, i] = cuda.grid(3);
    if (i < 2 && j < 3 && k < 4) x[i][j][k] = i * 100 + j * 10 + k;
    if (i < 2 && j < 2 && k < 4) y[i][j][k >> 1][k & 1] = y.shape[3] * 1000 + i * 100 + j * 10 + k;
  }`;
  kernelOf(2, text).launch({ grid: [1, 1, 2], block: [4, 3, 1] }, x, y);
  expect((x.toNested() as number[][][])[1]![2]).toEqual([120, 121, 122, 123]);
  expect((y.toNested() as number[][][][])[1]![1]).toEqual([
    [2110, 2111],
    [2112, 2113]
  ]);
});

test('a row by a name, though its index changes later', () => {
  const [m, out] = [arange(6, { dtype: 'int32' }).reshape(2, 3), ints(4)];
  const text = `(m: Readonly<DeviceArray<i32, 2>>, out: DeviceArray<i32>) => {
    let i = 1;
    const row = m[i];
    i = 0;
    const first = (r: DeviceArray<i32>) => { i = 5; return r[0]; };
    out[0] = row[2];
    out[1] = first(m[i]);
    i = 1;
    out[2] = m[i][i = 0];
    out[3] = row.length;
  }`;
  kernelOf(2, text).launch(one, m, out);
  expect(out.toNested()).toEqual([5, 0, 3, 3]);
});

describe('views', () => {
  const plus =
    '(x: Readonly<DeviceArray<i32>>, out: DeviceArray<i32>) => { const i = cuda.grid(1); if (i < x.length) out[i] = x[i] + x.length; }';
  const base = arange(20, { dtype: 'int32' });
  test.each([
    ['with a step', base.slice('::3')],
    ['backwards', base.slice('::-1')],
    ['backwards with a step and an offset', base.slice('15:2:-4')],
    ['from the middle', base.slice('5:9')],
    ['repeated', array([7], { dtype: 'int32' }).broadcastTo([5])],
    ['of one element', base.slice('3:4:2')],
    ['of none', base.slice('3:3')]
  ])('%s are read', (_, view) => {
    const out = ints(view.size);
    kernelOf(2, plus).launch(many, view, out);
    expect(out.toNested()).toEqual((view.toNested() as number[]).map(each => each + view.size));
  });

  test('are written', () => {
    const whole = ints(10);
    const set = kernelOf(
      2,
      '(x: DeviceArray<i32>, k: i32) => { const i = cuda.grid(1); if (i < x.length) x[i] = i + k; }'
    );
    set.launch(many, whole.slice('::-2'), 10);
    set.launch(many, whole.slice(':4:2'), 90);
    expect(whole.toNested()).toEqual([90, 14, 91, 13, 0, 12, 0, 11, 0, 10]);
  });

  test('with two axes, transposed and mirrored', () => {
    const m = arange(6, { dtype: 'int32' }).reshape(2, 3);
    const text =
      '(x: Readonly<DeviceArray<i32, 2>>, out: DeviceArray<i32, 2>) => { const [j, i] = cuda.grid(2); if (i < x.shape[0] && j < x.shape[1]) out[i][j] = x[i][j]; }';
    const copy = kernelOf(2, text);
    for (const view of [m.T, m.slice('::-1'), m.slice(null, '::-1'), m.T.slice('::-2')]) {
      const out = ints(...view.shape);
      copy.launch({ grid: 1, block: [4, 4] }, view, out);
      expect(out.toNested()).toEqual(view.toNested());
    }
  });
});

test.each([
  ['i8', [127, -128, -1, 0], [-128, -127, 0, 1]],
  ['u8', [0, 255, 128, 1], [1, 0, 129, 2]],
  ['i16', [32_767, -32_768, -1, 5], [-32_768, -32_767, 0, 6]],
  ['u16', [0, 65_535, 7, 32_768], [1, 0, 8, 32_769]]
] as const)('elements of %s wrap when stored', (element, given, expected) => {
  expect(elementwise('a + 1', element, [[element, given]])).toEqual(expected);
});

test.each([
  ['f16', [1 / 3, 65_504, 65_520, 1e-8, 6e-8], [0.333251953125, 65_504, Infinity, 0, 2 ** -24]],
  ['bf16', [1 / 3, 256.5, 257, 259, 3.4e38], [0.333984375, 256, 256, 260, Infinity]]
] as const)('elements of %s are rounded half to even when stored', (element, given, expected) => {
  expect(elementwise('f32(a)', element, [['f64', given]])).toEqual(expected);
});

test.each([
  [
    'i32(a)',
    'i32',
    [1.9, -1.9, 3e9, -3e9, NaN, Infinity, -Infinity],
    [1, -1, 2 ** 31 - 1, -(2 ** 31), 0, 2 ** 31 - 1, -(2 ** 31)]
  ],
  ['u32(a)', 'u32', [1.9, -1.9, 5e9, 3e9, NaN, Infinity], [1, 0, 2 ** 32 - 1, 3e9, 0, 2 ** 32 - 1]],
  ['a | 0', 'i32', [1.9, -1.9, NaN], [1, -1, 0]],
  ['i64(a)', 'i64', [1.9, -1.9, 1e19, -1e19, NaN], [1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 0n]],
  ['u64(a)', 'u64', [1.9, -1.9, 1e19, 3e19, NaN], [1n, 0n, 10n ** 19n, 2n ** 64n - 1n, 0n]],
  ['i8(a)', 'i32', [100, 200, -200.5], [100, -56, 56]],
  ['u8(a)', 'u32', [100, 300, -1], [100, 44, 0]],
  ['u16(i32(a))', 'u32', [-1, 65_537], [65_535, 1]],
  ['i16(a)', 'i32', [40_000, -5], [-25_536, -5]],
  ['f16(a)', 'f32', [1 / 3, 1e6], [0.333251953125, Infinity]],
  ['f32(a)', 'f64', [0.1], [Math.fround(0.1)]],
  ['Boolean(a)', 'bool', [0, -0, 0.5, NaN], [false, false, true, true]],
  ['i64(i32(a))', 'i64', [-5], [-5n]],
  ['u64(i32(a))', 'u64', [-5], [2n ** 64n - 5n]],
  ['Number(i64(a))', 'f64', [2 ** 60], [2 ** 60]],
  ['i32(i64(a) + 1n)', 'i32', [2 ** 31 - 1], [-(2 ** 31)]],
  ['u32(i32(a))', 'u32', [-1], [2 ** 32 - 1]],
  ['f32(u32(a))', 'f32', [2 ** 32 - 1], [2 ** 32]]
] as const)('the cast %s', (expression, result, given, expected) => {
  expect(elementwise(expression, result, [['f64', given]])).toEqual(expected);
});

test('arrays without elements', () => {
  const text =
    '(x: DeviceArray<i32>, m: DeviceArray<i32, 2>, out: DeviceArray<i32>) => { out[0] = x.length; out[1] = m.shape[1]; out[2] = m.size; if (x.length > 0) x[0] = 1; }';
  const out = ints(3);
  kernelOf(3, text).launch(one, ints(0), ints(0, 7), out);
  expect(out.toNested()).toEqual([0, 7, 0]);
});

test('dynamic shared memory is as long as the launch says, and its arrays share it', () => {
  const text = `(out: DeviceArray<i32>) => {
    const s = cuda.dynamicShared(i32);
    const f = cuda.dynamicShared(f32);
    const t = cuda.threadIdx.x;
    s[t] = t * t;
    cuda.syncThreads();
    out[t] = s[s.length - 1 - t];
    cuda.syncThreads();
    if (t === 0) { f[0] = 1; out[0] = s[0]; }
  }`;
  const out = ints(8);
  const kernel = kernelOf(1, text);
  kernel.launch({ grid: 1, block: 8, sharedBytes: 32 }, out);
  expect(out.toNested()).toEqual([0x3f80_0000, 36, 25, 16, 9, 4, 1, 0]);
  kernel.launch({ grid: 1, block: 8, sharedBytes: 28 }, out);
  expect(() => out.toNested()).toThrow(KernelFaultError);
});

test('shared memory belongs to a block, local memory to a thread', () => {
  const text = `(out: DeviceArray<i32>) => {
    const s = cuda.shared(i32, 2, 4);
    const own = cuda.local(i32, 4);
    const t = cuda.threadIdx.x;
    s[t >> 2][t & 3] = cuda.grid(1);
    for (let i = 0; i < own.length; i++) own[i] = t * 10 + i;
    cuda.syncThreads();
    let sum = 0;
    for (let i = 0; i < 4; i++) sum += own[i];
    out[cuda.grid(1)] = s[1 - (t >> 2)][3 - (t & 3)] * 1000 + sum;
  }`;
  const out = ints(16);
  kernelOf(1, text).launch({ grid: 2, block: 8 }, out);
  const expected = Array.from({ length: 16 }, (_, i) => ((i & 8) + 7 - (i & 7)) * 1000 + (i & 7) * 40 + 6);
  expect(out.toNested()).toEqual(expected);
});

test.each(['float16', 'bfloat16', 'uint8', 'bool', 'int64', 'float64'] as const)(
  'shared memory of %s',
  dtype => {
    const element = {
      float16: 'f16',
      bfloat16: 'bf16',
      uint8: 'u8',
      bool: 'Boolean',
      int64: 'i64',
      float64: 'f64'
    }[dtype];
    const type = element === 'Boolean' ? '' : `<${element}>`;
    const values =
      dtype === 'bool'
        ? [true, false, true]
        : dtype === 'int64'
          ? [1n, -1n, 5n]
          : [1, 2.5, 200].map(each => (dtype === 'uint8' ? Math.floor(each) : each));
    const [x, out] = [array(values as number[], { dtype }), zeros(3, { dtype: dtype as DTypeName })];
    const text = `(x: DeviceArray${type}, out: DeviceArray${type}) => { const s = cuda.shared(${element}, 3); const t = cuda.threadIdx.x; s[t] = x[t]; cuda.syncThreads(); out[t] = s[2 - t]; }`;
    kernelOf(2, text).launch({ grid: 1, block: 3 }, x, out);
    expect(out.toNested()).toEqual(values.toReversed());
  }
);

test('a stored element of another integer type wraps as in a typed array', () => {
  const text = '(u: DeviceArray<u32>, n: DeviceArray<i32>) => { const big = u[0]; n[0] = big; u[1] = n[1]; }';
  const [u, n] = [array([2 ** 32 - 1, 0], { dtype: 'uint32' }), array([0, -5], { dtype: 'int32' })];
  kernelOf(2, text).launch(one, u, n);
  expect([u.item(1), n.item(0)]).toEqual([2 ** 32 - 5, -1]);
});

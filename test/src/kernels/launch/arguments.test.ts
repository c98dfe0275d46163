/** What a launch accepts for the parameters of a kernel, and what it refuses. */

import {
  ArgumentError,
  array,
  asCudaArray,
  cuda,
  FreedError,
  KernelError,
  zeros,
  type NDArray
} from '../../../../src/index.ts';
import { printedBy } from '../../../setup/repository.ts';
import { kernelOf, type AnyBody } from '../kernel-of.ts';

type Arguments = Parameters<AnyBody>;
const one = { grid: 1, block: 1 };
const floats = (length = 3): NDArray => zeros(length, { dtype: 'float32' });
const set = kernelOf(2, '(x: DeviceArray<f32>, s: f32) => { x[0] = s; }');

test.each([
  ['a float as f32', 'f32', 0.1, 'float32', Math.fround(0.1)],
  ['a float as f64', 'f64', 0.1, 'float64', 0.1],
  ['NaN', 'f32', NaN, 'float32', NaN],
  ['-0 as i32', 'i32', -0, 'int32', 0],
  ['the least i32', 'i32', -(2 ** 31), 'int32', -(2 ** 31)],
  ['the greatest u32', 'u32', 2 ** 32 - 1, 'uint32', 2 ** 32 - 1],
  ['the least i64', 'i64', -(2n ** 63n), 'int64', -(2n ** 63n)],
  ['the greatest u64', 'u64', 2n ** 64n - 1n, 'uint64', 2n ** 64n - 1n],
  ['a boolean', 'boolean', true, 'bool', true],
  ['a typed value', 'f32', cuda.float32(2.5), 'float32', 2.5],
  ['a typed value of another type', 'f32', cuda.int32(3), 'float32', 3]
] as const)('%s is passed', (_, type, value, dtype, expected) => {
  const x = zeros(2, { dtype });
  const element = type === 'boolean' ? 'bool' : type;
  const store = kernelOf(
    2,
    `(x: DeviceArray<${element === 'bool' ? '' : element}>, s: ${type}) => { x[1] = s; }`.replace(
      'DeviceArray<>',
      'DeviceArray'
    )
  );
  store.launch(one, x, value);
  expect(x.item(1)).toBe(expected);
});

test.each([
  ['too few', [floats()], 'kernel: expected 2 arguments, not 1'],
  ['too many', [floats(), 1, 2], 'kernel: expected 2 arguments, not 3'],
  ['a text', [floats(), 'a' as unknown as number], ' is "a": expected a'],
  ['null', [floats(), null as unknown as number], ' is null: expected a'],
  ['undefined', [floats(), undefined as unknown as number], ' is undefined: expected a'],
  ['a bigint', [floats(), 1n], 'argument s is 1n: expected a number'],
  ['a boolean', [floats(), true], 'argument s is true: expected a number'],
  [
    'an array of complex numbers',
    [zeros(3, { dtype: 'complex64' }), 1],
    'kernels in TypeScript work on bool, int8'
  ],
  ['an array without axes', [zeros([], { dtype: 'float32' }), 1], 'kernels take arrays with 1 to 4 axes'],
  ['an array with a mask', [floats().withMask(array([true, false, true])), 1], 'withMask(null)']
] as readonly (readonly [string, Arguments, string])[])(
  '%s is refused, before and after a launch',
  (_, values, message) => {
    const fresh = kernelOf(2, '(x: DeviceArray<f32>, s: f32) => { x[0] = s; }');
    const refuse = (): void => fresh.launch(one, ...values);
    expect(refuse).toThrow(ArgumentError);
    expect(refuse).toThrow(message);
    fresh.launch(one, floats(), 1);
    expect(refuse).toThrow(ArgumentError);
    expect(refuse).toThrow(message);
  }
);

test.each([
  ['a number for an array', [1, 1], 'x: expected an array, the launch passes a number'],
  ['an array for a number', [floats(), floats()], 's: expected a number, the launch passes an array'],
  [
    'elements of another type',
    [zeros(3), 1],
    'x is declared with elements of f32, the launch passes float64'
  ],
  [
    'another number of axes',
    [zeros([3, 3], { dtype: 'float32' }), 1],
    'x is declared with 1 axis, the launch passes 2'
  ]
] as readonly (readonly [string, Arguments, string])[])(
  '%s is refused with the place',
  (_, values, message) => {
    const refuse = (): void => set.launch(one, ...values);
    expect(refuse).toThrow(KernelError);
    expect(refuse).toThrow(message);
    expect(refuse).toThrow('cell 1, line 1');
  }
);

test.each([
  ['i32', 0.5, 'expected a whole number (i32)'],
  ['i32', 2 ** 31, '-2147483648 to 2147483647 (i32)'],
  ['i32', NaN, 'expected a whole number (i32)'],
  ['i32', 1n, 'expected a whole number (i32)'],
  ['u32', -1, '0 to 4294967295 (u32)'],
  ['i64', 1, 'expected a bigint, such as 1n (i64)'],
  ['i64', 2n ** 63n, 'expected a value of i64'],
  ['u64', -1n, 'expected a value of u64'],
  ['f32', 1n, 'expected a number'],
  ['boolean', 1, 'expected a boolean']
])('for %s, %p is refused', (type, value, message) => {
  const kernel = kernelOf(1, `(s: ${type}) => { if (s === s) return; }`);
  expect(() => kernel.launch(one, value)).toThrow(ArgumentError);
  expect(() => kernel.launch(one, value)).toThrow(message);
});

test.each([
  ['no shape', undefined, 'expected {grid, block} first'],
  ['a list in place of a shape', [1, 32], 'expected {grid, block} first, not a list'],
  ['a shape with other names', { blocks: 1, threads: 1 }, 'expected {grid, block} first, not an object'],
  ['a grid without a block', { grid: 1 }, 'block: expected a whole number from 1, not undefined'],
  ['a grid beyond 31 bits', { grid: 2 ** 31, block: 1 }, 'grid: expected at most 2147483647, not 2147483648'],
  ['an empty grid', { grid: 0, block: 1 }, 'grid: expected a whole number from 1'],
  ['a fraction', { grid: 1.5, block: 1 }, 'grid: expected a whole number'],
  ['four lengths', { grid: [1, 1, 1, 1], block: 1 }, 'grid: expected 1 to 3 lengths'],
  ['too many threads', { grid: 1, block: 2000 }, 'a block has at most 1024 threads'],
  ['too much shared memory', { grid: 1, block: 1, sharedBytes: 1e6 }, 'bytes of shared memory'],
  ['a stream that is none', { grid: 1, block: 1, stream: 5 }, 'stream is 5, expected a Stream']
])('%s is refused', (_, shape, message) => {
  const x = floats();
  expect(() => set.launch(shape as typeof one, x, 1)).toThrow(ArgumentError);
  expect(() => set.launch(shape as typeof one, x, 1)).toThrow(message);
  expect(x.toNested()).toEqual([0, 0, 0]);
});

test.each([
  ['(x, a = 2) => { x[0] = a; }', 1, '~~~~~', 'write no default'],
  ['(...x) => { x[0][0] = 1; }', 0, '~~~~', 'name each parameter'],
  ['({ x }) => { x[0] = 1; }', 1, '~~~~~', 'in the body']
])('%s has parameters that a launch cannot count', (text, length, marked, hint) => {
  const kernel = kernelOf(length, text);
  for (const values of [[floats()], [floats(), 1]]) {
    const refuse = (): void => kernel.launch(one, ...values);
    expect(refuse).toThrow(KernelError);
    expect(refuse).toThrow('a parameter of a kernel is a plain name');
    expect(refuse).toThrow(marked);
    expect(refuse).toThrow(hint);
  }
});

test('a wrong number of arguments is counted in plain English', () => {
  expect(() => set.launch(one, floats())).toThrow('expected 2 arguments, not 1');
  const single = kernelOf(1, '(x: DeviceArray<f32>) => { x[0] = 1; }');
  expect(() => single.launch(one)).toThrow('expected 1 argument, not 0');
});

test.each([
  ['a list', [1, 2]],
  ['a typed array', new Float32Array(2)]
])('%s of the host is refused with what makes an array of it', (_, values) => {
  expect(() => set.launch(one, values, 1)).toThrow('hint: make an array of the device first: array(values)');
});

test('a read-only array is refused with the reason', () => {
  const fixed = floats().broadcastTo([2, 3]);
  const kernel = kernelOf(1, '(m: DeviceArray<f32, 2>) => { m[0][0] = 1; }');
  expect(() => kernel.launch(one, fixed)).toThrow('pass array.copy()');
});

test.each([
  ['a function of JavaScript', Math.sin],
  ['a bound function', (() => undefined).bind(null)],
  ['a class', class {}],
  ['a method', { run(): void {} }.run]
])('%s has no source that a kernel could be made of', (_, body) => {
  const kernel = cuda.kernel(body as () => void);
  expect(() => kernel.launch(one, ...([1].slice(0, (body as () => void).length) as []))).toThrow(
    'no source that a kernel could be made of'
  );
});

test('a kernel that launches a kernel is refused', () => {
  const inner = kernelOf(0, '() => {}');
  const outer = kernelOf(0, '() => { inner.launch({ grid: 1, block: 1 }); }', { inner });
  expect(() => outer.launch(one)).toThrow('a kernel cannot launch a kernel');
  const called = kernelOf(0, '() => { inner(); }', { inner });
  expect(() => called.launch(one)).toThrow('inner is an object, not a function');
});

test('a freed array is refused, before and after a launch', () => {
  const fresh = kernelOf(2, '(x: DeviceArray<f32>, s: f32) => { x[0] = s; }');
  const x = floats();
  fresh.launch(one, x, 1);
  x.dispose();
  expect(() => fresh.launch(one, x, 1)).toThrow(FreedError);
  expect(() => set.launch(one, x, 1)).toThrow(FreedError);
});

test('an array of another device is refused, and a launch runs on the device of its arrays', async () => {
  const module = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
  const code = `
    const { Stream, zeros } = await import(${module('../../../setup/whole-library.ts')});
    const { kernelOf } = await import(${module('../kernel-of.ts')});
    const set = kernelOf(2, '(x: DeviceArray<f32>, s: f32) => { x[0] = s; }');
    const x = zeros(1, { dtype: 'float32', device: 'sim:1' });
    set.launch({ grid: 1, block: 1 }, x, 4);
    let refused = null;
    try {
      set.launch({ grid: 1, block: 1, stream: Stream.legacyDefault('sim:0') }, x, 5);
    } catch (error) {
      refused = [error.name, error.message];
    }
    console.log(JSON.stringify([x.item(), refused]));`;
  expect(await printedBy(code, { STRIDELAB_SIM_DEVICES: '2', STRIDELAB_DEVICE: 'sim:0' })).toEqual([
    4,
    ['DeviceError', 'kernel: argument x is on sim:1 (simulated), but the launch on sim:0 (simulated)']
  ]);
});

describe('objects', () => {
  const put = (): ReturnType<typeof kernelOf> =>
    kernelOf(1, '(p: { x: DeviceArray<f32>, k: { s: f32, n: i32 } }) => { p.x[p.k.n] = p.k.s; }');

  test('may hold objects with __cuda_array_interface__', () => {
    const x = floats();
    const foreign = { __cuda_array_interface__: x.__cuda_array_interface__ };
    put().launch(one, { x: foreign, k: { s: 5, n: 1 } });
    expect(x.toNested()).toEqual([0, 5, 0]);
    kernelOf(1, '(p: [DeviceArray<f32>, f32]) => { p[0][0] = p[1]; }').launch(one, [foreign, 3]);
    expect(x.toNested()).toEqual([3, 5, 0]);
  });

  test('bring the launch to the device of their arrays', async () => {
    const module = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
    const code = `
    const { zeros } = await import(${module('../../../../src/index.ts')});
    const { kernelOf } = await import(${module('../kernel-of.ts')});
    const x = zeros(1, { dtype: 'float32', device: 'sim:1' });
    kernelOf(1, '(p: { in: { x: DeviceArray<f32> } }) => { p.in.x[0] = 4; }').launch({ grid: 1, block: 1 }, { in: { x } });
    console.log(JSON.stringify(x.item()));`;
    expect(await printedBy(code, { STRIDELAB_SIM_DEVICES: '2', STRIDELAB_DEVICE: 'sim:0' })).toBe(4);
  });

  test('that are part of themselves are refused', () => {
    const p: Record<string, unknown> = { x: floats() };
    p['k'] = p;
    expect(() => put().launch(one, p)).toThrow(ArgumentError);
    expect(() => put().launch(one, p)).toThrow('nest at most 16 deep');
  });

  test('pass their fields, and may have more', () => {
    const [x, kernel] = [floats(), put()];
    kernel.launch(one, { x, k: { s: 7, n: 1 } });
    kernel.launch(one, { x, k: { s: 8, n: 2, more: 1 }, y: 1 });
    expect(x.toNested()).toEqual([0, 7, 8]);
  });

  test.each([
    ['a field', { x: floats() }, KernelError, "p: the launch passes no field 'k'"],
    ['a field of a field', { x: floats(), k: { s: 1 } }, KernelError, "p_k: the launch passes no field 'n'"],
    ['an array', { k: { s: 7, n: 1 } }, KernelError, "p: the launch passes no field 'x'"]
  ])('without %s are refused, before and after a launch', (_, value, type, message) => {
    const kernel = put();
    expect(() => kernel.launch(one, value)).toThrow(type);
    expect(() => kernel.launch(one, value)).toThrow(message);
    kernel.launch(one, { x: floats(), k: { s: 1, n: 0 } });
    expect(() => kernel.launch(one, value)).toThrow(type);
    expect(() => kernel.launch(one, value)).toThrow(message);
  });

  test('lists pass as tuples', () => {
    const x = floats();
    kernelOf(2, '(x: DeviceArray<f32>, p: [f32, i32]) => { x[p[1]] = p[0]; }').launch(one, x, [1.5, 2]);
    expect(x.toNested()).toEqual([0, 0, 1.5]);
  });
});

test('parameters without types take those of the launch', () => {
  const kernel = kernelOf(2, '(x, s) => { x[0] = s; }');
  const [x, d] = [floats(), zeros(1)];
  kernel.launch(one, x, cuda.float32(0.1));
  kernel.launch(one, d, cuda.float64(0.1));
  expect([x.item(0), d.item()]).toEqual([Math.fround(0.1), 0.1]);
  expect(() => kernelOf(1, '(s) => { if (s > 0) return; }').launch(one, 5)).toThrow(
    'the type of the number is unknown'
  );
});

test('objects with __cuda_array_interface__ pass as arrays, and stay alive for the launch', () => {
  const x = floats();
  set.launch(one, { __cuda_array_interface__: x.__cuda_array_interface__ }, 42);
  expect(x.item(0)).toBe(42);
});

test('an array that must not be written passes where the kernel reads it only', () => {
  const x = array([5, 6], { dtype: 'float32' });
  const { data } = x.__cuda_array_interface__;
  const guarded = {
    __cuda_array_interface__: { ...x.__cuda_array_interface__, data: [data[0], true] as const }
  };
  using view = asCudaArray(guarded);
  const out = floats();
  const copy = kernelOf(2, '(x: DeviceArray<f32>, y: DeviceArray<f32>) => { y[0] = x[1]; }');
  copy.launch(one, x, out);
  copy.launch(one, view, out);
  expect(out.item(0)).toBe(6);
  expect(() => set.launch(one, view, 1)).toThrow(KernelError);
  expect(() => copy.launch(one, x, view)).toThrow('y is read only');
});

test('a kernel has a name', () => {
  const named = (name: string): string => kernelOf(0, '() => {}', {}, { name }).name;
  expect([String(set), named('smooth'), named('3 a-b'), named('')]).toEqual([
    'kernel kernel',
    'smooth',
    '_3_a_b',
    '_'
  ]);
  expect(() => cuda.kernel(5 as never)).toThrow('cuda.kernel: expected a function, not 5');
  expect(() => cuda.kernel(() => undefined, null as never)).toThrow('cuda.kernel: expected options such as');
  expect(() => cuda.kernel(() => undefined, { nmae: 'scale' } as never)).toThrow("did you mean 'name'?");
  expect(() => cuda.grid(1)).toThrow('cuda.grid works only inside a kernel');
  expect(() => cuda.threadIdx.x).toThrow('cuda.threadIdx.x has a value only inside a kernel');
});

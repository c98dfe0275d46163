/** Array operations on the GPU give the results of the simulated device, which are tested against NumPy's. */

import assert from 'node:assert/strict';

import * as stridelab from 'stridelab';
import {
  array,
  astype,
  concatenate,
  cuda,
  devices,
  matmul,
  RandomGenerator,
  stack,
  take,
  type DTypeName,
  type NDArray
} from 'stridelab';

import { device } from './device.ts';
import { test } from './part.ts';

const simulated = devices().find(({ simulated }) => simulated);
if (simulated === undefined) throw new Error('no simulated device');

const FLOATS = ['float16', 'bfloat16', 'float32', 'float64', 'float8_e4m3fn', 'float8_e5m2'] as const;
const INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'] as const;
const COMPLEX = ['complex64', 'complex128'] as const;
const ALL: readonly DTypeName[] = ['bool', ...INTEGERS, ...FLOATS, ...COMPLEX];

const UNARY_REAL = [
  'rsqrt',
  'cbrt',
  'exp2',
  'expm1',
  'log2',
  'log1p',
  'erf',
  'floor',
  'ceil',
  'trunc',
  'round'
] as const;
const UNARY_ANY = [
  'sqrt',
  'exp',
  'log',
  'log10',
  'sin',
  'cos',
  'tan',
  'asin',
  'acos',
  'atan',
  'sinh',
  'cosh',
  'tanh',
  'asinh',
  'acosh',
  'atanh'
] as const;
const BINARY_REAL = [
  'atan2',
  'hypot',
  'copysign',
  'nextafter',
  'logaddexp',
  'minimum',
  'maximum',
  'floorDivide',
  'remainder'
] as const;
const BINARY_ANY = ['add', 'subtract', 'multiply', 'divide', 'equal', 'notEqual'] as const;
const COMPARE = ['less', 'lessEqual', 'greater', 'greaterEqual'] as const;
const BITS = ['bitwiseAnd', 'bitwiseOr', 'bitwiseXor', 'bitwiseLeftShift', 'bitwiseRightShift'] as const;
const EXACT_UNARY = [
  'negative',
  'abs',
  'sign',
  'square',
  'real',
  'imag',
  'conj',
  'isnan',
  'isinf',
  'isfinite',
  'logicalNot'
] as const;

type Call = (...operands: unknown[]) => NDArray;
const call = (name: string): Call => (stridelab as unknown as Readonly<Record<string, Call>>)[name] as Call;

const numbers = (count: number, seed: number): number[] => {
  let state = seed;
  return Array.from({ length: count }, (_, index) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    if (index % 17 === 3)
      return [NaN, Infinity, -Infinity, -0, 0, 1e-40, 65504, -1][(index / 17) & 7] as number;
    return (state / 2147483648 - 0.5) * 8;
  });
};

function values(dtype: DTypeName, count: number, seed: number): NDArray {
  const on = { device: simulated as NonNullable<typeof simulated> };
  if (dtype === 'bool')
    return array(
      numbers(count, seed).map(value => value > 0),
      { ...on, dtype: 'bool' }
    );
  const isInteger = (INTEGERS as readonly string[]).includes(dtype);
  const source = isInteger
    ? numbers(count, seed).map(value => (Number.isFinite(value) ? Math.round(value * 30) : 7))
    : numbers(count, seed);
  const float = array(source, { ...on, dtype: 'float64' });
  if (dtype.startsWith('complex')) {
    // At infinities libraries give different results.
    const tame = (list: readonly number[]): number[] =>
      list.map(value => (Number.isFinite(value) ? value : 3));
    const real = array(tame(source), { ...on, dtype: 'float64' });
    const imaginary = array(tame(numbers(count, seed + 99)), { ...on, dtype: 'float64' });
    const unit = array([{ re: 0, im: 1 }], { ...on, dtype: 'complex128' });
    return astype(real.add(imaginary.multiply(unit)), dtype);
  }
  return astype(float, dtype);
}

/** Copies the elements to a row-major array on the GPU. */
function toGpu(source: NDArray): NDArray {
  const result = stridelab.empty(source.shape, { dtype: source.dtype, device });
  return result.copyFrom(source);
}

const flat = (value: NDArray): readonly number[] => {
  const wide = astype(value, value.dtype.kind === 'c' ? 'complex128' : 'float64').toTypedArray();
  return Array.from(wide as Float64Array);
};

/** Compares relative to the type's precision; transcendental functions differ by a few units in the last place. */
const EPSILON: Readonly<Record<string, number>> = {
  float16: 2 ** -10,
  bfloat16: 2 ** -7,
  float32: 2 ** -23,
  float64: 2 ** -52,
  complex64: 2 ** -23,
  complex128: 2 ** -52,
  float8_e4m3fn: 2 ** -3,
  float8_e5m2: 2 ** -2
};

function assertClose(actual: NDArray, expected: NDArray, units: number, what: string): void {
  assert.equal(actual.dtype.name, expected.dtype.name, what);
  assert.deepEqual([...actual.shape], [...expected.shape], what);
  const [a, e] = [flat(actual), flat(expected)];
  const epsilon = (EPSILON[expected.dtype.name] ?? 0) * units;
  // Complex numbers are compared by magnitude: one part may cancel out.
  const scale = (index: number): number =>
    expected.dtype.kind === 'c'
      ? Math.hypot(e[index & ~1] as number, e[index | 1] as number)
      : Math.abs(e[index] as number);
  for (let index = 0; index < e.length; index++) {
    const [x, y] = [a[index] as number, e[index] as number];
    if (Object.is(x, y) || x === y || (Number.isNaN(x) && Number.isNaN(y))) continue;
    const complex = expected.dtype.kind === 'c';
    if (complex && !Number.isFinite(scale(index))) continue;
    assert.ok(
      Math.abs(x - y) <= epsilon * Math.max(scale(index), units >= 16 ? 1 : 0) + (units > 0 ? 1e-44 : 0),
      `${what}: element ${index} is ${x}, not ${y}`
    );
  }
}

function compare(name: string, operands: readonly NDArray[], units: number): void {
  const run = call(name);
  let expected: NDArray;
  try {
    expected = run(...operands);
  } catch (error) {
    assert.throws(() => run(...operands.map(toGpu)), { message: (error as Error).message });
    return;
  }
  assertClose(
    run(...operands.map(toGpu)),
    expected,
    units,
    `${name}(${operands.map(({ dtype }) => dtype.name).join(', ')})`
  );
}

for (const dtype of ALL) {
  test(`elementwise functions of ${dtype} give the results of the simulated device`, () => {
    const a = values(dtype, 333, 1);
    const b = values(dtype, 333, 2);
    for (const name of EXACT_UNARY) compare(name, [a], name === 'abs' || name === 'sign' ? 4 : 0);
    for (const name of UNARY_ANY) compare(name, [a], 32);
    for (const name of UNARY_REAL) compare(name, [a], 32);
    for (const name of BINARY_ANY)
      compare(name, [a, b], name === 'divide' || dtype.startsWith('complex') ? 8 : 0);
    for (const name of BINARY_REAL) compare(name, [a, b], 16);
    for (const name of COMPARE) compare(name, [a, b], 0);
    for (const name of BITS) compare(name, [a, b], 0);
    compare('where', [call('less')(a.abs(), 2), a, b], 0);
    compare('pow', [a.abs().astype(dtype), a.abs().astype(dtype)], 64);
  });

  test(`casts of ${dtype} give the results of the simulated device`, () => {
    const a = values(dtype, 200, 5);
    for (const to of ALL) {
      // Conversion of values out of an integer's range is undefined.
      const finite = to.includes('int') ? stridelab.where(stridelab.isfinite(a), a, 1) : a;
      const clean = to.includes('int') ? astype(finite, dtype) : a;
      assertClose(astype(toGpu(clean), to), astype(clean, to), 0, `${dtype} to ${to}`);
    }
  });

  test(`reductions of ${dtype} over each axis give the results of the simulated device`, () => {
    const a = stridelab
      .where(stridelab.isfinite(values(dtype, 2 * 37 * 41, 7)), values(dtype, 2 * 37 * 41, 7), 1)
      .astype(dtype)
      .reshape(2, 37, 41);
    for (const axis of [undefined, 0, 1, 2, [0, 2], [1, 2]] as const) {
      for (const view of [a, a.T, a.slice(':', '::-2', '1::3')]) {
        const gpu = toGpu(a);
        const same =
          view === a
            ? gpu
            : view.strides[0] === a.T.strides[0] && view.shape.length === 3 && view.shape[0] === 41
              ? gpu.T
              : gpu.slice(':', '::-2', '1::3');
        for (const name of ['sum', 'any', 'all', 'mean'] as const) {
          const exact = name === 'any' || name === 'all' || dtype.includes('int');
          assertClose(
            call(name)(same, { axis }),
            call(name)(view, { axis }),
            exact ? 2 : 64,
            `${name} of ${dtype} over ${String(axis)}`
          );
        }
        if (dtype.startsWith('complex')) continue;
        for (const name of ['min', 'max'] as const) {
          assertClose(
            call(name)(same, { axis, keepDims: true }),
            call(name)(view, { axis, keepDims: true }),
            0,
            `${name} of ${dtype}`
          );
        }
        if (typeof axis === 'object') continue;
        for (const name of ['argmin', 'argmax'] as const) {
          assertClose(
            call(name)(same, { axis }),
            call(name)(view, { axis }),
            0,
            `${name} of ${dtype} over ${String(axis)}`
          );
        }
      }
    }
    for (const axis of [0, 1, 2])
      assertClose(toGpu(a).cumsum({ axis }), a.cumsum({ axis }), 64, `cumsum of ${dtype}`);
  });

  test(`matrix products of ${dtype} give the results of the simulated device`, () => {
    const clean = (count: number, seed: number): NDArray => {
      const all = values(dtype, count, seed);
      const tame = stridelab.where(stridelab.isfinite(all), all, 1).astype(dtype);
      return dtype.includes('float8') || dtype.includes('16') ? tame.multiply(0.25).astype(dtype) : tame;
    };
    const a = clean(70 * 33, 11).reshape(70, 33);
    const b = clean(33 * 65, 12).reshape(33, 65);
    const [ga, gb] = [toGpu(a), toGpu(b)];
    assertClose(matmul(ga, gb), matmul(a, b), 4096, `matmul of ${dtype}`);
    assertClose(matmul(gb.T, ga.T), matmul(b.T, a.T), 4096, `transposed matmul of ${dtype}`);
    assertClose(
      matmul(ga.slice('::2'), gb.slice(':', '::-1')),
      matmul(a.slice('::2'), b.slice(':', '::-1')),
      4096,
      `strided matmul of ${dtype}`
    );
    assertClose(
      matmul(ga, gb.slice(':', 3)),
      matmul(a, b.slice(':', 3)),
      4096,
      `matrix by vector of ${dtype}`
    );
    const batch = clean(3 * 8 * 9, 13).reshape(3, 8, 9);
    assertClose(
      matmul(toGpu(batch), toGpu(batch).transpose(0, 2, 1)),
      matmul(batch, batch.transpose(0, 2, 1)),
      4096,
      `batches of ${dtype}`
    );
  });
}

test('a large array is summed, scanned and searched in several passes', () => {
  const count = 3_000_001;
  const a = stridelab.arange(count, { device, dtype: 'float64' });
  assert.equal(a.sum().item(), (count * (count - 1)) / 2);
  assert.equal(a.astype('int64').sum().item(), BigInt((count * (count - 1)) / 2));
  assert.equal(a.cumsum().item(count - 1), (count * (count - 1)) / 2);
  assert.equal(a.cumsum().item(70_000), (70_000 * 70_001) / 2);
  assert.equal(a.argmax().item(), BigInt(count - 1));
  assert.equal(a.negative().argmax().item(), 0n);
  assert.equal(a.reshape(1, count).max().item(), count - 1);
  const columns = a.slice(`:${3_000_000}`).reshape(1_500_000, 2);
  assert.deepEqual(columns.sum({ axis: 0 }).toNested(), [2249998500000, 2250000000000]);
  assert.deepEqual(columns.T.sum({ axis: 1 }).toNested(), columns.sum({ axis: 0 }).toNested());
});

test('functions of complex numbers for cuda.map give the right values', () => {
  const turned = cuda.map((x: number, y: number) => {
    if (Math.abs(x) > 1) return -x * y;
    return y / 2 + Math.exp(x) * x;
  });
  for (const dtype of COMPLEX) {
    const [x, y] = [values(dtype, 1000, 31), values(dtype, 1000, 32)];
    assertClose(turned(toGpu(x), toGpu(y)), turned(x, y), 32, dtype);
  }
});

test('broadcast, strided, reversed, unaligned and fused operands give the right values', () => {
  const source = values('float32', 1000, 21);
  const gpu = toGpu(source);
  const wave = cuda.map((x: number, y: number) => Math.sin(x) * y + x * 0.5);
  const pairs: readonly [(array: NDArray) => NDArray, (array: NDArray) => NDArray][] = [
    [a => a.slice('1:'), a => a.slice(':-1')],
    [a => a.slice('::-1'), a => a],
    [a => a.reshape(10, 100), a => a.slice(':100')],
    [a => a.reshape(10, 100).T, a => a.slice(':10')],
    [a => a.reshape(10, 10, 10).transpose(2, 0, 1), a => a.slice(':10').reshape(10, 1)],
    [a => a.slice('::3'), a => a.slice('3:4')]
  ];
  for (const [left, right] of pairs) {
    assertClose(wave(left(gpu), right(gpu)), wave(left(source), right(source)), 32, 'fused');
    assertClose(left(gpu).copy(), left(source).copy(), 0, 'copy of a view');
  }
  const target = toGpu(source);
  target.add(1, { out: target });
  assertClose(target, source.add(1), 0, 'in place');
  const shifted = toGpu(source);
  shifted.slice(':-1').add(shifted.slice('1:'), { out: shifted.slice('1:') });
  const expected = source.copy();
  expected.slice(':-1').add(expected.slice('1:'), { out: expected.slice('1:') });
  assertClose(shifted, expected, 0, 'overlapping in place');
});

test('random numbers are the same on every device', () => {
  for (const dtype of ['float32', 'float64'] as const) {
    const [here, there] = [new RandomGenerator(7), new RandomGenerator(7)];
    for (const count of [1, 5, 1003]) {
      const on = { dtype, device };
      assertClose(
        here.uniform(count, on),
        there.uniform(count, { ...on, device: simulated as never }),
        0,
        'uniform'
      );
      assertClose(
        here.normal(count, on),
        there.normal(count, { ...on, device: simulated as never }),
        16,
        'normal'
      );
    }
  }
  for (const dtype of ['int32', 'int64', 'uint32', 'uint64'] as const) {
    const bounds = [dtype.startsWith('u') ? 0 : -5, 1000] as const;
    const on = { dtype, device };
    const here = new RandomGenerator(9n).integers(...bounds, 1001, on);
    assertClose(
      here,
      new RandomGenerator(9n).integers(...bounds, 1001, { ...on, device: simulated as never }),
      0,
      'integers'
    );
  }
  const words = new RandomGenerator(3).bits(1001, { device });
  assert.deepEqual(
    words.toTypedArray(),
    new RandomGenerator(3).bits(1001, { device: simulated as never }).toTypedArray()
  );
});

test('stack, concatenate and take give the right values', () => {
  const a = values('int32', 60, 31).reshape(3, 4, 5);
  const gpu = toGpu(a);
  assertClose(stack([gpu, gpu], { axis: 1 }), stack([a, a], { axis: 1 }), 0, 'stack');
  assertClose(
    concatenate([gpu, gpu.slice('::-1')], { axis: 0 }),
    concatenate([a, a.slice('::-1')], { axis: 0 }),
    0,
    'concatenate'
  );
  const positions = array([2n, -1n, 0n], { device });
  const here = array([2n, -1n, 0n], { device: simulated as never });
  for (const axis of [0, 1, 2])
    assertClose(take(gpu, positions, { axis }), take(a, here, { axis }), 0, 'take');
});

test('unaligned elements are refused by name, and can be copied', () => {
  const bytes = stridelab.zeros(4 * 101 + 2, { dtype: 'uint8', device });
  const descriptor = {
    ...(bytes.__cuda_array_interface__ as object),
    shape: [101],
    typestr: '<f4',
    data: [bytes.pointer + 2n, false]
  };
  const odd = stridelab.asCudaArray({ __cuda_array_interface__: descriptor }, { validate: 'none' });
  assert.equal(odd.copy().add(1).sum().item(), 101);
  if (device.simulated) return;
  for (const call of [() => odd.add(1), () => odd.sum(), () => odd.cumsum(), () => matmul(odd, odd)])
    assert.throws(call, /not multiples of 4 bytes/);
  const halves = stridelab.zeros(51, { dtype: 'float32', device });
  const complex = stridelab.asCudaArray({
    __cuda_array_interface__: {
      ...(halves.__cuda_array_interface__ as object),
      shape: [25],
      typestr: '<c8',
      data: [halves.pointer + 4n, false]
    }
  });
  assert.deepEqual(complex.add(1).sum().item(), { re: 25, im: 0 });
});

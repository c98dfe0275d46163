/** Accesses to several elements at once: values, faults, what is refused, CUDA C++, the debugger, the picture. */

import { ArgumentError, array, KernelFaultError, ones, zeros, type NDArray } from '../../../src/index.ts';
import { ELEMENTS, ELEMENT_TYPES, type ElementType } from '../../../src/kernels/program/types.ts';
import { describeLaunch } from '../../../src/pictures/launch/describe.ts';
import { inDebugger } from './debug/in-debugger.ts';
import { kernelOf } from './kernel-of.ts';
import { lowered, refused } from './language/lowered.ts';
import { emitCuda } from '../../../src/kernels/cuda/emit.ts';

const dtype = (element: ElementType) => ELEMENTS[element].dtype as 'float32';
const ascending = (length: number, element: ElementType): NDArray =>
  array(
    Array.from({ length }, (_, i) => i % 100),
    { dtype: 'int32' }
  ).astype(dtype(element));

const lengths = ELEMENT_TYPES.flatMap(element =>
  [2, 4, 8, 16]
    .filter(length => length * ELEMENTS[element].bytes <= 16)
    .map(length => [element, length] as const)
);

/** Writes each vector of `x` backwards to `out`. */
function reversal(element: ElementType, length: number): string {
  const values = Array.from({ length }, (_, i) => `v[${length - 1 - i}]`).join(', ');
  return `(x: Readonly<DeviceArray<${element}>>, out: DeviceArray<${element}>) => {
    const i = ${length} * cuda.grid(1);
    if (i + ${length} > x.length) return;
    const v = cuda.loadVector(x, i, ${length});
    cuda.storeVector(out, i, [${values}]);
  }`;
}

test.each(lengths)('vectors of %s, %d elements', (element, length) => {
  const x = ascending(256, element);
  const expected = [...(x.toTypedArray() as Iterable<number>)];
  for (let i = 0; i < 256; i += length)
    expected.splice(i, length, ...expected.slice(i, i + length).reverse());
  const kernel = kernelOf(2, reversal(element, length));
  const out = zeros([256], { dtype: dtype(element) });
  kernel.launch({ grid: 2, block: 64 }, x, out);
  expect([...(out.toTypedArray() as Iterable<number>)]).toEqual(expected);
  const debugged = zeros([256], { dtype: dtype(element) });
  inDebugger(() => kernel.launch({ grid: 2, block: 64 }, x, debugged));
  expect([...(debugged.toTypedArray() as Iterable<number>)]).toEqual(expected);
  expect(kernel.check({ grid: 2, block: 64 }, x, out).faults).toEqual([]);
});

test('rows of an array with gaps between them, by a row and by a list of indices', () => {
  const whole = array(Float32Array.from({ length: 32 }, (_, i) => i)).reshape(4, 8);
  const x = whole.slice(null, '0:4');
  const out = zeros([4, 4], { dtype: 'float32' });
  kernelOf(
    2,
    `(x: DeviceArray<f32, 2>, out: DeviceArray<f32, 2>) => {
      const i = cuda.grid(1);
      const [a, b] = cuda.loadVector(x, [i, 2], 2);
      cuda.storeVector(out[i], 0, [a, b, 7, i]);
    }`
  ).launch({ grid: 1, block: 4 }, x, out);
  expect(out.toNested()).toEqual([0, 1, 2, 3].map(i => [8 * i + 2, 8 * i + 3, 7, i]));
});

test('shared and dynamic shared memory, behind arrays of bytes', () => {
  const x = zeros([32], { dtype: 'float32' });
  const kernel = kernelOf(
    1,
    `(x: DeviceArray<f32>) => {
      const bytes = cuda.shared(u8, 3);
      const s = cuda.shared(f32, 128);
      const d = cuda.dynamicShared(f32);
      const t = cuda.threadIdx.x;
      if (t < 3) bytes[t] = t;
      cuda.storeVector(s, 4 * t, [t, 1, 2, 3]);
      cuda.storeVector(d, 2 * t, [10, t]);
      cuda.syncThreads();
      const [a, b, c, e] = cuda.loadVector(s, 4 * (31 - t), 4);
      const [f, g] = cuda.loadVector(d, 2 * (31 - t), 2);
      x[t] = a + b + c + e + f + g + bytes[t % 3];
    }`
  );
  kernel.launch({ grid: 1, block: 32, sharedBytes: 256 }, x);
  expect(x.toNested()).toEqual(Array.from({ length: 32 }, (_, t) => 2 * (31 - t) + 16 + (t % 3)));
  expect(kernel.check({ grid: 1, block: 32, sharedBytes: 256 }, x).faults).toEqual([]);
});

const reading = kernelOf(
  2,
  '(x: DeviceArray<f32>, at: i32) => {\nconst [a, b, c, d] = cuda.loadVector(x, at, 4);\nx[0] = a + b + c + d;\n}'
);
const writing = kernelOf(2, '(x: DeviceArray<f32>, at: i32) => {\ncuda.storeVector(x, at, [1, 2, 3, 4]);\n}');

test.each([
  ['behind the end', 8, 'bounds', "index 10 is outside 'x', whose axis 0 has the length 10"],
  ['far behind the end', 400, 'bounds', 'index 400 is outside'],
  ['before the start', -4, 'bounds', 'index -4 is outside'],
  ['between two multiples', 2, 'misaligned', 'x[2] is not at a multiple of 16 bytes']
])('an access %s is a fault with its line, and changes nothing', (_, at, kind, message) => {
  const x = ones([10], { dtype: 'float32' });
  for (const kernel of [reading, writing]) {
    const { faults } = kernel.check({ grid: 1, block: 1 }, x, at);
    expect(faults).toMatchObject([{ kind, line: 2 }]);
    expect(faults[0]!.message).toContain(message);
    kernel.launch({ grid: 1, block: 1 }, x, at);
    expect(() => x.synchronize()).toThrow(KernelFaultError);
    expect(() =>
      inDebugger(() => {
        kernel.launch({ grid: 1, block: 1 }, x, at);
        x.synchronize();
      })
    ).toThrow(message);
  }
});

test('a view that starts between two multiples is misaligned at index 0', () => {
  const x = ones([16], { dtype: 'float32' }).slice('1:');
  expect(reading.check({ grid: 1, block: 1 }, x, 0).faults).toMatchObject([{ kind: 'misaligned' }]);
  expect(reading.check({ grid: 1, block: 1 }, x, 3).faults).toEqual([]);
  inDebugger(() => reading.launch({ grid: 1, block: 1 }, x, 3));
  x.synchronize();
});

test('an array without elements', () => {
  const x = zeros([0], { dtype: 'float32' });
  expect(writing.check({ grid: 1, block: 1 }, x, 0).faults).toMatchObject([{ kind: 'bounds' }]);
});

test.each([
  [
    'a race with a neighbour of the first element',
    'race',
    'const s = cuda.shared(f32, 128);\nconst t = cuda.threadIdx.x;\ncuda.storeVector(s, 2 * t, [1, 2]);\nx[t] = s[63 - t];'
  ],
  [
    'an element that was not written',
    'uninitialized',
    'const s = cuda.shared(f32, 4);\nif (cuda.threadIdx.x === 0) {\ns[0] = 1; s[1] = 1; s[2] = 1;\nconst [a, b, c, d] = cuda.loadVector(s, 0, 4); x[0] = a + b + c + d; }'
  ]
])('%s', (_, kind, body) => {
  const kernel = kernelOf(1, `(x: DeviceArray<f32>) => {\n${body}\n}`);
  const { faults } = kernel.check({ grid: 1, block: 32 }, zeros([32], { dtype: 'float32' }));
  expect(faults).toMatchObject([{ kind, line: 5 }]);
});

test('a last axis with gaps is refused at the launch', () => {
  const x = zeros([16], { dtype: 'float32' });
  for (const view of [x.slice('::2'), x.slice('::-1')])
    expect(() => reading.launch({ grid: 1, block: 1 }, view, 0)).toThrow(
      /argument x .*: the kernel accesses several elements at once, so the last axis must have no gaps/
    );
  expect(() => reading.check({ grid: 1, block: 1 }, x.slice('::2'), 0)).toThrow(ArgumentError);
});

test.each([
  ['a length of 3', 'cuda.loadVector(x, 0, 3);', 'a vector of f32 has 2 or 4 elements, found 3'],
  ['more than 16 bytes', 'cuda.loadVector(x, 0, 8);', 'found 8'],
  ['a length that is not known', 'cuda.loadVector(x, 0, n[0]);', 'the length of a vector must be'],
  ['a list of 3', 'cuda.storeVector(x, 0, [1, 2, 3]);', 'found 3'],
  ['no list', 'cuda.storeVector(x, 0, 1);', 'expected a list of values'],
  ['local memory', 'const l = cuda.local(f32, 4); cuda.loadVector(l, 0, 2);', 'neither an argument nor'],
  ['a table', 'cuda.loadVector(table, 0, 2);', 'neither an argument nor'],
  ['a Readonly array', 'cuda.storeVector(r, 0, [1, 2]);', 'r is read only'],
  ['a row', 'cuda.loadVector(m, 0, 2);', 'm has 2 axes, found 1 index'],
  ['fractions for integers', 'cuda.storeVector(n, 0, [0.5, 1]);', 'a fraction'],
  ['no index', 'cuda.loadVector(x, 2);', 'takes 3 arguments']
])('%s is refused', (_, body, message) => {
  const text = `(x: DeviceArray<f32>, n: DeviceArray<i32>, r: Readonly<DeviceArray<f32>>, m: DeviceArray<f32, 2>) => { ${body} }`;
  expect(refused(text, { table: [1, 2, 3, 4] }).message).toContain(message);
});

test('the order of evaluation is that of JavaScript', () => {
  const x = array(Int32Array.of(1, 2, 3, 4));
  kernelOf(
    1,
    `(x: DeviceArray<i32>) => {
      let i = 0;
      const [a, b] = cuda.loadVector(x, i++ * 2, 2);
      cuda.storeVector(x, i * 2, [b, (i += 5)]);
      x[0] = a + i;
    }`
  ).launch({ grid: 1, block: 1 }, x);
  expect(x.toNested()).toEqual([7, 2, 2, 6]);
});

test('CUDA C++ has one access, and aligns shared memory', () => {
  const text = `(x: Readonly<DeviceArray<f32>>, out: DeviceArray<f16>) => {
    const s = cuda.shared(f32, 8);
    const [a, b, c, d] = cuda.loadVector(x, 4 * cuda.grid(1), 4);
    cuda.storeVector(s, 0, [d, c, b, a]);
    cuda.storeVector(out, 0, [a, b]);
  }`;
  const cuda = emitCuda(lowered(text).program, { lines: false });
  expect(cuda.split('\n').slice(-11)).toEqual([
    'extern "C" __global__ void kernel(const float* __restrict__ x, int x_length, unsigned short* out, int out_length) {',
    '  __shared__ __align__(16) float s[8];',
    '  const Vector<float, 4> vector = *(const Vector<float, 4>*)&x[4 * (blockIdx.x * blockDim.x + threadIdx.x)];',
    '  float a = vector.at[0];',
    '  float b = vector.at[1];',
    '  float c = vector.at[2];',
    '  float d = vector.at[3];',
    '  *(Vector<float, 4>*)&s[0] = Vector<float, 4>{d, c, b, a};',
    '  *(Vector<unsigned short, 2>*)&out[0] = Vector<unsigned short, 2>{toF16(a), toF16(b)};',
    '}',
    ''
  ]);
});

test('the picture counts the sectors of all bytes', () => {
  const x = zeros([512], { dtype: 'float32' });
  const kernel = kernelOf(
    1,
    '(x: DeviceArray<f32>) => { const [a, b, c, d] = cuda.loadVector(x, 4 * cuda.grid(1), 4); x[cuda.grid(1)] = a + b + c + d; }'
  );
  const { sites } = describeLaunch(kernel.picture({ grid: 1, block: 32 }, x));
  const figures = sites.map(({ kind, units, least, bytes }) => ({ kind, units, least, bytes }));
  expect(figures).toEqual([
    { kind: 'read', units: 16, least: 16, bytes: 16 },
    { kind: 'write', units: 4, least: 4, bytes: undefined }
  ]);
});

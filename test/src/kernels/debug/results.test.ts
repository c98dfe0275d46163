/** The debug form of kernels leaves in the arrays what the simulated machine leaves. */

import { array, zeros, type NDArray } from '../../../../src/index.ts';
import { runModule } from '../../../setup/repository.ts';
import { kernelOf } from '../kernel-of.ts';
import { inDebugger } from './in-debugger.ts';

type Elements = Float32Array | Float64Array | Int32Array | Uint32Array | BigInt64Array | BigUint64Array;

interface Row {
  readonly name: string;
  readonly text: string;
  readonly arrays: () => NDArray[];
  readonly grid: number;
  readonly block: number;
  readonly shared: number;
}

const list = (elements: Elements): NDArray => array(elements);
const floats = (count: number): Float32Array =>
  Float32Array.from({ length: count }, (_, i) => Math.sin(i * 7) * 20);
const doubles = (count: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => Math.cos(i * 3) * 9);
const ints = (count: number): Int32Array =>
  Int32Array.from({ length: count }, (_, i) => Math.imul(i - 7, 0x9e3779b1));
const uints = (count: number): Uint32Array => new Uint32Array(ints(count).buffer);
const longs = (count: number): BigInt64Array =>
  BigInt64Array.from({ length: count }, (_, i) => BigInt.asIntN(64, BigInt(i - 9) * 0x9e3779b97f4a7c15n));
const ulongs = (count: number): BigUint64Array => new BigUint64Array(longs(count).buffer);

const row = (name: string, text: string, arrays: () => NDArray[], more: Partial<Row> = {}): Row => ({
  name,
  text,
  arrays,
  grid: 1,
  block: 32,
  shared: 0,
  ...more
});

const FLOAT_FUNCTIONS = [
  'sqrt',
  'exp',
  'log',
  'sin',
  'cos',
  'tanh',
  'cbrt',
  'floor',
  'ceil',
  'trunc',
  'abs',
  'sign'
];

const elementwise = (expression: string, type: 'f32' | 'f64' | 'i32' | 'u32' | 'i64' | 'u64'): Row => {
  const make = { f32: floats, f64: doubles, i32: ints, u32: uints, i64: longs, u64: ulongs }[type];
  return row(
    `${expression} of ${type}`,
    `(x: DeviceArray<${type}>, out: DeviceArray<${type}>) => {
      const i = cuda.grid(1);
      const a = x[i];
      const b = x[(i + 5) % x.length];
      out[i] = ${expression};
    }`,
    () => [list(make(32)), list(make(32))]
  );
};

const ROWS: readonly Row[] = [
  ...FLOAT_FUNCTIONS.flatMap(name => [
    elementwise(`Math.${name}(a)`, 'f32'),
    elementwise(`Math.${name}(a)`, 'f64')
  ]),
  ...['a + b', 'a - b', 'a * b', 'a / b', 'a % b', 'Math.min(a, b)', 'Math.max(a, b)', '-a'].flatMap(each => [
    elementwise(each, 'f32'),
    elementwise(each, 'f64'),
    elementwise(each, 'i64'),
    elementwise(each, 'u64')
  ]),
  ...['Math.pow(a, b)', 'Math.atan2(a, b)', 'Math.hypot(a, b)', 'cuda.fma(a, b, a)'].flatMap(each => [
    elementwise(each, 'f32'),
    elementwise(each, 'f64')
  ]),
  ...[
    '(a + b) | 0',
    '(a - b) | 0',
    'Math.imul(a, b)',
    '(a / b) | 0',
    '(a % b) | 0',
    'a & b',
    'a | b',
    'a ^ b'
  ].map(each => elementwise(each, 'i32')),
  ...['a & b', '(a ^ b) % 7', '~a | b', 'a >>> (b & 31)', 'cuda.brev(a)'].map(each =>
    elementwise(each, 'u32')
  ),
  ...['~a', 'a << (b & 31)', 'a >> (b & 31)', 'a >>> 3', 'cuda.popc(a)', 'cuda.clz(a)', 'cuda.ffs(a)'].map(
    each => elementwise(each, 'i32')
  ),
  row(
    'loops, branches and early ends',
    `(x: DeviceArray<f32>, out: DeviceArray<f32>) => {
      const i = cuda.grid(1);
      if (i >= x.length) return;
      let sum: f32 = 0;
      for (let k = 0; k < i; k++) {
        if (k === 3) continue;
        if (k > 20) break;
        sum += x[k] * 2;
      }
      for (let k = 0; k < 3; k++) sum -= k;
      let n = i;
      do { n -= 4; sum += 1; } while (n > 0);
      switch (i % 4) { case 0: sum += 100; case 1: sum += 10; break; default: sum += 1000; }
      out[i] = sum;
    }`,
    () => [list(floats(40)), list(floats(40))],
    { grid: 2 }
  ),
  row(
    'helpers that wait, in helpers and loops',
    `(x: DeviceArray<f32>, out: DeviceArray<f32>) => {
      const tile = cuda.shared(f32, 32);
      const t = cuda.threadIdx.x;
      const exchange = (value: f32, by: i32) => {
        tile[t] = value;
        cuda.syncThreads();
        const other = tile[t ^ by];
        cuda.syncThreads();
        return other;
      };
      const smoothed = (x: f32, rounds: i32) => {
        let value = x;
        for (let by = 1; by < rounds; by <<= 1) {
          if (t > 20 && by > 2) return value;
          value = (value + exchange(value, by) + cuda.shflXor(value, by)) / 3;
        }
        return value;
      };
      out[cuda.grid(1)] = smoothed(x[cuda.grid(1)], t < 16 ? 8 : 4) + exchange(t, 1);
    }`,
    () => [list(floats(64)), list(floats(64))],
    { grid: 2 }
  ),
  row(
    'memory that was not written',
    `(out: DeviceArray<f32>, bits: DeviceArray<i32>) => {
      const tile = cuda.shared(f32, 4);
      const own = cuda.local(i32, 2);
      const more = cuda.dynamicShared(i32);
      out[cuda.grid(1)] = tile[cuda.grid(1) % 4];
      bits[cuda.grid(1)] = own[1] + more[2];
    }`,
    () => [list(floats(32)), list(ints(32))],
    { shared: 64 }
  ),
  row(
    'helpers with names of the caller',
    `(x: DeviceArray<f32>, out: DeviceArray<f32>) => {
      const twice = (x: f32, i: f32) => { if (x > 3) return i; const out = x * 2; return out + i; };
      const i = cuda.grid(1);
      const a = x[i];
      out[i] = twice(a, 1) + twice(twice(a, 2), a);
    }`,
    () => [list(floats(32)), list(floats(32))]
  ),
  row(
    'a sum in shared memory',
    `(x: DeviceArray<f32>, out: DeviceArray<f32>) => {
      const tile = cuda.shared(f32, 64);
      const t = cuda.threadIdx.x;
      tile[t] = x[cuda.grid(1)];
      cuda.syncThreads();
      for (let half = 32; half > 0; half >>= 1) {
        if (t < half) tile[t] += tile[t + half];
        cuda.syncThreads();
      }
      if (t === 0) out[cuda.blockIdx.x] = tile[0];
    }`,
    () => [list(floats(192)), list(floats(3))],
    { grid: 3, block: 64 }
  ),
  row(
    'shuffles in rounds that differ by thread',
    `(out: DeviceArray<i32>) => {
      const t = cuda.grid(1);
      let sum = 0;
      for (let k = 0; k < t % 5; k++) {
        if ((k + t) % 2 === 0) sum = (sum + cuda.shflDown(t + k, 1, 32, cuda.activeMask())) | 0;
      }
      out[t] = (sum + cuda.popc(cuda.ballot(t % 3 === 0))) | 0;
    }`,
    () => [list(ints(70))],
    { block: 70 }
  ),
  row(
    'atomics',
    `(x: DeviceArray<i32>, out: DeviceArray<i32>) => {
      const i = cuda.grid(1);
      cuda.atomicAdd(out, 0, x[i]);
      cuda.atomicMax(out, 1, x[i]);
      cuda.atomicMin(out, 2, x[i]);
      cuda.atomicXor(out, 3, x[i]);
      cuda.atomicCas(out, 4, 3, 9);
    }`,
    () => [list(ints(64)), list(Int32Array.of(1, 2, 3, 4, 3))],
    { grid: 2 }
  ),
  row(
    'conversions',
    `(x: DeviceArray<f64>, a: DeviceArray<i32>, b: DeviceArray<u32>, c: DeviceArray<i64>, d: DeviceArray<f32>) => {
      const i = cuda.grid(1);
      const v = x[i] * 1e9 * x[i];
      a[i] = i32(v);
      b[i] = u32(v);
      c[i] = i64(v * 1e4);
      d[i] = f32(c[i]);
    }`,
    () => [list(doubles(32)), list(ints(32)), list(uints(32)), list(longs(32)), list(floats(32))]
  ),
  row(
    'operations of warps',
    `(out: DeviceArray<i32>) => {
      const t = cuda.grid(1);
      let n = cuda.shfl(t * 3, (t + 5) & 31);
      n = (n * 7 + cuda.shflUp(t, 3, 16)) | 0;
      n = (n * 7 + cuda.shflXor(t, 6, 8)) | 0;
      if (t % 3 > 0) n = (n * 7 + i32(cuda.matchAny(t % 5, cuda.activeMask()))) | 0;
      if (cuda.any(t === 40)) n += 1000;
      if (cuda.all(t >= 0)) n += 10000;
      n = (n + i32(cuda.matchAll(7))) | 0;
      out[t] = n;
    }`,
    () => [list(ints(70))],
    { block: 70 }
  ),
  row(
    'barriers with results, and dynamic shared memory',
    `(out: DeviceArray<i32>) => {
      const t = cuda.threadIdx.x;
      const tile = cuda.dynamicShared(u16);
      tile[t] = t * 5;
      const count = cuda.syncThreadsCount(t % 3 === 0);
      const all = cuda.syncThreadsAnd(t < 40);
      const any = cuda.syncThreadsOr(t === 2);
      out[cuda.grid(1)] = count * 100 + (all ? 10 : 0) + (any ? 1 : 0) + i32(tile[39 - t]) + tile.length;
    }`,
    () => [list(ints(80))],
    { grid: 2, block: 40, shared: 80 }
  ),
  row(
    'a barrier of the grid',
    `(x: DeviceArray<i32>, out: DeviceArray<i32>) => {
      const i = cuda.grid(1);
      x[i] = i * 2;
      cuda.gridSync();
      out[i] = x[x.length - 1 - i];
    }`,
    () => [list(ints(64)), list(ints(64))],
    { grid: 4, block: 16 }
  ),
  row(
    'elements of 8 and 16 bits',
    `(a: DeviceArray<i8>, b: DeviceArray<f16>, c: DeviceArray<bf16>, d: DeviceArray<bool>) => {
      const i = cuda.grid(1);
      a[i] = i * 9;
      b[i] = f32(i) * 1.2345;
      c[i] = f32(i) * 1.2345 + b[i];
      d[i] = c[i] > 20 !== d[i];
    }`,
    () => (['int8', 'float16', 'bfloat16', 'bool'] as const).map(dtype => zeros(32, { dtype }) as NDArray)
  ),
  row(
    'views of one array',
    `(x: DeviceArray<f32>, y: DeviceArray<f32, 2>) => {
      const i = cuda.grid(1);
      if (i < 4) { x[i] = i; y[i][1] = x[i] + 100; }
    }`,
    () => {
      const base = list(floats(32));
      return [base.slice('::-1'), base.reshape(8, 4).slice('1::2', '::2')];
    }
  )
];

const copied = (arrays: readonly NDArray[]): unknown[] => arrays.map(each => each.toTypedArray());

test.each(ROWS)('$name', ({ text, arrays, grid, block, shared }) => {
  const kernel = kernelOf(text.slice(0, text.indexOf('=>')).split(':').length - 1, text);
  const shape = { grid, block, sharedBytes: shared };
  const own = arrays();
  kernel.launch(shape, ...own);
  const debugged = arrays();
  const codes = inDebugger(() => kernel.launch(shape, ...debugged));
  expect(codes).toHaveLength(1);
  expect(copied(debugged)).toEqual(copied(own));
});

test('a check leaves its changes to the checked run', () => {
  const kernel = kernelOf(
    1,
    '(x: DeviceArray<i32>) => { cuda.atomicAdd(x, 0, 1); x[cuda.grid(1) + 1] = 5; }'
  );
  const x = zeros(3, { dtype: 'int32' });
  let text = '';
  inDebugger(() => {
    text = String(kernel.check({ grid: 1, block: 4 }, x));
  });
  expect(text).toContain("index 3 is outside 'x'");
  expect([...x.toTypedArray()]).toEqual([4, 5, 5]);
});

test.each([
  {
    text: 'x[cuda.grid(1) + 2] = 1;',
    message: "index 3 is outside 'x', whose axis 0 has the length 3: thread (1, 0, 0)"
  },
  {
    text: 'cuda.assert(cuda.grid(1) < 2, "too far");',
    message: 'assertion failed: too far: thread (2, 0, 0)'
  },
  { text: 'x[0] = cuda.native(i32, "$0", [1]);', message: 'works on GPUs only' }
])('a fault of $text is thrown by the launch', ({ text, message }) => {
  const kernel = kernelOf(1, `(x: DeviceArray<i32>) => { ${text} }`);
  inDebugger(() => {
    expect(() => kernel.launch({ grid: 1, block: 4 }, zeros(3, { dtype: 'int32' }))).toThrow(message);
  });
});

test('what a kernel prints', async () => {
  const [ofKernels, inDebug] = ['../kernel-of.ts', './in-debugger.ts'].map(each =>
    JSON.stringify(new URL(each, import.meta.url).href)
  );
  const { stdout } = await runModule(`
    const { kernelOf } = await import(${ofKernels!});
    const { inDebugger } = await import(${inDebug!});
    const { array } = await import('stridelab');
    const text = '(x: DeviceArray<f32>) => { console.log(\`x \${x[2]}\`, x[cuda.grid(1)], x[0] > 1, -0.0 * x[0]); }';
    const x = array(Float32Array.of(0.1, 16777216, 1 / 3));
    const launch = () => { kernelOf(1, text).launch({ grid: 1, block: 3 }, x); x.toTypedArray(); };
    launch();
    inDebugger(launch);`);
  const lines = stdout.split('\n');
  expect(lines.slice(0, 3)).toEqual(lines.slice(3, 6));
  expect(lines[1]).toBe('x 0.33333334 16777216 false -0');
});

test('variables keep the names of the source, which scopes separate', () => {
  const kernel = kernelOf(
    1,
    `(x: DeviceArray<i32>) => {
      const put = (k: i32, x: i32) => { const at = k + x; return at; };
      for (let k = 0; k < 2; k++) x[k] = put(k, 1);
      for (let k = 0; k < 2; k++) { const thread = put(k, k); x[k] += thread; }
    }`
  );
  const [code = ''] = inDebugger(() => kernel.launch({ grid: 1, block: 1 }, zeros(2, { dtype: 'int32' })));
  const declared = [...code.matchAll(/let (?!__)(\w+)/g)].map(([, name]) => name);
  expect(declared).toEqual(['k', 'result', 'at', 'k', 'result', 'at', 'thread']);
  expect(code).toContain('(__stridelab, thread_2, waiting, x)');
  expect(code).toContain('"put"(__stridelab, thread_2, waiting, k, x)');
});

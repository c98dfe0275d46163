/** Kernels in TypeScript: the GPU and the simulated device give the same bits. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';

import {
  arange,
  array,
  cuda,
  KernelError,
  ones,
  RandomGenerator,
  toDType,
  zeros,
  type DTypeName,
  type NDArray
} from 'stridelab';

import { device, on } from './device.ts';
import { kernelOf } from './kernel-of.ts';

const N = 4096;
const shape = { grid: 16, block: 256 };

/** Makes numbers of both signs and sizes. */
function values(dtype: DTypeName, count = N): NDArray {
  const seeds = new RandomGenerator(7);
  if (dtype.startsWith('float'))
    return seeds.normal([count], { dtype: 'float32', device: 'sim:0' }).astype(dtype);
  const words = seeds.bits([count], { dtype: 'uint64', device: 'sim:0' });
  return words.astype(dtype);
}

interface Case {
  readonly name: string;
  readonly text: string;
  readonly inputs: readonly DTypeName[];
  readonly output: DTypeName;
  readonly shape?: {
    readonly grid: number | readonly [number, number];
    readonly block: number | readonly [number, number];
    readonly sharedBytes?: number;
  };
  readonly names?: object;
}

const floats = (body: string): string =>
  `(x: Readonly<DeviceArray<f32>>, y: Readonly<DeviceArray<f32>>, out: DeviceArray<f32>) => { const i = cuda.grid(1); if (i >= out.length) return; ${body} }`;
const wholes = (body: string): string =>
  `(x: Readonly<DeviceArray<i32>>, y: Readonly<DeviceArray<i32>>, out: DeviceArray<i32>) => { const i = cuda.grid(1); if (i >= out.length) return; ${body} }`;
const F = { inputs: ['float32', 'float32'], output: 'float32' } as const;
const I = { inputs: ['int32', 'int32'], output: 'int32' } as const;

const CASES: readonly Case[] = [
  {
    name: 'arithmetic of floats',
    text: floats('out[i] = (x[i] * y[i] + x[i] / y[i] - x[i] % y[i]) * Math.sqrt(Math.abs(x[i]));'),
    ...F
  },
  {
    name: 'rounding of floats',
    text: floats(
      'out[i] = Math.floor(x[i] * 10) + Math.ceil(y[i] * 10) * 100 + Math.trunc(x[i] * 3) + Math.round(y[i] * 5) + cuda.rint(x[i] * 7) + Math.sign(x[i]);'
    ),
    ...F
  },
  {
    name: 'least and greatest, NaN and zeros',
    text: floats(
      'const a = i % 5 === 0 ? NaN : i % 7 === 0 ? -0.0 : x[i]; const b = i % 11 === 0 ? 0 : y[i]; out[i] = 1 / Math.min(a, b) + Math.max(a, b);'
    ),
    ...F
  },
  { name: 'fma', text: floats('out[i] = cuda.fma(x[i], y[i], x[i]);'), ...F },
  {
    name: 'conversions',
    text: floats(
      'out[i] = f32(i32(x[i] * 1e10)) + f32(u32(y[i] * 1e10)) + f32(i64(x[i] * 1e19)) + f32(u64(y[i] * 1e19)) + f16(x[i]) + bf16(y[i]) + i8(i32(x[i] * 100));'
    ),
    ...F
  },
  {
    name: 'arithmetic of integers',
    text: wholes(
      'out[i] = x[i] * y[i] + x[i] - y[i] + Math.trunc(x[i] / y[i]) + Math.floor(x[i] / y[i]) + x[i] % y[i] + Math.abs(x[i]);'
    ),
    ...I
  },
  {
    name: 'division by zero and of the least',
    text: wholes(
      'const a = i % 3 === 0 ? -2147483648 : x[i]; const b = i % 4 === 0 ? 0 : i % 4 === 1 ? -1 : y[i]; out[i] = Math.trunc(a / b) + a % b * 3 + Math.floor(a / b) * 7;'
    ),
    ...I
  },
  {
    name: 'bits',
    text: wholes(
      'out[i] = ((x[i] << y[i]) ^ (x[i] >> y[i]) | i32(x[i] >>> y[i])) & ~y[i]; out[i] += cuda.popc(x[i]) + cuda.clz(y[i]) + cuda.ffs(x[i]) + cuda.brev(y[i]) + cuda.multiplyHigh(x[i], y[i]);'
    ),
    ...I
  },
  {
    name: 'bits of floats',
    text: floats('out[i] = cuda.bits(cuda.bits(x[i]) ^ 1) + cuda.copysign(x[i], y[i]);'),
    ...F
  },
  {
    name: 'loops with jumps',
    text: wholes(
      'let s = 0; outer: for (let j = 0; j < 20; j++) { let k = 0; do { k++; if ((x[i] + j + k) % 7 === 0) continue outer; if (k > 9) break; if ((y[i] ^ k) % 13 === 5) break outer; s += k * j; } while (k < 12); } switch (s & 3) { case 0: s += 1; case 1: s *= 3; break; case 2: s -= 9; break; default: s = -s; } out[i] = s;'
    ),
    ...I
  },
  {
    name: 'a helper with early returns, a table and a captured number',
    text: floats('out[i] = helper(x[i], i & 3) + scale * table[i & 3];'),
    names: {
      helper: Object.defineProperty(() => 0, Symbol.for('stridelab.source'), {
        value: {
          text: '(v: f32, k: i32) => { for (let j = 0; j < 8; j++) { if (v > j) return v * k; v = v + 1; } return v; }',
          file: 'helper',
          line: 1,
          column: 0,
          captured: {}
        }
      }),
      table: [0.5, 1.25, -3, 8],
      scale: 1.5
    },
    ...F
  },
  {
    name: 'a tiled product',
    text: `(x: Readonly<DeviceArray<f32>>, y: Readonly<DeviceArray<f32>>, out: DeviceArray<f32>) => {
      const a = cuda.shared(f32, 16, 16); const b = cuda.shared(f32, 16, 17);
      const [c, r] = cuda.grid(2); const { x: tx, y: ty } = { x: cuda.threadIdx.x, y: cuda.threadIdx.y };
      let s: f32 = 0;
      for (let k = 0; k < 64; k += 16) {
        a[ty][tx] = x[r * 64 + k + tx]; b[ty][tx] = y[(k + ty) * 64 + c]; cuda.syncThreads();
        for (let j = 0; j < 16; j++) s += a[ty][j] * b[j][tx];
        cuda.syncThreads();
      }
      out[r * 64 + c] = s;
    }`,
    shape: { grid: [4, 4], block: [16, 16] },
    ...F
  },
  {
    name: 'warps',
    text: wholes(
      'let v = x[i]; for (let d = 16; d > 0; d = d >> 1) v += cuda.shflDown(v, d); const votes = cuda.ballot(y[i] > 0); out[i] = v + cuda.popc(votes) + cuda.shfl(v, 3) * 5 + cuda.shflUp(v, 1, 8) + cuda.shflXor(v, 5) + i32(cuda.matchAny(y[i] & 3)) + (cuda.any(x[i] > 2000000000) ? 1 : 0) + (cuda.all(y[i] > -2000000000) ? 2 : 0) + cuda.laneId;'
    ),
    ...I
  },
  {
    name: 'atomics',
    text: `(x: Readonly<DeviceArray<i32>>, y: Readonly<DeviceArray<i32>>, out: DeviceArray<i32>) => { const s = cuda.shared(i32, 16); const t = cuda.threadIdx.x; if (t < 16) s[t] = 0; cuda.syncThreads();
      cuda.atomicAdd(s, t & 15, x[cuda.grid(1)]); cuda.atomicXor(out, 16 + (t & 15), y[cuda.grid(1)]); cuda.atomicMax(out, 32, x[cuda.grid(1)]); cuda.atomicMin(out, 33, y[cuda.grid(1)]); cuda.atomicAnd(out, 34, x[cuda.grid(1)]); cuda.atomicOr(out, 35, y[cuda.grid(1)]);
      cuda.syncThreads(); if (t < 16) cuda.atomicAdd(out, t, s[t]); }`,
    ...I
  },
  {
    name: 'dynamic shared memory and local arrays',
    text: wholes(
      'const s = cuda.dynamicShared(i32); const l = cuda.local(i32, 8); const t = cuda.threadIdx.x; for (let j = 0; j < 8; j++) l[j] = x[i] >> j; s[t] = l[y[i] & 7]; cuda.syncThreads(); out[i] = s[255 - t] + s.length;'
    ),
    shape: { grid: 16, block: 256, sharedBytes: 1024 },
    ...I
  },
  {
    name: 'bigints',
    text: '(x: Readonly<DeviceArray<i64>>, y: Readonly<DeviceArray<i64>>, out: DeviceArray<i64>) => { const i = cuda.grid(1); out[i] = x[i] * y[i] + x[i] / y[i] - x[i] % y[i] + (x[i] << 3n) + (y[i] >> 7n) + i64(cuda.popc(x[i])) + cuda.multiplyHigh(x[i], y[i]) + i64(i); }',
    inputs: ['int64', 'int64'],
    output: 'int64'
  },
  {
    name: 'small elements',
    text: '(x: Readonly<DeviceArray<f16>>, y: Readonly<DeviceArray<u8>>, out: DeviceArray<i16>) => { const i = cuda.grid(1); out[i] = i32(x[i] * 100) * 3 + i32(y[i]); }',
    inputs: ['float16', 'uint8'],
    output: 'int16'
  },
  { name: 'random numbers', text: floats('out[i] = cuda.random(42, i) + x[i] * y[i];'), ...F },
  {
    name: 'doubles',
    text: '(x: Readonly<DeviceArray<f64>>, y: Readonly<DeviceArray<f64>>, out: DeviceArray<f64>) => { const i = cuda.grid(1); out[i] = Math.sqrt(Math.abs(x[i])) * y[i] + Math.min(x[i], y[i]) + Math.floor(x[i] * 100) + i32(x[i] * 1e10) + f64(i64(y[i] * 1e18)) + cuda.fma(x[i], y[i], 1); }',
    inputs: ['float64', 'float64'],
    output: 'float64'
  },
  {
    name: 'vectors of 16 bytes of float32, from shared memory too',
    text: `(x: Readonly<DeviceArray<f32>>, y: Readonly<DeviceArray<f32>>, out: DeviceArray<f32>) => {
      const odd = cuda.shared(u8, 3);
      const tile = cuda.shared(f32, 1024);
      const t = cuda.threadIdx.x;
      if (t < 3) odd[t] = 5;
      cuda.syncThreads();
      const i = 4 * cuda.grid(1);
      if (i < out.length) {
        const [a, b, c, d] = cuda.loadVector(x, i, 4);
        cuda.storeVector(tile, 4 * t, [d, c, b, a + odd[0]]);
      } else cuda.storeVector(tile, 4 * t, [0, 0, 0, 0]);
      cuda.syncThreads();
      if (i >= out.length) return;
      const [a, b, c, d] = cuda.loadVector(tile, 4 * (255 - t), 4);
      const [e, f] = cuda.loadVector(y, i + 2, 2);
      cuda.storeVector(out, i, [a + e, b + f, c, d]);
    }`,
    ...F
  },
  {
    name: 'vectors of 8 and 16 elements',
    text: `(x: Readonly<DeviceArray<f16>>, y: Readonly<DeviceArray<u8>>, out: DeviceArray<f16>) => {
      const i = 8 * cuda.grid(1);
      if (i >= out.length) return;
      const v = cuda.loadVector(x, i, 8);
      const w = cuda.loadVector(y, 16 * Math.floor(i / 16), 16);
      cuda.storeVector(out, i, [v[7] + w[0], v[6] + w[1], v[5] + w[2], v[4] + w[3], v[3] + w[12], v[2] + w[13], v[1] + w[14], v[0] + w[15]]);
    }`,
    inputs: ['float16', 'uint8'],
    output: 'float16'
  },
  {
    name: 'vectors of float64, bools and int64',
    text: `(x: Readonly<DeviceArray<f64>>, y: Readonly<DeviceArray<bool>>, out: DeviceArray<i64>) => {
      const i = 2 * cuda.grid(1);
      if (i >= out.length) return;
      const [a, b] = cuda.loadVector(x, i, 2);
      const [p, q] = cuda.loadVector(y, i, 2);
      cuda.storeVector(out, i, [p ? i64(a * 1000) : 1n, q ? i64(b * 1000) : 2n]);
    }`,
    inputs: ['float64', 'bool'],
    output: 'int64'
  },
  {
    name: 'a variable of a case that later cases use',
    text: wholes(
      'switch (x[i] & 3) { case 0: let a = x[i]; const old = cuda.atomicAdd(out, i, 1); case 1: if ((x[i] & 3) === 0) out[i] = a + old; break; default: out[i] = y[i]; }'
    ),
    ...I
  }
];

describe('kernels on both devices', () => {
  for (const { name, text, inputs, output, shape: own = shape, names = {} } of CASES) {
    test(name, () => {
      const results = [device, 'sim:0' as const].map(where => {
        const given = inputs.map(dtype => values(dtype).toDevice(where));
        const out = zeros([N], { dtype: output, device: where });
        kernelOf(text, names, { contract: false }).launch(own, ...given, out);
        return out.toTypedArray() as unknown as Iterable<number>;
      });
      assert.deepEqual([...results[0]!], [...results[1]!]);
    });
  }
});

/** Makes a function of elements of its text. */
function named(text: string): (...elements: never[]) => number {
  const body = Object.defineProperty(() => 0, 'length', { value: text.split('=>')[0]!.split(',').length });
  const value = { text, file: 'body', line: 1, column: 0, captured: { cuda } };
  return Object.defineProperty(body, Symbol.for('stridelab.source'), { value });
}

describe('on this device', () => {
  test('map, reduce, scan and filter give what the simulated device gives', () => {
    const x = values('float32', 100_003);
    const run = (a: NDArray): unknown[] => [
      cuda.map(named('(a, b) => a * b + (a > 0 ? 1 : -1)'))(a, a).toNested(),
      cuda.reduce(named('(a, b) => Math.max(a, b)'))(a).toNested(),
      cuda
        .reduce(named('(a, b) => a + b'))(a.astype('int32').slice('0:100000').reshape(100, 1000), { axis: 0 })
        .toNested(),
      cuda.scan(named('(a, b) => a + b'))(a.astype('int32')).toNested(),
      cuda.filter(named('(a) => a > 0.5'))(a).toNested()
    ];
    assert.deepEqual(run(x.toDevice(device)), run(x));
  });

  test('the grid waits for itself', () => {
    const kernel = kernelOf(`(x: DeviceArray<i32>, out: DeviceArray<i32>) => {
      const i = cuda.grid(1);
      for (let round = 0; round < 5; round++) { x[i] = i + round; cuda.gridSync(); out[i] = out[i] + x[x.length - 1 - i]; cuda.gridSync(); }
    }`);
    const out = zeros([8192], { dtype: 'int32', ...on });
    kernel.launch({ grid: 32, block: 256 }, zeros([8192], { dtype: 'int32', ...on }), out);
    const expected = Array.from({ length: 8192 }, (_, i) => 5 * (8191 - i) + 10);
    assert.deepEqual(out.toNested(), expected);
  });

  test('strided views, and 64-bit addresses', () => {
    const kernel = kernelOf(
      '(x: DeviceArray<f32, 2>, out: DeviceArray<f32>) => { const i = cuda.grid(1); if (i < out.length) out[i] = x[i][1]; }'
    );
    const x = arange(2000, { dtype: 'float32', ...on }).reshape(1000, 2);
    const out = zeros([500], { dtype: 'float32', ...on });
    kernel.launch({ grid: 2, block: 256 }, x.slice('::-2'), out);
    assert.deepEqual((out.toNested() as number[]).slice(0, 3), [1999, 1995, 1991]);
  });

  test('is inspected', () => {
    const kernel = kernelOf('(x: DeviceArray<f32>) => { x[cuda.grid(1)] += 1; }');
    const {
      cuda: text,
      ptx,
      attributes,
      occupancy
    } = kernel.inspect({ grid: 1, block: 128 }, ones([128], { dtype: 'float32', ...on }));
    assert.match(text, /__global__/);
    if (device.simulated) return assert.equal(ptx, null);
    assert.match(ptx!, /\.entry kernel/);
    assert.ok(attributes!.registers > 0 && occupancy!.activeThreads >= 128);
  });

  test('CUDA C++ inside', () => {
    const kernel = kernelOf(
      "(x: DeviceArray<f32>) => { const i = cuda.grid(1); x[i] = cuda.native(f32, '__fmul_rn($0, $1)', [x[i], 2], x[i] * 2); }"
    );
    const x = ones([64], { dtype: 'float32', ...on });
    kernel.launch({ grid: 1, block: 64 }, x);
    assert.deepEqual(
      x.toNested(),
      Array.from({ length: 64 }, () => 2)
    );
  });

  test('a fault in CUDA C++ names the line of the kernel', { skip: device.simulated }, () => {
    const kernel = kernelOf(
      "(x: DeviceArray<f32>) => {\n  const i = cuda.grid(1);\n  x[i] = cuda.native(f32, 'nosuch($0)', [x[i]]);\n}"
    );
    assert.throws(
      () => kernel.launch({ grid: 1, block: 64 }, ones([64], { dtype: 'float32', ...on })),
      /kernel\(3\).*nosuch/
    );
  });

  test('is compiled beside the program', { skip: device.simulated }, async () => {
    const cache = mkdtempSync(join(tmpdir(), 'ahead-'));
    const before = process.env['STRIDELAB_CACHE_DIR'];
    process.env['STRIDELAB_CACHE_DIR'] = cache;
    try {
      kernelOf('(x: DeviceArray<f32>) => { x[cuda.grid(1)] += 12345; }');
      while (readdirSync(cache, { recursive: true }).length === 0) await new Promise(setImmediate);
    } finally {
      if (before === undefined) delete process.env['STRIDELAB_CACHE_DIR'];
      else process.env['STRIDELAB_CACHE_DIR'] = before;
      rmSync(cache, { recursive: true });
    }
  });

  test('is checked on copies', () => {
    const x = array([1, 2, 3], { dtype: 'float32', ...on });
    const { faults } = kernelOf('(x: DeviceArray<f32>) => { x[cuda.grid(1)] += 1; }').check(
      { grid: 1, block: 4 },
      x
    );
    assert.equal(faults[0]!.kind, 'bounds');
    if (!device.simulated) assert.deepEqual(x.toNested(), [1, 2, 3]);
  });

  test('is checked with the memory that arguments share', () => {
    const all = arange(64, { dtype: 'float32', ...on });
    const shift = kernelOf(
      '(x: DeviceArray<f32>, out: DeviceArray<f32>) => { const i = cuda.threadIdx.x; out[i] = x[i]; }'
    );
    const { faults } = shift.check({ grid: 1, block: 32 }, all.slice('::2'), all.slice(':32'));
    assert.equal(faults[0]!.kind, 'race');
  });

  test('is timed on copies for its picture', () => {
    const x = zeros([2 ** 20], { dtype: 'float32', ...on });
    const add = kernelOf(
      '(x: DeviceArray<f32>) => { const step = cuda.gridSize(1); for (let i = cuda.grid(1); i < x.length; i += step) x[i] += 1; }'
    );
    const { check, gpu } = add.picture({ grid: 64, block: 256 }, x).facts;
    assert.deepEqual(check.faults, []);
    assert.equal(x.item(5), 0);
    if (device.simulated) return assert.equal(gpu, null);
    const longest = 'STRIDELAB_TEST_SANITIZER' in process.env ? Infinity : 1000;
    assert.ok(gpu!.time! > 0.5 && gpu!.time! < longest, `${gpu!.time} microseconds`);
    assert.ok(gpu!.attributes.registers > 0 && gpu!.occupancy.activeThreads >= 256);
    const outside = kernelOf('(x: DeviceArray<f32>) => { x[cuda.grid(1) + 2 ** 28] = 1; }');
    const faulty = outside.picture({ grid: 1, block: 32 }, x).facts;
    assert.equal(faulty.check.faults[0]!.kind, 'bounds');
    assert.equal(faulty.gpu!.time, null);
    // The context still works.
    assert.equal(x.item(5), 0);
    const prints = kernelOf('(x: DeviceArray<f32>) => { console.log(x[0]); }', { console });
    assert.equal(prints.picture({ grid: 1, block: 1 }, x).facts.gpu!.time, null);
  });

  test('maps complex numbers as the simulated device does', () => {
    const rotate = cuda.map(named('(z, angle) => cuda.conj(z * z) / (z + 2) + Math.exp(z) * angle'));
    const parts = Array.from({ length: 1000 }, (_, i) => ({ re: Math.sin(i), im: Math.cos(3 * i) }));
    const [own, other] = [device.label, 'sim:0'].map(where => {
      const z = array(parts, { dtype: 'complex64', device: where });
      const made = rotate(z, arange(1000, { dtype: 'float32', device: where }).multiply(1e-3));
      assert.equal(made.dtype.name, 'complex64');
      return (made.toNested() as { re: number; im: number }[]).flatMap(({ re, im }) => [re, im]);
    }) as [number[], number[]];
    for (const [index, value] of own.entries())
      assert.ok(Math.abs(value - other[index]!) < 1e-5, `${index}: ${value}, expected ${other[index]}`);
  });

  test('wrong types are refused', () => {
    const kernel = kernelOf('(x: DeviceArray<f32>) => { x[0] = 1; }');
    assert.throws(
      () => kernel.launch({ grid: 1, block: 1 }, zeros([1], { dtype: toDType('float64'), ...on })),
      KernelError
    );
  });
});

/** kernel.check: what it finds, and where. */

import { array, KernelFaultError, ones, zeros, type NDArray } from '../../../../src/index.ts';
import type { KernelCheck } from '../../../../src/kernels/launch/check.ts';
import { runModule } from '../../../setup/repository.ts';
import { kernelOf } from '../kernel-of.ts';

const ints = (...shape: number[]): NDArray => zeros(shape, { dtype: 'int32' });

/** Checks a body over `x`, of as many elements as one block has threads. The body starts on line 2. */
function check(body: string, { grid = 1, block = 64 }: { grid?: number; block?: number } = {}): KernelCheck {
  return kernelOf(1, `(x: DeviceArray<i32>) => {\n${body}\n}`).check({ grid, block }, ints(grid * block));
}

test.each([
  [
    'a read behind the end',
    'bounds',
    'const i = cuda.grid(1);\nconst v = x[i + 1];\nif (v > 5) x[i] = v;',
    [3, [1, 0, 0], [63, 0, 0], 1],
    "index 128 is outside 'x', whose axis 0 has the length 128"
  ],
  [
    'a write before the start',
    'bounds',
    'const i = cuda.grid(1);\nx[i - 2] = 1;',
    [3, [0, 0, 0], [0, 0, 0], 2],
    "index -2 is outside 'x'"
  ],
  [
    'an index outside shared memory',
    'bounds',
    'const s = cuda.shared(i32, 8);\nconst t = cuda.threadIdx.x;\nif (t < 9) s[t] = t;',
    [4, [0, 0, 0], [8, 0, 0], 2],
    "index 8 is outside 's', whose axis 0 has the length 8"
  ],
  [
    'a race in shared memory',
    'race',
    'const s = cuda.shared(i32, 64);\nconst t = cuda.threadIdx.x;\ns[t] = t;\nx[cuda.grid(1)] = s[63 - t];',
    [5, null, null, null],
    'is used by two threads without a barrier between'
  ],
  [
    'a race in global memory',
    'race',
    'const i = cuda.grid(1);\nx[i >> 1] = i;',
    [3, null, null, null],
    'is used by two threads'
  ],
  [
    'a barrier that some threads do not reach',
    'divergentBarrier',
    'const t = cuda.threadIdx.x;\nif (t < 40)\n  cuda.syncThreads();',
    [4, null, null, null],
    'this one does not reach it'
  ],
  [
    'shared memory that was not written',
    'uninitialized',
    'const s = cuda.shared(i32, 64);\nconst t = cuda.threadIdx.x;\nif (t !== 5) s[t] = t;\nx[cuda.grid(1)] = s[t];',
    [5, [0, 0, 0], [5, 0, 0], 2],
    's[5] is read before it was written'
  ],
  [
    'a shuffle with lanes that are not here',
    'warpMask',
    'const t = cuda.threadIdx.x;\nif (t % 32 < 16)\n  x[cuda.grid(1)] = cuda.shflDown(t, 1);',
    [4, [0, 0, 0], [0, 0, 0], null],
    'names lanes that do not take part'
  ],
  [
    'a shuffle from a lane that is not here',
    'shuffle',
    'const t = cuda.threadIdx.x;\nif (t % 32 < 16)\n  x[cuda.grid(1)] = cuda.shfl(t, 20, 32, 0xffff);',
    [4, [0, 0, 0], [0, 0, 0], null],
    'reads a lane that does not take part'
  ],
  [
    'a division by zero',
    'divisionByZero',
    'const i = cuda.grid(1);\nx[i] = Math.trunc(100 / (i - 3));',
    [3, [0, 0, 0], [3, 0, 0], 1],
    'an integer is divided by zero'
  ],
  [
    'an assertion',
    'assert',
    "const i = cuda.grid(1);\ncuda.assert(i < 70, 'too many');",
    [3, [1, 0, 0], [6, 0, 0], null],
    'assertion failed: too many'
  ],
  [
    'device code without a form for the host',
    'unsupported',
    "const i = cuda.grid(1);\nx[i] = cuda.native(i32, 'clock()');",
    [3, null, null, null],
    ''
  ]
] as const)('%s', (_, kind, body, [line, block, thread, count], message) => {
  const { faults } = check(body, { grid: 2 });
  expect(faults.map(fault => fault.kind)).toContain(kind);
  const fault = faults.find(each => each.kind === kind)!;
  expect(fault.line).toBe(line);
  expect(fault.message).toContain(message);
  expect(fault.message).toContain(`in cell 1, line ${line}`);
  if (block !== null) expect(fault.block).toEqual(block);
  if (thread !== null) expect(fault.thread).toEqual(thread);
  if (count !== null) expect(fault.count).toBe(count);
});

test('a fault in a helper has the line of the helper', () => {
  const { faults } = check('const read = (i: i32) => {\n  return x[i];\n};\nx[0] = read(100);', { block: 1 });
  expect(faults).toMatchObject([{ kind: 'bounds', line: 3 }]);
});

test('several faults are all told, each once at a place, and shown as lines', () => {
  const found = check(
    'const i = cuda.grid(1);\nx[i + 1] = 1;\nif (i === 5) x[i - 9] = 1;\nfor (let j = 0; j < 3; j++) x[i + 64] = 2;'
  );
  expect(found.faults.map(({ kind, line, count }) => [kind, line, count])).toEqual([
    ['bounds', 3, 1],
    ['bounds', 4, 1],
    ['bounds', 5, 192]
  ]);
  expect(String(found).split('\n')).toHaveLength(3);
  expect(String(check('x[cuda.grid(1)] = 1;'))).toBe('no faults');
});

const TILED = `(a: Readonly<DeviceArray<f32, 2>>, b: Readonly<DeviceArray<f32, 2>>, c: DeviceArray<f32, 2>) => {
  const left = cuda.shared(f32, TILE, TILE);
  const right = cuda.shared(f32, TILE, TILE);
  const [col, row] = cuda.grid(2);
  const [tx, ty] = [cuda.threadIdx.x, cuda.threadIdx.y];
  let sum = 0;
  for (let k = 0; k < a.shape[1]; k += TILE) {
    left[ty][tx] = row < a.shape[0] && k + tx < a.shape[1] ? a[row][k + tx] : 0;
    right[ty][tx] = k + ty < b.shape[0] && col < b.shape[1] ? b[k + ty][col] : 0;
    cuda.syncThreads();
    for (let j = 0; j < TILE; j++) sum += left[ty][j] * right[j][tx];
    BARRIER
  }
  if (row < c.shape[0] && col < c.shape[1]) c[row][col] = sum;
}`;

describe('a tiled matrix product', () => {
  const run = (text: string): readonly [KernelCheck, NDArray] => {
    const [a, b, c] = [ones([10, 13]), ones([13, 9]), zeros([10, 9])].map(each => each.astype('float32')) as [
      NDArray,
      NDArray,
      NDArray
    ];
    return [kernelOf(3, text, { TILE: 8 }).check({ grid: [2, 2], block: [8, 8] }, a, b, c), c];
  };

  test('has no faults, and the check computes it', () => {
    const [{ faults }, c] = run(TILED.replace('BARRIER', 'cuda.syncThreads();'));
    expect(faults).toEqual([]);
    expect((c.toNested() as number[][]).flat()).toEqual(Array.from({ length: 90 }, () => 13));
  });

  test('has races without the second barrier', () => {
    const [{ faults }] = run(TILED.replace('BARRIER', ''));
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(['race']));
  });
});

test('a reduction in a block has no faults', () => {
  const text = `(x: Readonly<DeviceArray<f32>>, out: DeviceArray<f32>) => {
    const partial = cuda.shared(f32, 8);
    const t = cuda.threadIdx.x;
    let sum = 0;
    for (let i = cuda.grid(1); i < x.length; i += cuda.gridSize(1)) sum += x[i];
    for (let d = 16; d > 0; d = d >> 1) sum += cuda.shflDown(sum, d);
    if (cuda.laneId === 0) partial[t >> 5] = sum;
    cuda.syncThreads();
    if (t < 32) {
      let total = t < cuda.blockDim.x >> 5 ? partial[t] : 0;
      for (let d = 16; d > 0; d = d >> 1) total += cuda.shflDown(total, d);
      if (t === 0) cuda.atomicAdd(out, 0, total);
    }
  }`;
  const out = zeros(1, { dtype: 'float32' });
  const { faults } = kernelOf(2, text).check({ grid: 3, block: 256 }, ones(1000, { dtype: 'float32' }), out);
  expect([faults, out.item()]).toEqual([[], 1000]);
});

test('atomics and shared reads are no races', () => {
  const body =
    'const s = cuda.shared(i32, 1);\nif (cuda.threadIdx.x === 0) s[0] = 0;\ncuda.syncThreads();\ncuda.atomicAdd(s, 0, 1);\ncuda.syncThreads();\nx[cuda.grid(1)] = s[0];\n';
  expect(check(body, { grid: 2 }).faults).toEqual([]);
});

test('a check waits for work before it, and leaves no fault behind', () => {
  const x = ints(4);
  const add = kernelOf(2, '(x: DeviceArray<i32>, k: i32) => { x[k] += 5; }');
  for (let round = 0; round < 20; round++) add.launch({ grid: 1, block: 1 }, x, 1);
  expect(add.check({ grid: 1, block: 1 }, x, 1).faults).toEqual([]);
  expect(add.check({ grid: 1, block: 1 }, x, 4).faults).toHaveLength(1);
  expect(x.toNested()).toEqual([0, 105, 0, 0]);
});

test('a launch stops at what a check goes on after', () => {
  const x = array([3, 3], { dtype: 'int32' });
  const kernel = kernelOf(1, '(x: DeviceArray<i32>) => { x[7] = 1; x[0] = 2; }');
  kernel.launch({ grid: 1, block: 1 }, x);
  expect(() => x.toNested()).toThrow(KernelFaultError);
  expect(x.toNested()).toEqual([3, 3]);
  expect(kernel.check({ grid: 1, block: 1 }, x).faults).toHaveLength(1);
  expect(x.toNested()).toEqual([2, 3]);
});

test('what a checked kernel logs is written', async () => {
  const module = JSON.stringify(new URL('../kernel-of.ts', import.meta.url).href);
  const { stdout } = await runModule(`
    const { kernelOf } = await import(${module});
    const text = '() => { const t = cuda.threadIdx.x; if (t < 2) console.log(\`thread \${t}\`, t * 0.5, t === 1, "100%", unit); }';
    kernelOf(0, text, { unit: '%d items' }).check({ grid: 1, block: 4 });`);
  expect(stdout).toBe('thread 0 0 false 100% %d items\nthread 1 0.5 true 100% %d items\n');
});

/** CUDA C++ on a GPU: compilation with NVRTC, launches, ordering, capture, and error messages. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';

import {
  arange,
  ArgumentError,
  cuda,
  DriverError,
  DriverUnavailableError,
  DTypeError,
  empty,
  FreedError,
  Stream,
  zeros,
  type NDArray
} from 'stridelab';

import { compileCode } from '../../dist/src/compiler/nvrtc.js';
import { device, on, samples } from './device.ts';

const cache = mkdtempSync(join(tmpdir(), 'code-'));
process.env['STRIDELAB_CACHE_DIR'] = cache;
after(() => rmSync(cache, { recursive: true, force: true }));

/** The reason why these tests cannot run here; false if they can. */
function obstacle(): string | false {
  if (device.kind !== 'cuda') return 'the device is simulated';
  try {
    cuda.compiler();
    return false;
  } catch (error) {
    if (error instanceof DriverUnavailableError) return error.message;
    throw error;
  }
}
const skip = obstacle();

const ADD = `extern "C" __global__ void add(const float* x, const float* y, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + y[i];
}`;
/** Spins for about a millisecond in one thread, then adds 1 to every element: long enough to expose a missing wait. */
const SLOW = `extern "C" __global__ void slow(int* x, int n) {
  long long end = clock64() + 2000000;
  while (clock64() < end) {}
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] += 1;
}`;
const N = 1 << 20;
const shape = { grid: N / 256, block: 256 };
const floats = (stream?: Stream): NDArray<'float32'> =>
  arange(N, { dtype: 'float32', ...(stream === undefined ? on : { stream }) });

describe('CUDA C++', { skip }, () => {
  test('is compiled, launched and gives the right values', (t: TestContext) => {
    const { path, major, minor } = cuda.compiler();
    t.diagnostic(`NVRTC ${major}.${minor}, ${path}`);
    const add = cuda.compile(ADD, on).function('add');
    using x = floats();
    using y = floats();
    using out = empty(N, { ...on, dtype: 'float32' });
    add.launch(shape, x, y, out, N);
    assert.deepEqual(samples(out), [0, N, 2 * (N - 1)]);
    assert.equal(String(add), '__global__ void add(const float* x, const float* y, float* out, int n)');
  });

  test('arguments of every kind are passed', () => {
    const source = `
      struct Pair { short a; double b; };
      extern "C" __global__ void values(double* out, bool b, signed char c, unsigned short s, int i, unsigned u,
          long long l, size_t z, float f, double d, float2 w, Pair p, const char* nothing) {
        double all[] = {(double)b, (double)c, (double)s, (double)i, (double)u, (double)l, (double)z, f, d, w.x, w.y,
                        (double)p.a, p.b, (double)(nothing == nullptr)};
        for (int k = 0; k < 14; k++) out[k] = all[k];
      }`;
    using out = empty(14, { ...on, dtype: 'float64' });
    const pair = new DataView(new ArrayBuffer(16));
    pair.setInt16(0, -7, true);
    pair.setFloat64(8, 0.25, true);
    cuda
      .compile(source, on)
      .function('values')
      .launch(
        { grid: 1, block: 1 },
        out,
        true,
        -8,
        65535,
        -5,
        4e9,
        -(2n ** 40n),
        2 ** 41,
        0.5,
        1e-3,
        { re: 3, im: 4 },
        pair,
        null
      );
    assert.deepEqual(
      [...out.toTypedArray()],
      [1, -8, 65535, -5, 4e9, -(2 ** 40), 2 ** 41, 0.5, 1e-3, 3, 4, -7, 0.25, 1]
    );
  });

  test('templates and functions in namespaces are found by their C++ names', () => {
    const source = `namespace n { template <typename T, int N> __global__ void set(T* x) { x[threadIdx.x] = N; } }`;
    const names = ['n::set<float, 3>', 'n::set<int, 4>'] as const;
    const module = cuda.compile(source, { ...on, names });
    using f = zeros(32, { ...on, dtype: 'float32' });
    using i = zeros(32, { ...on, dtype: 'int32' });
    module.function(names[0]).launch({ grid: 1, block: 32 }, f);
    module.function(names[1]).launch({ grid: 1, block: 32 }, i);
    assert.deepEqual([f.item(31), i.item(31)], [3, 4]);
    assert.throws(() => module.function('set'), /C\+\+ name/);
  });

  test('variables of a module are arrays', () => {
    const source = `__constant__ float factors[4]; __device__ int counts[2];
      extern "C" __global__ void scale(float* x) { x[threadIdx.x] *= factors[threadIdx.x]; atomicAdd(&counts[1], 1); }`;
    const module = cuda.compile(source, { ...on, names: ['factors', 'counts'] });
    using stream = new Stream(on);
    const factors = module.global('factors', 4, 'float32');
    const counts = module.global('counts', 2, 'int32');
    counts.fill(0, { stream });
    factors.copyFrom(arange(4, { stream, dtype: 'float32' }), { stream });
    using x = arange(4, { stream, dtype: 'float32' });
    module.function('scale').launch({ grid: 1, block: 4, stream }, x);
    assert.deepEqual([...x.toTypedArray()], [0, 1, 4, 9]);
    assert.deepEqual([...counts.toTypedArray({ stream })], [0, 4]);
    assert.throws(() => module.global('factors', 5, 'float32'), /16 bytes/);
    assert.throws(() => module.global('nothing', 1, 'float32'), ArgumentError);
  });

  test('dynamic shared memory beyond 48 KiB is requested, also in addition to static shared memory', () => {
    const source = `extern __shared__ int cells[];
      extern "C" __global__ void turn(int* x, int n) {
        __shared__ int more[4096]; // 16 KiB
        for (int i = threadIdx.x; i < n; i += blockDim.x) cells[i] = i;
        if (threadIdx.x < 32) more[threadIdx.x] = 1;
        __syncthreads();
        for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = cells[n - 1 - i] + more[i % 32];
      }`;
    const turn = cuda.compile(source, on).function('turn');
    for (const kibi of [40, 64]) {
      const n = kibi * 256;
      using x = zeros(n, { ...on, dtype: 'int32' });
      turn.launch({ grid: 1, block: 256, sharedBytes: kibi * 1024 }, x, n);
      assert.deepEqual([x.item(0), x.item(n - 1)], [n, 1]);
    }
    using x = zeros(1, { ...on, dtype: 'int32' });
    assert.throws(
      () => turn.launch({ grid: 1, block: 1, sharedBytes: 2 ** 20 }, x, 0),
      /1048576 bytes of dynamic shared memory, more than/
    );
    assert.ok(turn.occupancy(256, 64 * 1024).blocksPerMultiprocessor >= 1);
  });

  test('a cooperative grid waits for all its blocks', () => {
    const source = `extern "C" __global__ void meet(unsigned* arrived, int* seen) {
        if (threadIdx.x == 0) {
          atomicAdd(arrived, 1u);
          while (atomicAdd(arrived, 0u) < gridDim.x) {}
          seen[blockIdx.x] = (int)atomicAdd(arrived, 0u);
        }
      }`;
    const meet = cuda.compile(source, on).function('meet');
    const { block, leastGrid } = meet.suggestBlock({ limit: 64 });
    using arrived = zeros(1, { ...on, dtype: 'uint32' });
    using seen = zeros(leastGrid, { ...on, dtype: 'int32' });
    meet.launch({ grid: leastGrid, block, cooperative: true }, arrived, seen);
    assert.ok([...seen.toTypedArray()].every(count => count === leastGrid));
    // More blocks than can be resident at once.
    assert.throws(
      () => meet.launch({ grid: 2 ** 20, block: 1024, cooperative: true }, arrived, seen),
      DriverError
    );
  });

  test('occupancy and attributes are reported', () => {
    const add = cuda.compile(ADD, on).function('add');
    const { maxThreadsPerBlock, registers, binaryVersion } = add.attributes();
    assert.equal(maxThreadsPerBlock, 1024);
    assert.ok(registers > 0);
    assert.equal(binaryVersion, device.computeCapability[0] * 10 + device.computeCapability[1]);
    const { blocksPerMultiprocessor, activeThreads } = add.occupancy(256);
    assert.equal(activeThreads, blocksPerMultiprocessor * 256);
    assert.ok(blocksPerMultiprocessor > 0);
    const { block, leastGrid } = add.suggestBlock();
    assert.ok(block >= 32 && block <= 1024 && leastGrid > 0);
    assert.ok(add.suggestBlock({ limit: 128 }).block <= 128);
  });

  test('PTX and machine code are loaded, and checked against the given declaration', () => {
    const [major, minor] = device.computeCapability;
    const request = { source: ADD, name: 'add.cu', capability: device.computeCapability, expressions: [] };
    const cubin = compileCode({ ...request, options: [] }).code;
    const ptx = Buffer.from(
      compileCode({ ...request, options: [`--gpu-architecture=compute_${major}${minor}`] }).code
    ).toString();
    assert.match(ptx, /\.version/);
    const path = join(cache, 'add.cubin');
    writeFileSync(path, cubin);
    using x = floats();
    for (const code of [cubin, ptx, Buffer.from(ptx), path]) {
      using out = zeros(N, { ...on, dtype: 'float32' });
      cuda
        .load(code, { ...on, signatures: ADD })
        .function('add')
        .launch(shape, x, x, out, N);
      assert.equal(out.item(N - 1), 2 * (N - 1));
      cuda.load(code, on).function('add').launch(shape, x, x, out, cuda.int32(N));
    }
    const bare = cuda.load(ptx, on).function('add');
    using out = zeros(N, { ...on, dtype: 'float32' });
    assert.throws(() => bare.launch(shape, x, x, out, N), /its type is unknown/);
    assert.throws(
      () => cuda.load(`${ptx}\nnonsense;`, on),
      /cuModuleLoadDataEx failed with CUDA_ERROR_INVALID_PTX[^]*(?:ptxas|line)/
    );
  });

  test('graphs replay launches in order', () => {
    using stream = new Stream(on);
    using x = zeros(N, { stream, dtype: 'int32' });
    const slow = cuda.compile(SLOW, on).function('slow');
    slow.launch({ grid: 64, block: 256, stream }, x, N);
    stream.synchronize();
    using graph = stream.capture(() => {
      slow.launch({ grid: 64, block: 256, stream }, x, N);
      slow.launch({ grid: 64, block: 256, stream }, x, N);
    });
    assert.deepEqual(samples(x), [1, 1, 1]);
    using other = new Stream(on);
    for (let round = 0; round < 5; round++) {
      x.fill(10, { stream: other });
      graph.launch(stream);
      assert.deepEqual(samples(x), [12, 12, 12]);
    }
  });

  test('work of two streams on one array is ordered without a wait in the program', () => {
    using a = new Stream(on);
    using b = new Stream(on);
    using x = zeros(N, { stream: a, dtype: 'int32' });
    const slow = cuda.compile(SLOW, on).function('slow');
    for (let round = 0; round < 20; round++) {
      x.fill(0, { stream: a });
      slow.launch({ grid: 64, block: 256, stream: a }, x, N);
      slow.launch({ grid: 64, block: 256, stream: b }, x, N);
      slow.launch({ grid: 64, block: 256, stream: a }, x, N);
      assert.deepEqual(samples(x), [3, 3, 3]);
    }
  });

  test('memory of an array that is disposed immediately lives until its kernel is done', () => {
    using stream = new Stream(on);
    const slow = cuda.compile(SLOW, on).function('slow');
    using kept = zeros(N, { stream, dtype: 'int32' });
    for (let round = 0; round < 20; round++) {
      const gone = zeros(N, { stream, dtype: 'int32' });
      slow.launch({ grid: 64, block: 256, stream }, gone, N);
      gone.dispose();
      using next = zeros(N, { ...on, dtype: 'int32' });
      assert.deepEqual(samples(next), [0, 0, 0]);
    }
    assert.deepEqual(samples(kept), [0, 0, 0]);
  });

  test('invalid launches are refused and have no effect', () => {
    const add = cuda.compile(ADD, on).function('add');
    using x = floats();
    using doubles = zeros(N, { ...on, dtype: 'float64' });
    assert.throws(() => add.launch(shape, x, doubles, x, N), DTypeError);
    assert.throws(() => add.launch(shape, x, x, x), ArgumentError);
    assert.throws(
      () => add.launch({ grid: 1, block: 2048 }, x, x, x, N),
      /2048 x 1 x 1 threads.*at most 1024 threads/
    );
    assert.throws(() => add.launch({ grid: [1, 70000], block: 1 }, x, x, x, N), DriverError);
    add.launch(shape, x, x, x, N);
    assert.equal(x.item(1), 2);
    const module = cuda.compile(`${ADD}\n// its own`, on);
    const own = module.function('add');
    module.unload();
    assert.throws(() => own.launch(shape, x, x, x, N), FreedError);
  });

  test('compiling on another thread leaves this one free, and the cache is faster than the compiler', async (t: TestContext) => {
    // A new text each time, so that the cache has no entry for it.
    const source = `${ADD}\n// ${process.pid} ${Date.now()}`;
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const start = performance.now();
    const module = await cuda.compileAsync(source, on);
    const compiled = performance.now() - start;
    clearInterval(ticking);
    assert.ok(turns > 0);
    using x = floats();
    module.function('add').launch(shape, x, x, x, N);
    assert.equal(x.item(2), 4);
    const again = performance.now();
    cuda.compile(source, on);
    const cached = performance.now() - again;
    t.diagnostic(`compiled in ${compiled.toFixed(1)} ms, from the cache in ${cached.toFixed(1)} ms`);
    assert.ok(cached < compiled);
  });

  // compute-sanitizer prevents the fault, or reports it.
  const skip = 'STRIDELAB_TEST_SANITIZER' in process.env && 'the fault is intended';
  test(
    'a kernel fault makes the process lose the device, and the error reports what is lost',
    { skip },
    () => {
      const program = `
      import { cuda, zeros } from 'stridelab';
      const on = { device: '${device.label}' };
      const fault = cuda.compile('extern "C" __global__ void fault(int* x) { x[1ll << 40] = 1; }', on).function('fault');
      const before = zeros(4, { ...on, dtype: 'int32' });
      fault.launch({ grid: 1, block: 1 }, before);
      const told = [];
      for (const use of [() => before.item(0), () => zeros(4, on), () => fault.launch({ grid: 1, block: 1 }, before)]) {
        try { use(); told.push('nothing'); } catch ({ name, message }) { told.push(name + ': ' + message); }
      }
      before.dispose();
      console.log(JSON.stringify(told));`;
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['--input-type=module', '--eval', program],
        {
          cwd: join(import.meta.dirname, '../..'),
          encoding: 'utf8'
        }
      );
      assert.equal(status, 0, stderr);
      for (const told of JSON.parse(stdout) as string[]) {
        assert.match(
          told,
          /^DeviceLostError: .*CUDA_ERROR_ILLEGAL_ADDRESS.*the contents of its arrays are lost.*until the process is restarted/
        );
      }
      // This process has not lost the device.
      using x = floats();
      assert.equal(x.item(5), 5);
    }
  );
});

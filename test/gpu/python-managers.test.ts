/** One memory manager for this library, Numba, numba-cuda-mlir, CuPy, PyTorch and RMM, in one process with all of them on a GPU. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

import { arange, full, python, PythonError, Stream, type LibraryShare, type PyObject } from 'stridelab';
import {
  BestFitPoolMemoryManager,
  currentManager,
  LimitingAdaptor,
  LoggingAdaptor,
  memhostalloc,
  setMemoryManager,
  StatisticsAdaptor,
  usingMemoryManager
} from 'stridelab/memory';

import { pass } from '../setup/until.ts';
import { device, on } from './device.ts';

const path = join(mkdtempSync(join(tmpdir(), 'stridelab-managers-')), 'log.csv');
setMemoryManager(
  LoggingAdaptor.over(StatisticsAdaptor.over(BestFitPoolMemoryManager), { path, flush: true })
);

/** Runs first: the installed Numba needs np.row_stack, which NumPy has removed. */
python.run('import numpy as np; np.row_stack = np.vstack; import gc, threading');
const shared = python.shareMemoryManager();
const outcome = (library: LibraryShare['library']): LibraryShare | undefined =>
  shared.libraries.find(share => share.library === library);
for (const { library, outcome: became, reason } of shared.libraries)
  process.stdout.write(`${library}: ${became}, ${reason}\n`);

/** The reason why a test of these libraries cannot run here; false if it can. */
function without(...libraries: readonly LibraryShare['library'][]): string | false {
  const missing = libraries.map(outcome).filter(share => share?.outcome === 'not-installed');
  return missing.length > 0 ? missing.map(share => share?.reason).join(', ') : false;
}

/** The packages with Numba's interface: the module `cuda`, and the module of our plugin. */
const NUMBAS = [
  ['numba', 'numba.cuda', 'stridelab.numba_manager'],
  ['numba_cuda_mlir', 'numba_cuda_mlir.cuda', 'stridelab.numba_cuda_mlir_manager']
] as const;

function statistics() {
  return ((currentManager(device) as LoggingAdaptor).upstream as StatisticsAdaptor).statistics();
}

/** Releases everything, and waits until all of it was freed. */
async function settle(): Promise<void> {
  python.run('gc.collect()');
  device.synchronize();
  for (let turn = 0; turn < 10; turn++) await pass(20, 'a release is not announced');
}

function rows(action: string): string[] {
  const lines = readFileSync((currentManager(device) as LoggingAdaptor).path, 'utf8')
    .trim()
    .split('\n');
  return lines
    .slice(1)
    .map(line => line.split(','))
    .filter(columns => columns[2] === action)
    .map(columns => columns[4] ?? '');
}

function raised(source: string): PythonError {
  try {
    python.run(source);
  } catch (error) {
    assert.ok(error instanceof PythonError, String(error));
    return error;
  }
  assert.fail('nothing was raised');
}

test('every installed library accepts the manager', () => {
  for (const { library, outcome: became, reason } of shared.libraries)
    assert.ok(became === 'taken' || became === 'not-installed', `${library}: ${became}, ${reason}`);
});

describe('one log has the allocations of every library', () => {
  test('CuPy', { skip: without('cupy') }, () => {
    python.run('import cupy; x = cupy.arange(1001, dtype="float32"); assert float(x.sum()) == 500500');
    assert.ok(rows('allocate').includes('4004'));
  });

  test('PyTorch', { skip: without('torch') }, () => {
    python.run(
      'import torch; t = torch.arange(1002, device="cuda", dtype=torch.float32); assert t.sum().item() == 501501'
    );
    assert.ok(rows('allocate').includes('4008'));
  });

  for (const [index, [library, cuda]] of NUMBAS.entries())
    test(library, { skip: without(library) }, () => {
      const count = 1005 + index;
      python.run(`
import ${cuda} as cuda
@cuda.jit
def double(values):
  i = cuda.grid(1)
  if i < values.size: values[i] *= 2
d${index} = cuda.to_device(np.arange(${count}, dtype="float32"))
double[4, 256](d${index})
assert d${index}.copy_to_host().sum() == ${count} * ${count - 1}
`);
      assert.ok(rows('allocate').includes(String(4 * count)));
    });

  test('RMM', { skip: without('rmm') }, () => {
    python.run('import rmm; r = rmm.DeviceBuffer(size=4020)');
    assert.ok(rows('allocate').includes('4020'));
  });

  test('of this library, and nothing is held at the end', async () => {
    const array = arange(1004, { ...on, dtype: 'float32' });
    assert.ok(rows('allocate').includes('4016'));
    array.dispose();
    await settle();
    const held = statistics().currentBytes;
    assert.ok(held >= 4004, `${held} bytes are held`);
    python.run('x = t = d0 = d1 = r = None');
    await settle();
    assert.equal(shared.usage.held, 0);
    assert.equal(statistics().currentBytes, 0);
    for (const size of without('cupy') === false ? ['4004'] : []) assert.ok(rows('free').includes(size));
    assert.equal(rows('allocate').length, rows('free').length);
  });
});

describe('threads', { skip: without('torch') }, () => {
  before(() => {
    python.run('import torch');
  });

  test('a backward pass on the JavaScript thread allocates from the manager', async () => {
    python.run(`
w = torch.ones(1000, 1000, device="cuda", requires_grad=True)
loss = (w * 3).sum()
loss.backward()
assert float(w.grad.mean()) == 3
w = loss = None
`);
    assert.equal(shared.usage.beside.count, 0);
    await settle();
  });

  test('so does one on another thread, while JavaScript continues', async () => {
    python.run(`
def train():
  w = torch.ones(500, 500, device="cuda", requires_grad=True)
  for _ in range(20): (w @ w).sum().backward()
  torch.cuda.synchronize()
  return float(w.grad.double().sum())
`);
    let turns = 0;
    const ticking = setInterval(() => turns++, 1);
    const value: unknown = await python.callAsync(python.evaluate('train') as PyObject);
    clearInterval(ticking);
    assert.equal(value, 20 * 2 * 500 ** 3);
    assert.ok(turns > 0);
    assert.equal(shared.usage.beside.count, 0);
  });

  test('threads that this one waits for do not block', () => {
    python.run(`
def work(): made.append(float(torch.ones(100, device="cuda").sum()))
made = []
workers = [threading.Thread(target=work) for _ in range(3)]
for worker in workers: worker.start()
for worker in workers: worker.join(60)
assert made == [100.0] * 3
`);
    assert.ok(shared.usage.beside.count > 0);
  });
});

describe('no memory', () => {
  const MESSAGE = /exceed the limit of 1048576 bytes/;
  const limited = () =>
    usingMemoryManager(LimitingAdaptor.over(BestFitPoolMemoryManager, { bytes: 2 ** 20 }));

  test("is CuPy's error", { skip: without('cupy') }, () => {
    using _ = limited();
    const error = raised('import cupy; cupy.empty(1 << 21, dtype="uint8")');
    assert.equal(error.type, 'cupy.cuda.memory.OutOfMemoryError');
    assert.match(error.message, MESSAGE);
  });

  test("is PyTorch's error, which names CUDA as its own does", { skip: without('torch') }, () => {
    using _ = limited();
    const error = raised('import torch; torch.empty(1 << 21, dtype=torch.uint8, device="cuda")');
    assert.equal(error.type, 'RuntimeError');
    assert.match(error.message, /CUDA out of memory\./);
    assert.match(error.message, MESSAGE);
    python.run('assert torch.ones(3, device="cuda").sum().item() == 3');
  });

  for (const [library, cuda, plugin] of NUMBAS)
    test(`is the error of ${library}`, { skip: without(library) }, () => {
      using _ = limited();
      const error = raised(`import ${cuda} as cuda; cuda.device_array(1 << 21, dtype="uint8")`);
      assert.equal(error.type, `${plugin}.OutOfMemoryError`);
      assert.match(error.message, MESSAGE);
    });

  test("is RMM's error", { skip: without('rmm') }, () => {
    using _ = limited();
    const error = raised('import rmm; rmm.DeviceBuffer(size=1 << 21)');
    assert.equal(error.type, 'MemoryError');
    assert.match(error.message, MESSAGE);
  });
});

describe('rule 232: memory is reused after the work of its streams', () => {
  test(
    'of PyTorch, in the order of each stream and of those passed to record_stream',
    { skip: without('torch') },
    async () => {
      using _ = usingMemoryManager(BestFitPoolMemoryManager);
      python.run(`
import torch
torch.cuda.synchronize()
s1, s2 = torch.cuda.Stream(), torch.cuda.Stream()
n = 1 << 20
for other in (False, True):
  for _ in range(20):
    with torch.cuda.stream(s1):
      x = torch.full((n,), 1.0, device="cuda")
    used, next_one = (s2, s1) if other else (s1, s2)
    if other: s2.wait_stream(s1)
    with torch.cuda.stream(used):
      torch.cuda._sleep(10_000_000)
      y = x * 2
      if other: x.record_stream(s2)
      del x
    with torch.cuda.stream(next_one):
      z = torch.full((n,), 100.0, device="cuda")
    torch.cuda.synchronize()
    assert float(y.min()) == float(y.max()) == 2, (other, float(y.min()), float(y.max()))
    del y, z
del s1, s2
`);
      await settle();
    }
  );

  test('of CuPy, in the order of its streams', { skip: without('cupy', 'torch') }, async () => {
    using _ = usingMemoryManager(BestFitPoolMemoryManager);
    python.run(`
import cupy, torch
s1, s2 = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
slow = cupy.RawKernel('extern "C" __global__ void slow(long long cycles) { long long start = clock64(); while (clock64() - start < cycles); }', "slow")
n = 1 << 20
for _ in range(20):
  with s1:
    x = cupy.full(n, 1.0, dtype="float32")
    y = cupy.empty_like(x)
    slow((1,), (1,), (np.int64(10_000_000),))
    cupy.multiply(x, 2, out=y)
    del x
  with s2:
    z = cupy.full(n, 100.0, dtype="float32")
  s1.synchronize(); s2.synchronize()
  assert float(y.min()) == float(y.max()) == 2
  del y, z
del s1, s2
`);
    await settle();
  });

  for (const [library, cuda] of NUMBAS)
    test(`of ${library}, also on streams of this library`, { skip: without(library) }, async () => {
      using _ = usingMemoryManager(BestFitPoolMemoryManager);
      using stream = new Stream(on);
      python.run(`
import ${cuda} as cuda
@cuda.jit
def spin(out, rounds):
  value = 1.0
  for index in range(rounds): value = value * 1.0000001 + 1e-9
  out[0] = value
@cuda.jit
def twice(source, target):
  i = cuda.grid(1)
  if i < target.size: target[i] = source[i] * 2
n = 1 << 20
ours = cuda.external_stream(${stream.handle})
ones = np.ones(n, dtype="float32")
out = cuda.device_array(1, dtype="float64")
y = cuda.device_array(n, dtype="float32")
spin[1, 1, ours](out, 10); twice[n // 256, 256, ours](y, y)
ours.synchronize()
`);
      for (let round = 0; round < 10; round++) {
        python.run(`
x = cuda.to_device(ones)
cuda.synchronize()
spin[1, 1, ours](out, 300_000)
twice[n // 256, 256, ours](x, y)
x = None
`);
        using later = full([1 << 20], 100, { ...on, dtype: 'float32' });
        stream.synchronize();
        python.run('host = y.copy_to_host(); assert host.min() == host.max() == 2, (host.min(), host.max())');
        void later;
      }
      python.run('x = y = out = ours = None');
      await settle();
    });
});

describe('the other direction', () => {
  for (const [library, cuda] of NUMBAS)
    test(
      `the own manager of ${library} gives this library its memory (NBEP 7)`,
      { skip: without(library) },
      async () => {
        python.run(`from ${cuda}.cudadrv.driver import NumbaCUDAMemoryManager`);
        const served = python.memoryManager(python.evaluate('NumbaCUDAMemoryManager') as PyObject);
        assert.equal(served.name, 'NumbaCUDAMemoryManager');
        using _ = usingMemoryManager(served);
        {
          using array = full([1000], 3, { ...on, dtype: 'float32' });
          using twice = array.copy();
          assert.deepEqual(twice.toTypedArray(), new Float32Array(1000).fill(3));
          const { free, total } = currentManager(device).getMemoryInfo();
          assert.ok(free > 0 && total >= free);
          using mapped = memhostalloc(4096, { ...on, mapped: true });
          new Uint8Array(mapped.buffer).fill(1);
          using memory = currentManager(device).memalloc(2 ** 21);
          const handle = currentManager(device).getIpcHandle(memory);
          assert.equal(handle.size, 2 ** 21);
          assert.equal(handle.handle.length, 64);
        }
        using deferred = currentManager(device).deferCleanup();
        await settle();
        void deferred;
      }
    );

  test(
    "RMM's plugin works as a memory manager of this library",
    { skip: without('numba', 'rmm') },
    async () => {
      python.run('from rmm.allocators.numba import RMMNumbaManager');
      const served = python.memoryManager(python.evaluate('RMMNumbaManager') as PyObject);
      const before = shared.usage.held;
      using _ = usingMemoryManager(BestFitPoolMemoryManager);
      // Its memory is RMM's, whose upstream is the manager that was current then.
      const inner = new served(device);
      inner.initialize();
      const memory = inner.memalloc(1000);
      assert.equal(memory.size, 1000);
      assert.equal(shared.usage.held, before + 1);
      memory.free();
      await settle();
      assert.equal(shared.usage.held, before);
    }
  );
});

test('undoing reports what stays', () => {
  const kept = shared.undo();
  if (without('torch') === false) assert.match(kept.get('torch') ?? '', /for the life of the process/);
  for (const [library] of NUMBAS)
    if (without(library) === false) assert.match(kept.get(library) ?? '', /context/);
  if (without('cupy') === false) python.run('import cupy; assert float(cupy.ones(4).sum()) == 4');
});

/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-argument -- what Python gives has no static type */
/**
 * Defects of other libraries that docs/interop.md lists, on a GPU with the real libraries: each test checks whether the defect still
 * exists, and that it does no harm here.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import { arange, array, cuda, empty, python, Stream, zeros, type NDArray, type PyObject } from 'stridelab';

import { device, on } from './device.ts';

const has = (name: string): boolean =>
  !device.simulated && python.import('importlib.util').find_spec(name) !== undefined;
/** For `skip`: false if all are installed. */
function without(...names: string[]): string | false {
  if (device.simulated) return 'these need a GPU';
  const missing = names.filter(name => !has(name));
  return missing.length > 0 && `no ${missing.join(', ')} here`;
}

/** Runs statements and returns the value of an expression. */
function after(statements: string, expression: string): PyObject {
  python.run(statements);
  return python.evaluate(expression) as PyObject;
}

/** The packages with Numba's interface: the name of the module, and the module `cuda`. */
const NUMBAS = [
  ['numba', 'numba.cuda'],
  ['numba_cuda_mlir', 'numba_cuda_mlir.cuda']
] as const;

/** numba-cuda uses a name at its import that NumPy has removed. */
const importing = (cuda: string): string => `
import numpy
if not hasattr(numpy, "row_stack"):
    numpy.row_stack = numpy.vstack
import ${cuda} as cuda
`;

/** Writes `value` after about 0.2 seconds. */
function fillLate(target: NDArray, value: number, stream?: Stream): void {
  const late = cuda
    .compile(
      `extern "C" __global__ void late(float* out, int n, long long cycles, float value) {
        long long start = clock64();
        while (clock64() - start < cycles) {}
        for (int i = 0; i < n; i++) out[i] = value;
      }`,
      { device }
    )
    .function('late');
  const where = stream === undefined ? {} : { stream };
  late.launch({ grid: 1, block: 1, ...where }, target, target.size, 0, 0);
  device.synchronize();
  late.launch({ grid: 1, block: 1, ...where }, target, target.size, 300_000_000, value);
}

for (const [library, cudaModule] of NUMBAS) {
  test(
    `defect 1, rule 19: a broadcast array of ${library} stays within its own memory`,
    { skip: without(library) },
    t => {
      const row = after(
        `${importing(cudaModule)}\nrow = cuda.to_device(numpy.arange(4, dtype="float32"))\ncuda.synchronize()`,
        'row'
      );
      const theirs = after(
        'wide = type(row)((3, 4), (0, 4), numpy.dtype("float32"), gpu_data=row.gpu_data)',
        'wide'
      );
      t.diagnostic(`it exports strides ${python.toJS(theirs['__cuda_array_interface__']).strides}`);
      const ours = python.asArray(theirs, { via: 'cuda-array-interface' });
      assert.deepEqual(ours.strides, [0, 4]);
      assert.deepEqual(
        ours.toNested(),
        [0, 1, 2].map(() => [0, 1, 2, 3])
      );
      assert.equal(ours.pointer, python.asArray(row).pointer);
    }
  );

  test(
    `defect 2, rule 68: the default stream of ${library}, exported as 0, is waited for`,
    { skip: without(library) },
    t => {
      const theirs = after(
        `${importing(cudaModule)}
@cuda.jit
def late(out, rounds, value):
    x = 1.0
    for i in range(rounds):
        x = x * 1.0000001 + 1e-9
    out[0] = value if x > 0.0 else 0.0

bound = cuda.to_device(numpy.zeros(4, dtype="float32")).bind(cuda.default_stream())
late[1, 1](bound, 1, 0.0)
cuda.synchronize()`,
        'bound'
      );
      t.diagnostic(`it exports stream ${python.toJS(theirs['__cuda_array_interface__']).stream}`);
      using mine = new Stream(on);
      const copy = empty(4, { dtype: 'float32', stream: mine });
      python.asArray(theirs, { stream: mine }).dispose();
      python.run('late[1, 1](bound, 30_000_000, 5.0)');
      copy.copyFrom(python.asArray(theirs, { stream: mine }), { stream: mine });
      assert.equal(copy.item(0), 5);
    }
  );
}

/** Runs a program in its own process and returns its output: the memory manager must be chosen before Numba first uses the device. */
function printed(program: string): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    timeout: 120_000
  });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

for (const [library, cudaModule] of NUMBAS) {
  test(
    `defects 3 and 12, rules 194, 208: the plugin for ${library} has a capacity, and reports memory that cannot be shared`,
    { skip: without(library) },
    () => {
      const program = `
      import { python } from 'stridelab';
      import { AsyncPoolMemoryManager, setMemoryManager } from 'stridelab/memory';
      setMemoryManager(AsyncPoolMemoryManager);
      python.run('import numpy\\nif not hasattr(numpy, "row_stack"): numpy.row_stack = numpy.vstack');
      const { libraries } = python.shareMemoryManager(['${library}']);
      python.run('import ${cudaModule} as cuda\\nx = cuda.to_device(numpy.zeros(4))');
      const capacity = python.evaluate('cuda.current_context().memory_manager.deallocations.memory_capacity');
      let refusal = 'none';
      try {
        python.evaluate('x.get_ipc_handle()');
      } catch (error) {
        refusal = error.message;
      }
      console.log(JSON.stringify([libraries[0].outcome, Number(capacity) > 2 ** 20, refusal]));`;
      const [outcome, hasCapacity, refusal] = JSON.parse(printed(program)) as [string, boolean, string];
      assert.deepEqual([outcome, hasCapacity], ['taken', true]);
      assert.match(refusal, /IPC handles cannot share/);
    }
  );

  test(`defect 6: mapped memory of ${library} is recognized as mapped`, { skip: without(library) }, () => {
    const theirs = after(
      `${importing(cudaModule)}\nmapped = cuda.mapped_array(4, dtype="float32", portable=True, wc=False)\nmapped[:] = 3`,
      'mapped'
    );
    const ours = python.asArray(theirs, { via: 'cuda-array-interface' });
    assert.equal(ours.storage.kind, 'pinned');
    assert.deepEqual(ours.toNested(), [3, 3, 3, 3]);
  });
}

test('defect 8: CuPy miscounts the bytes of an import, and reads all of it', { skip: without('cupy') }, t => {
  const ours = arange(64 * 64, { ...on, dtype: 'float32' }).reshape(64, 64);
  const theirs = python.import('cupy').from_dlpack(ours) as PyObject;
  t.diagnostic(`it counts ${theirs['data'].mem.size} bytes of 16384`);
  assert.equal(BigInt(theirs['data'].ptr), ours.pointer);
  assert.equal(Number(theirs['sum']().item()), (4096 * 4095) / 2);
});

test('defect 8: arrays with stride 0 are exported to CuPy unchanged', { skip: without('cupy') }, () => {
  const ours = array([7], { ...on, dtype: 'float32' }).broadcastTo([2, 3]);
  const theirs = python.import('cupy').asarray(ours) as PyObject;
  assert.deepEqual(python.toJS(theirs['tolist']()), [
    [7, 7, 7],
    [7, 7, 7]
  ]);
  assert.equal(Number(theirs['device'].id), ours.__dlpack_device__()[1]);
});

test(
  'defect 9: strides that CuPy rounds down in DLPack are read from its other interface',
  { skip: without('cupy') },
  () => {
    const theirs = after(
      `import cupy
memory = cupy.zeros(64, dtype="uint8")
packed = cupy.ndarray((4,), dtype="float64", memptr=memory.data, strides=(12,))`,
      'packed'
    );
    assert.deepEqual(python.asArray(theirs).strides, [12]);
    const whole = after('whole = cupy.arange(6, dtype="float64")[::2]', 'whole');
    assert.deepEqual(python.asArray(whole).toNested(), [0, 2, 4]);
  }
);

test('defect 13: negative strides of CuPy are read correctly', { skip: without('cupy') }, () => {
  const theirs = after('import cupy\nback = cupy.arange(6, dtype="float64")[::-2]', 'back');
  const ours = python.asArray(theirs);
  assert.deepEqual(ours.strides, [-16]);
  assert.deepEqual(ours.toNested(), [5, 3, 1]);
});

test(
  'defect 10, rule 114: a view is exported with its offset in the pointer',
  { skip: without('warp') },
  () => {
    const view = arange(6, { ...on, dtype: 'float32' }).slice('2:');
    assert.deepEqual(python.toJS(python.import('warp').from_dlpack(view).numpy().tolist()), [2, 3, 4, 5]);
  }
);

for (const [what, streamOf] of [
  ['the legacy default stream', () => undefined],
  ['a stream of ours', () => new Stream(on)]
] as const) {
  test(`defect 11, rule 69: jax.numpy.asarray waits for work on ${what}`, { skip: without('jax') }, () => {
    const jax = python.import('jax');
    const stream = streamOf();
    const ours = zeros(4, { dtype: 'float32', ...(stream === undefined ? on : { stream }) });
    jax.numpy.asarray(ours).block_until_ready();
    fillLate(ours, 5, stream);
    const theirs = jax.numpy.asarray(ours) as PyObject;
    assert.deepEqual(python.toJS(theirs['tolist']()), [5, 5, 5, 5]);
  });
}

test(
  'defect 11, rule 91: an array that jax.numpy.asarray imported outlives ours',
  { skip: without('jax') },
  () => {
    const jax = python.import('jax');
    const ours = zeros(2 ** 16, { ...on, dtype: 'float32' }).fill(3);
    const theirs = jax.numpy.asarray(ours) as PyObject;
    ours.dispose();
    // If the block was freed, its next holder overwrites it.
    const others = Array.from({ length: 8 }, () => zeros(2 ** 16, { ...on, dtype: 'float32' }).fill(9));
    device.synchronize();
    assert.equal(Number(theirs['sum']().item()), 3 * 2 ** 16);
    for (const other of others) other.dispose();
  }
);

test(
  'rule 5: an RMM buffer, whose descriptor has version 0, is imported as bytes on the device',
  { skip: without('rmm') },
  () => {
    const theirs = after('import rmm\nbuffer = rmm.DeviceBuffer.to_device(bytes(range(8)))', 'buffer');
    assert.equal(python.toJS(theirs['__cuda_array_interface__']).version, 0);
    const ours = python.asArray(theirs);
    assert.equal(ours.pointer, BigInt(theirs['ptr']));
    assert.deepEqual(ours.toNested(), [0, 1, 2, 3, 4, 5, 6, 7]);
  }
);

/**
 * Exports of our GPU arrays to Python's libraries without a copy: the same memory, after our work, and rewritten by us only after theirs.
 * Each ordering test has an unordered control, which shows that it would detect a race.
 */

import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';

import {
  arange,
  array,
  empty,
  FreedError,
  NDArray,
  ones,
  python,
  Stream,
  zeros,
  type PyObject
} from 'stridelab';

import { device, on, samples } from './device.ts';
import { COUNT, LONG, needs, object, three, withTorch } from './own-python.ts';

// Lets reports be written before a test that may crash the process.
beforeEach(() => setImmediate());

/** The value of a Python expression of one argument `a`. */
function ask(expression: string, value: unknown): unknown {
  return python.toJS((python.evaluate(`lambda a: ${expression}`) as PyObject)(value));
}

/** A matrix with a transposed, a strided, a 0-d and an empty view. */
function views(): NDArray[] {
  const a = arange(12, { ...on, dtype: 'float32' }).reshape(3, 4);
  return [a, a.T, a.slice(null, '::2'), a.slice(1, 2), a.slice('1:1')];
}

/** Checks the values that a library reads from each view, and the address if there are elements. */
function seesAll(values: string, address: string): void {
  for (const view of views()) {
    assert.deepEqual(ask(values, view), view.toNested());
    if (view.size > 0) assert.equal(BigInt(ask(address, view) as number | bigint), view.pointer);
  }
}

/**
 * PyTorch, whose `copy` copies its argument on a side stream, `late` after a delay
 * on the legacy default stream, `apart` after a delay on its own; `seen` waits for the copy and reads it. Arrays are taken with `ordered`, or
 * with `blind`, which requests no synchronization.
 */
const prepareTorch = (): void =>
  withTorch(`
out = torch.zeros(${COUNT}, dtype=torch.uint8, device="cuda")
torch.cuda.synchronize()
def ordered(a):
    return torch.from_dlpack(a)
def blind(a):
    return torch.from_dlpack(a.__dlpack__(stream=-1))
def copy(take, a):
    with torch.cuda.stream(side):
        out.copy_(take(a))
def late(take, a):
    torch.cuda._sleep(${LONG})
    out.copy_(take(a))
def apart(take, a):
    with torch.cuda.stream(side):
        torch.cuda._sleep(${LONG})
        out.copy_(take(a))
def seen():
    torch.cuda.current_stream().synchronize()
    side.synchronize()
    return out[[0, ${COUNT >> 1}, ${COUNT - 1}]].tolist()
`);

test('the object describes itself, and what NumPy can do with it', t => {
  if (!needs(t, 'numpy')) return;
  const a = zeros([2, 3], { ...on, dtype: 'float32' });
  const told =
    '[type(a).__name__, a.shape, a.device, a.__dlpack_device__(), hasattr(a, "__array_interface__")]';
  assert.deepEqual(ask(told, a), ['CudaArray', [2, 3], device.label, [2, device.ordinal], false]);
  assert.throws(() => ask('__import__("numpy").asarray(a)', a), /NumPy cannot read device memory/);
  const back = ask('a', a);
  assert.ok(back instanceof NDArray);
  assert.equal(back.storage, a.storage);
});

test('PyTorch: from_dlpack and as_tensor use the same memory', t => {
  if (!needs(t, 'torch')) return;
  python.run('import torch');
  seesAll('torch.from_dlpack(a).tolist()', 'torch.from_dlpack(a).data_ptr()');
  const a = zeros([4], { ...on, dtype: 'float32' });
  assert.equal(BigInt(ask('torch.as_tensor(a, device="cuda").data_ptr()', a) as number), a.pointer);
  ask('torch.from_dlpack(a).fill_(3)', a);
  python.run('torch.cuda.synchronize()');
  assert.deepEqual(a.toNested(), [3, 3, 3, 3]);
  assert.deepEqual(
    ask('torch.from_dlpack(a).float().tolist()', array([1.5, -2], { ...on, dtype: 'bfloat16' })),
    [1.5, -2]
  );
});

test('CuPy: from_dlpack and asarray use the same memory', t => {
  if (!needs(t, 'cupy')) return;
  python.run('import cupy');
  for (const take of ['cupy.from_dlpack(a)', 'cupy.asarray(a)'])
    seesAll(`${take}.get().tolist()`, `${take}.data.ptr`);
  const base = arange(6, { ...on, dtype: 'float64' });
  assert.deepEqual(ask('cupy.asarray(a).get().tolist()', base.slice('::-2')), [5, 3, 1]);
  assert.deepEqual(ask('cupy.asarray(a).get().tolist()', base.slice('0:1').broadcastTo([3])), [0, 0, 0]);
});

for (const cuda of ['numba.cuda', 'numba_cuda_mlir.cuda'])
  test(`${cuda}: as_cuda_array uses the same memory, and a kernel writes to it`, t => {
    if (!needs(t, cuda)) return;
    python.run(`
import ${cuda} as cuda
@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2
def launch(a):
    double[1, 32](a)
    cuda.synchronize()
`);
    const a = arange(5, { ...on, dtype: 'float32' });
    assert.equal(BigInt(ask('cuda.as_cuda_array(a).device_ctypes_pointer.value', a) as number), a.pointer);
    object('launch')(a);
    assert.deepEqual(a.toNested(), [0, 2, 4, 6, 8]);
  });

test('JAX: from_dlpack has the values', t => {
  if (!needs(t, 'jax', 'numpy')) return;
  python.run('import jax, jax.dlpack, numpy as np');
  const a = arange(6, { ...on, dtype: 'float32' }).reshape(2, 3);
  assert.deepEqual(ask('np.asarray(jax.dlpack.from_dlpack(a)).tolist()', a), a.toNested());
  assert.equal(BigInt(ask('jax.dlpack.from_dlpack(a).unsafe_buffer_pointer()', a) as number), a.pointer);
});

test('JAX: imports its own arrays back without a copy, and float8', t => {
  if (!needs(t, 'jax', 'numpy')) return;
  python.run('import jax, jax.dlpack, jax.numpy as jnp, numpy as np\nx = jnp.arange(4096.0).reshape(64, 64)');
  for (const via of ['dlpack', 'cuda-array-interface'] as const) {
    using a = python.asArray(object('x'), { via });
    assert.equal(a.readOnly, true);
    for (const take of ['jax.dlpack.from_dlpack(a)', 'jnp.asarray(a)']) {
      assert.equal(BigInt(ask(`${take}.unsafe_buffer_pointer()`, a) as number), a.pointer, `${via} ${take}`);
    }
    const rows = a.slice('2:4');
    assert.deepEqual(ask('np.asarray(jax.dlpack.from_dlpack(a)).tolist()', rows), rows.toNested());
    assert.throws(() => ask('a.__dlpack__()', a), /pass a copy/);
  }
  const small = ones(256, { ...on, dtype: 'float8_e4m3fn' });
  assert.equal(ask('float(jax.dlpack.from_dlpack(a).astype("float32").sum())', small), 256);
});

test('cuda.core: views through DLPack and through the interface use the same memory', t => {
  if (!needs(t, 'cuda.core.utils')) return;
  python.run('from cuda.core.utils import StridedMemoryView');
  const a = arange(6, { ...on, dtype: 'float32' }).reshape(2, 3);
  for (const from of ['from_dlpack', 'from_cuda_array_interface']) {
    const view = `StridedMemoryView.${from}(a, stream_ptr=-1)`;
    assert.equal(BigInt(ask(`${view}.ptr`, a) as number), a.pointer);
    assert.deepEqual(
      ask(`[tuple(${view}.shape), ${view}.is_device_accessible, ${view}.readonly]`, a.asReadOnly()),
      [[2, 3], true, true]
    );
  }
});

test('rule 154: PyTorch on its own stream reads after our work; with stream=-1 before it', t => {
  if (!needs(t, 'torch')) return;
  prepareTorch();
  using mine = new Stream(on);
  using a = empty(COUNT, { dtype: 'uint8', stream: mine });
  for (const [take, expected] of [
    ['blind', 0],
    ['ordered', 5]
  ] as const) {
    a.fill(0);
    a.synchronize();
    object('hold')(mine.handle);
    a.fill(5);
    object('copy')(object(take), a);
    assert.deepEqual(python.toJS(object('seen')()), three(expected), take);
    mine.synchronize();
  }
});

test('rules 82, 162: our next write waits until PyTorch has read; with stream=-1 it does not', t => {
  if (!needs(t, 'torch')) return;
  prepareTorch();
  using mine = new Stream(on);
  using a = empty(COUNT, { dtype: 'uint8', stream: mine });
  for (const where of ['late', 'apart'])
    for (const [take, expected] of [
      ['blind', 9],
      ['ordered', 3]
    ] as const) {
      a.fill(3);
      a.synchronize();
      object(where)(object(take), a);
      a.fill(9);
      assert.deepEqual(python.toJS(object('seen')()), three(expected), `${where}, ${take}`);
      mine.synchronize();
      assert.deepEqual(samples(a), three(9));
    }
});

test('rules 66 to 80: CuPy and Numba wait for the stream that the interface names', t => {
  if (!needs(t, 'torch', 'cupy', 'numba.cuda')) return;
  prepareTorch();
  python.run(`
import cupy
from numba import cuda
def by_cupy(a):
    with cupy.cuda.Stream(non_blocking=True) as stream:
        copied = cupy.asarray(a).copy()
        stream.synchronize()
        return copied[[0, ${COUNT >> 1}, ${COUNT - 1}]].get().tolist()
def by_numba(a):
    whole = cuda.as_cuda_array(a).copy_to_host()
    return whole[[0, ${COUNT >> 1}, ${COUNT - 1}]].tolist()
`);
  for (const reader of ['by_cupy', 'by_numba']) {
    using mine = new Stream(on);
    using a = empty(COUNT, { dtype: 'uint8', stream: mine }).fill(0);
    a.synchronize();
    object('hold')(mine.handle);
    a.fill(6);
    assert.deepEqual(python.toJS(object(reader)(a)), three(6), reader);
  }
});

test('rules 147, 153: NumPy gets a copy on the host, after our work', t => {
  if (!needs(t, 'torch', 'numpy')) return;
  prepareTorch();
  using mine = new Stream(on);
  using a = empty(COUNT, { dtype: 'uint8', stream: mine }).fill(0);
  a.synchronize();
  object('hold')(mine.handle);
  a.fill(8);
  const values = `np.from_dlpack(a, device="cpu")[[0, ${COUNT >> 1}, ${COUNT - 1}]].tolist()`;
  python.run('import numpy as np');
  assert.deepEqual(ask(values, a), three(8));
});

test('rule 96: a disposed array stays alive in Python, with its pending work', t => {
  if (!needs(t, 'torch')) return;
  prepareTorch();
  using mine = new Stream(on);
  const a = empty(COUNT, { dtype: 'uint8', stream: mine }).fill(0);
  a.synchronize();
  object('hold')(mine.handle);
  a.fill(4);
  python.run('kept = []');
  ask('kept.append(torch.from_dlpack(a))', a);
  a.dispose();
  assert.throws(() => ask('a', a), FreedError);
  // The next holder of a freed array's block must not appear here.
  using other = empty(COUNT, { dtype: 'uint8', stream: mine }).fill(1);
  assert.deepEqual(samples(other), three(1));
  assert.deepEqual(
    python.toJS(python.evaluate(`kept.pop()[[0, ${COUNT >> 1}, ${COUNT - 1}]].tolist()`)),
    three(4)
  );
});

test('a stream that its library destroyed blocks nothing', t => {
  if (!needs(t, 'cupy')) return;
  python.run(`
import cupy, gc
def use(a):
    with cupy.cuda.Stream(non_blocking=True) as stream:
        total = int(cupy.from_dlpack(a).sum())
        stream.synchronize()
    del stream
    gc.collect()
    return total
`);
  using mine = new Stream(on);
  using a = empty([1024], { dtype: 'int32', stream: mine }).fill(2);
  assert.equal(object('use')(a), 2048);
  a.fill(3);
  assert.deepEqual(samples(a), three(3));
});

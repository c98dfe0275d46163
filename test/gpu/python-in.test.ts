/**
 * Imports of GPU arrays from Python's libraries without a copy: the same memory, after their work, and released only after ours. Each
 * ordering test has an unordered control, which shows that it would detect a race.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asCudaArray, empty, fromCudaArrayInterface, python, Stream, type NDArray } from 'stridelab';

import { device, on, samples } from './device.ts';
import { COUNT, LONG, needs, object, three, withTorch } from './own-python.ts';

const address = (expression: string): bigint => BigInt(python.evaluate(expression) as number | bigint);
/** Describes the memory as a producer that neither orders work nor keeps the memory alive. */
const unordered = (pointer: bigint, stream: Stream): NDArray =>
  fromCudaArrayInterface(
    { shape: [COUNT], typestr: '|u1', data: [pointer, false], version: 3 },
    { ...on, stream }
  );

/** PyTorch with `work(value)`, which writes `tensor` on the side stream after a while. */
const prepareTorch = (): void =>
  withTorch(`
tensor = torch.zeros(${COUNT}, dtype=torch.uint8, device="cuda")
torch.cuda.synchronize()
def work(value):
    with torch.cuda.stream(side):
        torch.cuda._sleep(${LONG})
        tensor.fill_(value)
`);

test('PyTorch: the same memory, by the exchange table, by __dlpack__ and by its CUDA descriptor', t => {
  if (!needs(t, 'torch')) return;
  python.run('import torch\nmatrix = torch.arange(6, dtype=torch.float32, device="cuda").reshape(2, 3).T');
  for (const via of [undefined, 'exchange-table', 'dlpack', 'cuda-array-interface'] as const) {
    using array = python.asArray(object('matrix'), { via });
    assert.equal(array.device, device);
    assert.equal(array.pointer, address('matrix.data_ptr()'));
    assert.deepEqual(array.toNested(), [
      [0, 3],
      [1, 4],
      [2, 5]
    ]);
  }
  using array = python.asArray(object('matrix'));
  array.fill(7);
  assert.equal(python.evaluate('bool((matrix == 7).all())'), true);
  using half = python.asArray(object('torch.ones(4, dtype=torch.bfloat16, device="cuda")'));
  assert.deepEqual([half.dtype.name, half.toNested()], ['bfloat16', [1, 1, 1, 1]]);
});

test('PyTorch: tensors whose memory holds other values are refused by the CUDA descriptor too', t => {
  if (!needs(t, 'torch')) return;
  python.run('import torch\nlazy = torch.ones(4, dtype=torch.complex64, device="cuda").conj()');
  const via = 'cuda-array-interface';
  assert.throws(() => python.asArray(object('lazy'), { via }), /resolve_conj/);
  assert.throws(() => python.asArray(object('lazy.imag'), { via }), /resolve_neg/);
  assert.throws(() => asCudaArray(object('lazy')), /resolve_conj/);
  python.asArray(object('lazy.resolve_conj()'), { via }).dispose();
});

test('PyTorch: refused tensors are freed when Python drops them, even if the errors are kept', t => {
  if (!needs(t, 'torch')) return;
  python.run('import torch\ntorch.cuda.empty_cache()\nbefore = torch.cuda.memory_allocated()');
  const errors: unknown[] = [];
  for (let round = 0; round < 20; round++) {
    using tensor = object('torch.ones(2**26, device="cuda", requires_grad=True)');
    try {
      python.asArray(tensor, { via: round % 2 === 0 ? 'dlpack' : 'exchange-table' });
    } catch (error) {
      errors.push(error);
    }
  }
  assert.equal(errors.length, 20);
  assert.equal(python.evaluate('torch.cuda.memory_allocated() - before'), 0);
});

test('PyTorch: work pending on its current stream runs first; for another stream it does not', t => {
  if (!needs(t, 'torch')) return;
  prepareTorch();
  for (const via of ['exchange-table', 'dlpack', 'cuda-array-interface'] as const) {
    using mine = new Stream(on);
    python.run('torch.cuda.synchronize(); tensor.fill_(0); torch.cuda.synchronize(); work(5)');
    using blind = unordered(address('tensor.data_ptr()'), mine);
    assert.deepEqual(samples(blind), three(0), 'the control reads before the work');
    python.run('torch.cuda.set_stream(side)');
    try {
      using array = python.asArray(object('tensor'), { via, stream: mine });
      assert.deepEqual(samples(array), three(5), via);
    } finally {
      python.run('torch.cuda.set_stream(torch.cuda.default_stream())');
    }
  }
});

test('PyTorch: its next write waits for our read; without the event back it does not', t => {
  if (!needs(t, 'torch')) return;
  prepareTorch();
  using copy = empty(COUNT, { ...on, dtype: 'uint8' });
  const hold = object('hold');
  for (const ordered of [false, true]) {
    using mine = new Stream(on);
    python.run(
      'torch.cuda.synchronize(); tensor.fill_(3); torch.cuda.synchronize(); torch.cuda.set_stream(side)'
    );
    try {
      using array = ordered
        ? python.asArray(object('tensor'), { via: 'exchange-table', stream: mine })
        : unordered(address('tensor.data_ptr()'), mine);
      hold(mine.handle);
      copy.copyFrom(array, { stream: mine });
      python.run('tensor.fill_(9)');
      assert.deepEqual(samples(copy), three(ordered ? 3 : 9), ordered ? 'ordered' : 'the control');
    } finally {
      python.run('torch.cuda.set_stream(torch.cuda.default_stream())');
    }
  }
});

test('PyTorch: its allocator reuses a block after our read; if it is not informed, it reuses the block before', t => {
  if (!needs(t, 'torch')) return;
  prepareTorch();
  using copy = empty(COUNT, { ...on, dtype: 'uint8' });
  const hold = object('hold');
  for (const kept of [false, true]) {
    using mine = new Stream(on);
    python.run(
      `torch.cuda.empty_cache()\nlent = torch.full((${COUNT},), 4, dtype=torch.uint8, device="cuda")\ntorch.cuda.synchronize()`
    );
    const pointer = address('lent.data_ptr()');
    const lent = object('lent');
    const array = kept ? python.asArray(lent, { stream: mine }) : unordered(pointer, mine);
    lent[Symbol.dispose]();
    hold(mine.handle);
    copy.copyFrom(array, { stream: mine });
    array.dispose();
    python.run(`del lent\nnext = torch.full((${COUNT},), 8, dtype=torch.uint8, device="cuda")`);
    assert.equal(address('next.data_ptr()') === pointer, !kept, 'whether the block was given out again');
    assert.deepEqual(samples(copy), three(kept ? 4 : 8), kept ? 'kept' : 'the control');
    python.run('del next');
  }
});

test('PyTorch: memory of disposed arrays is returned immediately', t => {
  if (!needs(t, 'torch')) return;
  python.run('import torch\nbefore = torch.cuda.memory_allocated()');
  for (let round = 0; round < 200; round++) {
    using tensor = object('torch.ones(2**20, dtype=torch.uint8, device="cuda")');
    python.asArray(tensor).dispose();
  }
  // Arrays that earlier tests dropped may be collected in between.
  assert.ok((python.evaluate('torch.cuda.memory_allocated() - before') as number) <= 0);
});

test('CuPy: the same memory, strides and order; its next write waits', t => {
  if (!needs(t, 'cupy', 'torch')) return;
  prepareTorch();
  python.run(`
import cupy as cp, numpy as np
grid = cp.arange(6, dtype="f4").reshape(2, 3)[:, ::2]
block = cp.zeros(${COUNT}, dtype="u1")
stream = cp.cuda.Stream(non_blocking=True)
spin = cp.RawKernel('extern "C" __global__ void spin(long long n) { long long s = clock64(); while (clock64() - s < n); }', "spin")
spin((1,), (1,), (1,))
cp.cuda.Device().synchronize()
def work(value):
    with stream:
        spin((1,), (1,), (${LONG},))
        block.fill(value)
`);
  for (const via of ['dlpack', 'cuda-array-interface'] as const) {
    using array = python.asArray(object('grid'), { via });
    assert.equal(array.pointer, address('grid.data.ptr'));
    assert.deepEqual(array.toNested(), [
      [0, 2],
      [3, 5]
    ]);
    using mine = new Stream(on);
    using blind = unordered(address('block.data.ptr'), mine);
    // One-time work, such as compilation and page-locked memory, may wait for the whole device.
    python.run('work(1)');
    samples(blind);
    python.run('cp.cuda.Device().synchronize(); block.fill(0); cp.cuda.Device().synchronize(); work(6)');
    assert.deepEqual(samples(blind), three(0), 'the control reads before the work');
    using copy = empty(COUNT, { ...on, dtype: 'uint8' });
    python.run('stream.use()');
    try {
      using after = python.asArray(object('block'), { via, stream: mine });
      assert.deepEqual(samples(after), three(6), via);
      object('hold')(mine.handle);
      copy.copyFrom(after, { stream: mine });
      python.run('block.fill(1)');
      assert.deepEqual(samples(copy), three(6), `${via}, the way back`);
    } finally {
      python.run('cp.cuda.Stream.null.use()');
    }
  }
  using zero = python.asArray(object('cp.broadcast_to(cp.asarray(2.5), (2, 2))'));
  assert.deepEqual(zero.toNested(), [
    [2.5, 2.5],
    [2.5, 2.5]
  ]);
  using records = python.asArray(object('cp.zeros(3, dtype=np.dtype([("a", "<i4"), ("b", "<f4")]))["b"]'));
  assert.deepEqual([records.strides, records.toNested()], [[8], [0, 0, 0]]);
});

for (const cuda of ['numba.cuda', 'numba_cuda_mlir.cuda'])
  test(`${cuda}: device arrays, and work pending on their stream and on the default one`, t => {
    if (!needs(t, cuda)) return;
    python.run(`
import numpy as np, math
import ${cuda} as cuda
host = np.zeros(${COUNT}, dtype="u1")
@cuda.jit
def slow(target, value, rounds):
    index = cuda.grid(1)
    total = 0.0
    for step in range(rounds):
        total += math.sin(total + step)
    if index < target.size:
        target[index] = value if total < 1e30 else 0
s = cuda.stream()
on_stream = cuda.to_device(host, stream=s)
on_default = cuda.to_device(host)
slow[1, 1](on_default, 0, 1)
cuda.synchronize()
`);
    for (const [name, launch] of [
      ['on_stream', 'slow[64, 256, s](on_stream, 7, 100000)'],
      ['on_default', 'slow[64, 256](on_default, 7, 100000)']
    ] as const) {
      using mine = new Stream(on);
      python.run(launch);
      using array = python.asArray(object(name), { stream: mine });
      assert.equal(array.pointer, address(`${name}.device_ctypes_pointer.value`));
      assert.deepEqual([array.item(0), array.item(64 * 256 - 1), array.item(64 * 256)], [7, 7, 0]);
    }
    python.run('rows = cuda.to_device(np.arange(12.0).reshape(3, 4))');
    using rows = python.asArray(object('rows[:, 1]'));
    assert.deepEqual(rows.toNested(), [1, 5, 9]);
  });

test('JAX: read-only arrays, ready when they are read', t => {
  if (!needs(t, 'jax')) return;
  python.run(`
import jax, jax.numpy as jnp
square = jax.jit(lambda x: jnp.tanh(x @ x) * 0 + 2)
big = jnp.ones((4096, 4096), dtype=jnp.float32)
result = square(big)
`);
  for (const via of ['dlpack', 'cuda-array-interface'] as const) {
    python.run('result = square(big)');
    using array = python.asArray(object('result'), { via });
    assert.equal(array.readOnly, true);
    assert.equal(array.device, device);
    assert.deepEqual([array.item(0, 0), array.item(4095, 4095)], [2, 2]);
  }
});

test('CuPy: negative strides, which its DLPack export gets wrong, are read through its other interface', t => {
  if (!needs(t, 'cupy')) return;
  python.run('import cupy as cp\nbackwards = cp.arange(6, dtype="f4").reshape(2, 3)[::-1, ::-2]');
  using array = python.asArray(object('backwards'));
  assert.equal(array.pointer, address('backwards.data.ptr'));
  assert.deepEqual(array.toNested(), [
    [5, 3],
    [2, 0]
  ]);
  assert.throws(() => python.asArray(object('backwards'), { via: 'dlpack' }), /rule 120/);
});

test('cuda.core: a buffer is imported as bytes at its address', t => {
  if (!needs(t, 'cuda.core')) return;
  python.run(`
import cuda.core
try:
    from cuda.core import Device
except ImportError:
    from cuda.core.experimental import Device
core_device = Device()
core_device.set_current()
buffer = core_device.allocate(64, stream=core_device.default_stream)
core_device.sync()
`);
  using array = python.asArray(object('buffer'));
  assert.deepEqual([array.shape, array.dtype.itemsize], [[64], 1]);
  assert.equal(array.pointer, address('int(buffer.handle)'));
  array.fill(3);
  assert.deepEqual(samples(array), three(3));
});

test('host arrays stay on the host, and the device can read pinned ones', t => {
  if (!needs(t, 'torch')) return;
  python.run(
    'import torch\npinned = torch.arange(4, dtype=torch.float32).pin_memory()\nplain = torch.arange(4, dtype=torch.float32)'
  );
  using plain = python.asArray(object('plain'));
  assert.equal(plain.device.simulated, true);
  using moved = python.asArray(object('plain'), on);
  assert.equal(moved.device, device);
  assert.throws(() => python.asArray(object('plain'), { ...on, copy: false }), { code: 'ERR_BUFFER' });
  using pinned = python.asArray(object('pinned'));
  assert.deepEqual(
    [moved.toNested(), pinned.toNested()],
    [
      [0, 1, 2, 3],
      [0, 1, 2, 3]
    ]
  );
});

/** GPU arrays shared between this process and a Python process: the same memory through CUDA IPC, each side ordered after the other's work. */

import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';

import { arange, cuda, empty, python as own, Stream, type PyObject, type Python } from 'stridelab';

import { until } from '../setup/until.ts';
import { device, on, samples } from './device.ts';

/** Elements: enough that a copy takes a while. */
const COUNT = 2 ** 22;
/** Cycles of a GPU: some 60 ms. */
const LONG = 100_000_000;

let python: Python;
before(() => (python = own.open()));
after(() => python.close());

function needs(t: TestContext, module: string): boolean {
  if (device.simulated) {
    t.skip('it is the simulated device');
    return false;
  }
  try {
    python.import(module);
  } catch (error) {
    t.skip(`${module} cannot be imported: ${String(error).split('\n')[0]}`);
    return false;
  }
  return true;
}

const ask = (expression: string, ...values: unknown[]): unknown =>
  python.toJS((python.evaluate(`lambda *a: ${expression}`) as PyObject)(...values));

/** Keeps `stream` busy for a while. */
function hold(stream: Stream): void {
  cuda
    .compile(
      'extern "C" __global__ void hold(long long n) { long long s = clock64(); while (clock64() - s < n) {} }',
      { device }
    )
    .function('hold')
    .launch({ grid: 1, block: 1, stream }, LONG);
}

for (const [library, take] of [
  ['cupy', '__import__("cupy").asarray'],
  ['torch', '__import__("torch").from_dlpack']
] as const) {
  test(`${library} in another process uses our memory: writes are visible on both sides`, t => {
    if (!needs(t, library)) return;
    using array = arange(12, { ...on, dtype: 'float32' }).reshape(3, 4);
    const view = array.slice(null, '1::2');
    assert.deepEqual(ask(`${take}(a[0]).tolist()`, view), view.toNested());
    assert.equal(ask('a[0].copied', view), false);
    ask(`${take}(a[0]).__imul__(2) is None`, array);
    assert.deepEqual(array.toNested(), [
      [0, 2, 4, 6],
      [8, 10, 12, 14],
      [16, 18, 20, 22]
    ]);
  });
}

/** Keeps the default stream of Python's process busy for a while, then adds one to each element. */
const HOLD_AND_ADD = `
import cupy
_hold = cupy.RawKernel('extern "C" __global__ void hold(long long n) { long long s = clock64(); while (clock64() - s < n) {} }', "hold")
def hold_and_add(x, stream=None):
    with stream or cupy.cuda.Stream.null:
        y = cupy.asarray(x)
        _hold((1,), (1,), (${LONG},))
        y += 1
`;

for (const [name, stream] of [
  ['its default stream', 'None'],
  ['a stream of its own that nothing synchronizes with', '__import__("cupy").cuda.Stream(non_blocking=True)']
] as const)
  test(`rule 73: work here starts after the other process’s work on ${name} before its answer`, t => {
    if (!needs(t, 'cupy')) return;
    python.run(HOLD_AND_ADD);
    using array = empty(COUNT, { ...on, dtype: 'uint8' }).fill(0);
    // The first call compiles the kernels.
    for (let round = 1; round <= 4; round++) {
      ask(`hold_and_add(a[0], ${stream}) is None`, array);
      assert.deepEqual(samples(array), [round, round, round]);
    }
  });

test('rule 73: work here starts after the other process’s work before it called one of our functions', t => {
  if (!needs(t, 'cupy')) return;
  python.run(HOLD_AND_ADD);
  using array = empty(COUNT, { ...on, dtype: 'uint8' }).fill(0);
  let seen: unknown;
  ask('(hold_and_add(a[0]), a[1]())[1]', array, () => {
    seen = samples(array);
  });
  assert.deepEqual(seen, [1, 1, 1]);
});

test('rule 154: the other process reads its own array after our pending work on it', t => {
  if (!needs(t, 'cupy')) return;
  python.run(`import cupy\nread = cupy.zeros(${COUNT}, dtype="uint8")`);
  using array = python.asArray(python.evaluate('read') as PyObject);
  for (let round = 1; round <= 4; round++) {
    hold(array.stream);
    array.fill(round);
    assert.equal(ask('int(__import__("cupy").asarray(read)[-1])'), round);
  }
});

test('an array of CuPy in another process uses the same memory here', t => {
  if (!needs(t, 'cupy')) return;
  python.run('import cupy\ngiven = cupy.arange(8, dtype="int32").reshape(2, 4)');
  const given = python.evaluate('given') as PyObject;
  using array = python.asArray(given);
  assert.deepEqual(array.toNested(), [
    [0, 1, 2, 3],
    [4, 5, 6, 7]
  ]);
  array.fill(9);
  array.synchronize();
  assert.deepEqual(ask('given.tolist()'), [
    [9, 9, 9, 9],
    [9, 9, 9, 9]
  ]);
});

test('rule 154: the other process reads after our pending work', t => {
  if (!needs(t, 'cupy')) return;
  using mine = new Stream(on);
  using array = empty(COUNT, { dtype: 'uint8', stream: mine }).fill(0);
  assert.equal(ask('int(__import__("cupy").asarray(a[0])[-1])', array), 0);
  hold(mine);
  array.fill(7);
  assert.equal(ask('int(__import__("cupy").asarray(a[0])[-1])', array), 7);
});

test('killing the process frees none of our memory', async t => {
  if (!needs(t, 'cupy')) return;
  const other = own.open();
  other.run('kept = []');
  const array = empty(COUNT, { ...on, dtype: 'uint8' }).fill(5);
  (other.evaluate('kept.append') as PyObject)(array);
  const { status } = other;
  assert.equal(status.state, 'running');
  process.kill(status.process as number, 'SIGKILL');
  await until(() => other.status.state !== 'running');
  assert.throws(() => other.import('cupy'), /PythonLost|ended|died|killed/i);
  assert.deepEqual(samples(array), [5, 5, 5]);
  array.dispose();
  other.close();
});

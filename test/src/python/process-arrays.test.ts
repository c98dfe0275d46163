/* eslint-disable @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-assignment -- what Python gives has no static type */
/** Arrays between this process and a separate Python process: the same memory on both sides. */

import { readdirSync } from 'node:fs';
import { pass } from '../../setup/until.ts';
import { emptyShared } from '../../../src/sharing/index.ts';
import {
  arange,
  asCudaArray,
  CopyRequiredError,
  full,
  IpcError,
  NDArray,
  PeerLostError,
  python as own,
  zeros,
  type PyObject,
  type Python
} from '../../../src/index.ts';
import { originOf } from '../../../src/pictures/array/origin.ts';
import { native } from '../../../src/native/load.ts';
import { thrown } from './asking.ts';
import { describeWith, pythonOfTests } from './environment.ts';

const SETUP = `
import numpy as np
def double(a):
  v = np.asarray(a)
  v *= 2
  return a
def facts(a):
  v = np.asarray(a)
  return [v.tolist(), list(v.shape), str(v.dtype), v.flags.writeable, a.copied]
def address(a): return np.asarray(a).__array_interface__["data"][0]
kept = []
`;
import { skipUnderPlugin } from '../managers/skip.ts';

function open(): Python {
  const python = own.open({ python: pythonOfTests });
  python.run(SETUP);
  return python;
}

const files = (pid: number | 'self'): number => readdirSync(`/proc/${pid}/fd`).length;

/** Makes both sides release objects without references. */
async function settle(python: Python): Promise<void> {
  for (let turn = 0; turn < 20; turn++) {
    native().drainReleases(true);
    await pass(10, 'the other side reports dropped objects in separate messages');
    python.run('import gc; gc.collect()');
  }
}

describeWith(['numpy'], 'our arrays in another process', () => {
  let python: Python;
  const call = (name: string, ...values: unknown[]): unknown =>
    (python.evaluate(name) as PyObject)(...values);
  beforeAll(() => (python = open()));
  afterAll(() => python.close());

  skipUnderPlugin('are the same memory: writes are visible on both sides', () => {
    const a = arange(6, { dtype: 'float32' }).reshape(2, 3);
    const [values, shape, dtype, writeable, copied] = python.toJS(call('facts', a));
    expect([values, shape, dtype, writeable, copied]).toEqual([
      [
        [0, 1, 2],
        [3, 4, 5]
      ],
      [2, 3],
      'float32',
      true,
      false
    ]);
    call('double', a);
    expect(a.toNested()).toEqual([
      [0, 2, 4],
      [6, 8, 10]
    ]);
    call('kept.append', a);
    a.fill(7);
    expect(python.evaluate('float(np.asarray(kept[0]).sum())')).toBe(42);
    python.run('kept.clear()');
  });

  test('can have any layout: reversed, transposed, of no dimension, without elements', () => {
    const a = arange(6, { dtype: 'int16' }).reshape(2, 3);
    const values = (array: NDArray): unknown => python.toJS(python.item(call('facts', array) as PyObject, 0));
    expect(values(a.slice(null, '::-1'))).toEqual([
      [2, 1, 0],
      [5, 4, 3]
    ]);
    expect(values(a.T)).toEqual([
      [0, 3],
      [1, 4],
      [2, 5]
    ]);
    expect(values(a.slice(1, 2))).toBe(5);
    expect(values(zeros([0, 3]))).toEqual([]);
  });

  skipUnderPlugin('that are read-only stay so', () => {
    const a = arange(3, { dtype: 'int32' });
    const broadcast = a.broadcastTo([2, 3]);
    expect(python.toJS(python.item(call('facts', broadcast) as PyObject, 3))).toBe(false);
    expect(thrown(() => call('double', broadcast))).toMatchObject({ type: 'ValueError' });
  });

  skipUnderPlugin('return as arrays over the same memory', () => {
    const a = zeros([2]);
    const again = (python.evaluate('lambda x: [x]') as PyObject)(a) as PyObject;
    const back = python.item(again, 0) as NDArray;
    expect(back).toBeInstanceOf(NDArray);
    back.fill(3);
    expect(a.toNested()).toEqual([3, 3]);
    expect(call('double', a)).toBeInstanceOf(NDArray);
    const seen: unknown[] = [];
    (python.evaluate('lambda f, a: f(a)') as PyObject)((x: NDArray) => seen.push(x.toNested()), a);
    expect(seen).toEqual([[6, 6]]);
  });

  test('stay alive in Python when they are disposed here', () => {
    const a = full([3], 5, { dtype: 'float64' });
    call('kept.append', a);
    a.dispose();
    expect(python.evaluate('np.asarray(kept.pop()).tolist()[2]')).toBe(5);
  });

  test('whose memory cannot be shared are copied, which the object reports', () => {
    const shared = emptyShared([4], { dtype: 'float64' });
    shared.fill(2);
    call('double', shared);
    expect(shared.toNested()).toEqual([4, 4, 4, 4]);
    const foreign = python.asArray(python.evaluate('np.arange(3.)'));
    expect(python.toJS(call('facts', foreign))).toEqual([[0, 1, 2], [3], 'float64', true, true]);
  });

  test('with a mask are refused', () => {
    const masked = arange(3).withMask(zeros([3], { dtype: 'bool' }));
    expect(thrown(() => call('facts', masked))).toBeInstanceOf(IpcError);
  });

  test('work in other threads and in awaited calls', async () => {
    const a = full([1000], 1, { dtype: 'float64' });
    const sum = python.evaluate('lambda a: float(np.asarray(a).sum())') as PyObject;
    const sums = await Promise.all(Array.from({ length: 8 }, () => python.callAsync(sum, a)));
    expect(sums).toEqual(Array.from({ length: 8 }, () => 1000));
  });
});

describeWith(['numpy'], 'arrays of Python in this process', () => {
  let python: Python;
  beforeAll(() => (python = open()));
  afterAll(() => python.close());
  const from = (expression: string): NDArray => python.asArray(python.evaluate(expression));

  test('are read with their shape and dtype, whatever their layout', () => {
    expect(from('np.arange(6, dtype="i2").reshape(2, 3)[:, ::-1]').toNested()).toEqual([
      [2, 1, 0],
      [5, 4, 3]
    ]);
    expect(from('np.array(7.5)').toNested()).toBe(7.5);
    expect(from('np.zeros((2, 0), "u1")').shape).toEqual([2, 0]);
    expect(from('np.array([1 + 2j])').dtype.name).toBe('complex128');
    expect(from('np.arange(3.)').device.simulated).toBe(true);
  });

  test('in memory that can be shared are the same memory', () => {
    python.run('import stridelab\nx = np.asarray(stridelab.shared_empty(3)); x[:] = 1');
    const a = python.asArray(python.evaluate('x'), { copy: false });
    expect(originOf(a.storage)).toBe('numpy (Python process)');
    a.fill(9);
    expect(python.evaluate('x.tolist()[2]')).toBe(9);
    python.run('x[0] = 4');
    expect(a.toNested()).toEqual([4, 9, 9]);
    const copy = python.asArray(python.evaluate('x'), { copy: true });
    copy.fill(0);
    expect(a.toNested()).toEqual([4, 9, 9]);
  });

  test('in other memory are copied, and `copy: false` refuses that', () => {
    const refused = thrown(() => python.asArray(python.evaluate('np.zeros(3)'), { copy: false }));
    expect(refused).toBeInstanceOf(CopyRequiredError);
    expect(thrown(() => from('object()'))).toHaveProperty('code', 'ERR_PYTHON');
  });

  test('stay alive when Python releases them, and are freed when nobody has them', async () => {
    const pid = python.status.process as number;
    const exchange = async (): Promise<void> => {
      for (let round = 0; round < 200; round++) {
        python.asArray(python.evaluate('np.ones(1000)')).dispose();
        (python.evaluate('np.asarray') as PyObject)(full([100], round));
      }
      await settle(python);
    };
    // Memory that is kept for reuse takes descriptors too.
    await exchange();
    const before = [files('self'), files(pid)] as const;
    await exchange();
    expect(files('self') - before[0]).toBeLessThan(5);
    expect(files(pid) - before[1]).toBeLessThan(5);
  }, 60_000);
});

describeWith(['numpy'], 'the exit of one side', () => {
  test('of Python leaves its arrays unchanged, and the next use reports it once', () => {
    const python = open();
    const a = python.asArray(python.evaluate('np.arange(3.)'));
    const mine = full([4], 2);
    (python.evaluate('kept.append') as PyObject)(mine);
    expect(thrown(() => python.run('import os; os.kill(os.getpid(), 9)'))).toBeInstanceOf(PeerLostError);
    expect(thrown(() => a.toNested())).toBeInstanceOf(PeerLostError);
    expect(a.toNested()).toEqual([0, 1, 2]);
    expect(mine.toNested()).toEqual([2, 2, 2, 2]);
    mine.dispose();
  });

  test('of Python that was closed leaves them silently', () => {
    const python = open();
    const a = python.asArray(python.evaluate('np.arange(3.)'));
    python.close();
    expect(a.toNested()).toEqual([0, 1, 2]);
    a.dispose();
  });
});

describeWith(['numpy', 'torch'], 'PyTorch in another process', () => {
  test('uses our memory and returns its own', () => {
    using python = open();
    python.run('import torch');
    const a = full([2, 2], 1);
    const scaled = (python.evaluate('lambda a: torch.from_dlpack(a).mul_(5).sum().item()') as PyObject)(a);
    expect(scaled).toBe(20);
    expect(a.toNested()).toEqual([
      [5, 5],
      [5, 5]
    ]);
    expect(python.asArray(python.evaluate('torch.arange(4).to(torch.bfloat16)')).toNested()).toEqual([
      0, 1, 2, 3
    ]);
  });
});

test('external memory of this process is copied', () => {
  const data = arange(3, { dtype: 'float32' });
  using python = own.open({ python: pythonOfTests });
  const view = asCudaArray(data);
  const seen: unknown = (python.evaluate('lambda a: (a.copied, a.shape)') as PyObject)(view);
  expect((python.toJS(seen) as unknown[])[1]).toEqual([3]);
});

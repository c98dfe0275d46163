/** References that Python's consumers hold to an array, as inspection shows them (rules 164 to 176). */

import { arange, python, type PyObject } from '../../../src/index.ts';
import { CapsuleWatch, type Capsules } from '../../../src/interchange/dlpack/watch.ts';
import { describeWith, obstacle, pythonOfTests, sourceOf } from './environment.ts';

const sim = { device: 'sim:0' } as const;
const run = (expression: string, ...values: unknown[]): unknown =>
  python.toJS((python.evaluate(expression) as PyObject)(...values));
const seen = ({ reports }: Capsules): string[] => reports.map(({ name, state }) => `${name} ${state}`);

if (obstacle === null) python.start({ python: pythonOfTests });

describeWith([], 'exported tensors', () => {
  beforeAll(() => {
    python.run(sourceOf('dlpack_reader.py'));
    python.run('import threading\nkept = []');
  });

  test('rules 164, 167: a capsule that nobody takes deletes its tensor', () => {
    const a = arange(4, sim);
    using watch = new CapsuleWatch(a.storage);
    run('lambda a: kept.append(a.__dlpack__())', a);
    expect(watch.changed).toBe(true);
    expect(watch.report()).toMatchObject({
      others: 0,
      reports: [{ name: 'dltensor', state: 'exported', way: 'python', asker: '__main__', copied: false }]
    });
    python.run('kept.clear()');
    expect(seen(watch.report())).toEqual(['dltensor deleted']);
  });

  test('rules 164, 165, 168: one that is taken is consumed until its deletion, and deleted afterwards', () => {
    const a = arange(4, sim);
    using watch = new CapsuleWatch(a.storage);
    run('lambda a: kept.append(a.__dlpack__(max_version=(1, 3)))', a);
    python.run('let_go = take(kept[0])');
    expect(watch.changed).toBe(true);
    expect(seen(watch.report())).toEqual(['used_dltensor_versioned consumed']);
    python.run('kept.clear()');
    expect(watch.changed).toBe(false);
    a.dispose();
    python.run('let_go()');
    expect(seen(watch.report())).toEqual(['used_dltensor_versioned deleted']);
  });

  test('rule 171: deleters can run on other threads, during a report', async () => {
    const a = arange(64, sim);
    using watch = new CapsuleWatch(a.storage);
    python.run(`
def consume(a):
    def work():
        for _ in range(200):
            c = a.__dlpack__(max_version=(1, 3))
            take(c)()
            a.__dlpack__()
    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads: t.start()
    for t in threads: t.join()`);
    const done = python.callAsync(python.evaluate('consume') as PyObject, a);
    let over = false;
    void done.finally(() => (over = true));
    while (!over) {
      for (const { state } of watch.report().reports)
        expect(['exported', 'consumed', 'deleted']).toContain(state);
      await new Promise(setImmediate);
    }
    await done;
    const { reports, others } = watch.report();
    expect([reports.length, others]).toEqual([32, 0]);
    expect(new Set(reports.map(({ state }) => state))).toEqual(new Set(['deleted']));
  });

  test('rules 173, 176: through the exchange table there is no capsule, and the tensor is exported immediately', () => {
    const a = arange(4, sim);
    using watch = new CapsuleWatch(a.storage);
    python.run('def hold(a):\n global held; held = from_object(a)');
    run('hold', a);
    run('lambda a: borrow(a) is None', a);
    expect(watch.report()).toMatchObject({
      others: 0,
      reports: [{ name: 'DLManagedTensorVersioned', state: 'consumed', way: 'python-table' }]
    });
    python.run('delete(held)');
    expect(seen(watch.report())).toEqual(['DLManagedTensorVersioned deleted']);
  });

  test('rule 150: a copy is followed with its source array, and does not hold its memory', () => {
    const a = arange(4, sim);
    using watch = new CapsuleWatch(a.storage);
    run('lambda a: kept.append(a.__dlpack__(copy=True))', a);
    expect(watch.report()).toMatchObject({
      others: 0,
      reports: [{ name: 'dltensor', state: 'exported', copied: true, asker: '__main__' }]
    });
    python.run('take(kept.pop())()');
    expect(seen(watch.report())).toEqual(['used_dltensor deleted']);
  });

  test('rule 168: earlier exports are counted, also after JavaScript freed the array', () => {
    const a = arange(4, sim);
    run('lambda a: kept.append(a.__dlpack__())', a);
    using watch = new CapsuleWatch(a.storage);
    a.dispose();
    expect(watch.report()).toEqual({ reports: [], others: 1 });
    python.run('kept.clear()');
    expect(watch.report()).toEqual({ reports: [], others: 0 });
  });
});

describeWith(['numpy'], 'NumPy', () => {
  test('holds a tensor for as long as its array', () => {
    python.run('import numpy as np\nkept = []');
    const a = arange(4, sim);
    using watch = new CapsuleWatch(a.storage);
    run('lambda a: kept.append(np.from_dlpack(a))', a);
    expect(seen(watch.report())).toEqual(['used_dltensor_versioned consumed']);
    python.run('kept.clear()');
    expect(seen(watch.report())).toEqual(['used_dltensor_versioned deleted']);
  });
});

describeWith(['torch'], 'PyTorch', () => {
  test('is named, and holds a tensor for as long as its views live', () => {
    python.run('import torch\nkept = []');
    const a = arange(4, { ...sim, dtype: 'float32' });
    using watch = new CapsuleWatch(a.storage);
    run('lambda a: kept.append(torch.from_dlpack(a)[1:])', a);
    expect(watch.report().reports).toMatchObject([{ state: 'consumed', asker: 'torch.utils.dlpack' }]);
    python.run('kept.clear()');
    expect(watch.report().reports).toMatchObject([{ state: 'deleted' }]);
  });
});

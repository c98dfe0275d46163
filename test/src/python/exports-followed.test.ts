/** What Python's consumers hold of an array, as those who look at it are told (rules 164 to 176), and what they asked, as it is recorded. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { arange, exchanges, python, Stream, zeros, type NDArray, type PyObject } from '../../../src/index.ts';
import { CapsuleWatch, type Capsules } from '../../../src/interchange/dlpack/watch.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';

const sim = { device: 'sim:0' } as const;
const run = (expression: string, ...values: unknown[]): unknown =>
  python.toJS((python.evaluate(expression) as PyObject)(...values));
const seen = ({ reports }: Capsules): string[] => reports.map(({ name, state }) => `${name} ${state}`);

if (obstacle === null) python.start({ python: pythonOfTests });

describeWith([], 'tensors that Python has', () => {
  beforeAll(() => {
    python.run(readFileSync(join(import.meta.dirname, 'dlpack_reader.py'), 'utf8'));
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

  test('rules 164, 165, 168: one that is taken says so while it is there, and afterwards', () => {
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

  test('rule 171: deleters on other threads, while somebody reads', async () => {
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

  test('rules 173, 176: by the exchange table there is no capsule, and the tensor is out at once', () => {
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

  test('rule 150: a copy is followed with the array that it was made of, and does not hold its memory', () => {
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

  test('rule 168: what Python got before is counted, also when JavaScript freed the array', () => {
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
  test('is named, and holds a tensor for as long as its views', () => {
    python.run('import torch\nkept = []');
    const a = arange(4, { ...sim, dtype: 'float32' });
    using watch = new CapsuleWatch(a.storage);
    run('lambda a: kept.append(torch.from_dlpack(a)[1:])', a);
    expect(watch.report().reports).toMatchObject([{ state: 'consumed', asker: 'torch.utils.dlpack' }]);
    python.run('kept.clear()');
    expect(watch.report().reports).toMatchObject([{ state: 'deleted' }]);
  });
});

describeWith([], 'what was asked, recorded', () => {
  const kinds = (): string[] =>
    exchanges
      .records()
      .at(-1)
      ?.facts.map(({ kind }) => kind) ?? [];
  const fact = (kind: string): unknown =>
    exchanges
      .records()
      .at(-1)
      ?.facts.find(found => found.kind === kind);
  const given = (call: string, array: NDArray): unknown => run(`lambda a: ${call} is None`, array);

  beforeEach(() => void exchanges.start());
  afterEach(() => exchanges.stop());

  test('rules 143, 144, 153: version, copy, device and stream, the answer, and who asked', () => {
    using a = arange(4, sim);
    given('a.__dlpack__(stream=None, max_version=(1, 1), dl_device=(1, 0), copy=False)', a);
    expect(exchanges.pending).toBe(true);
    const [exchange] = exchanges.records();
    expect(exchange).toMatchObject({
      protocol: 'python',
      language: 'javascript',
      consumer: "Python's __main__"
    });
    expect(kinds()).toEqual(['work', 'to-python', 'ask-capsule', 'host-wait', 'capsule']);
    expect(fact('ask-capsule')).toMatchObject({
      stream: 'None',
      names: null,
      options: 'max_version=(1, 1), dl_device=(1, 0), copy=False'
    });
    expect(fact('capsule')).toMatchObject({ name: 'dltensor_versioned' });
    expect(exchanges.pending).toBe(false);
  });

  test('rules 153, 158: a refusal, with its reason', () => {
    using a = arange(4, sim);
    expect(() => given('a.__dlpack__(stream=1)', a)).toThrow('rule 153');
    expect(kinds()).toEqual(['work', 'to-python', 'ask-capsule', 'failed']);
    expect(fact('failed')).toMatchObject({
      side: 'producer',
      message: expect.stringContaining('rule 153') as unknown
    });
    expect(fact('ask-capsule')).toMatchObject({ stream: '1' });
  });

  test('rule 153: the host waits for pending work, and that is said', () => {
    using stream = new Stream(sim);
    using a = zeros(4, { ...sim, stream });
    a.fill(2, { stream });
    given('a.__dlpack__()', a);
    expect(fact('host-wait')).toMatchObject({ stream: stream.toString() });
  });

  test('rules 173, 176: by the exchange table, to own and to borrow', () => {
    using a = arange(4, sim);
    run('lambda a: delete(from_object(a))', a);
    expect(kinds()).toEqual(['work', 'to-python', 'table', 'host-wait']);
    run('lambda a: borrow(a) is None', a);
    expect(exchanges.records().length).toBe(2);
    expect(kinds()).toEqual(['work', 'to-python', 'table', 'no-wait']);
  });

  test('an array that Python had before is recorded too, on its own', () => {
    exchanges.stop();
    using a = arange(4, sim);
    run('lambda a: kept.append(a)', a);
    exchanges.start();
    python.run('kept.pop().__dlpack__()');
    expect(exchanges.records()).toMatchObject([
      {
        number: 1,
        protocol: 'dlpack',
        language: 'python',
        producer: 'an array on kDLCPU',
        consumer: "Python's __main__"
      }
    ]);
    expect(kinds()).toEqual(['ask-capsule', 'host-wait', 'capsule']);
  });

  test('off it reads nothing, and what was recorded stays', () => {
    using a = arange(4, sim);
    a.synchronize();
    given('a.__dlpack__()', a);
    exchanges.stop();
    given('a.__dlpack__()', a);
    expect(exchanges.pending).toBe(false);
    expect(kinds()).toEqual(['work', 'to-python', 'ask-capsule', 'no-wait', 'capsule']);
  });
});

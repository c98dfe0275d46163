/** Requests and reads of Python's consumers, as `exchanges` records them. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Fact } from '../../../src/recording/exchanges/facts.ts';
import {
  arange,
  empty,
  exchanges,
  python,
  Stream,
  zeros,
  type NDArray,
  type PyObject
} from '../../../src/index.ts';
import { CapsuleWatch, type Capsules } from '../../../src/interchange/dlpack/watch.ts';
import { toDevice } from '../../../src/core/device.ts';
import { giveBackKeptMemory } from '../../../src/memory/manager/kept-memory.ts';
import { native } from '../../../src/native/load.ts';
import { rec } from '../conformance/cai-support.ts';
import { describeWith, obstacle, pythonOfTests, sourceOf } from './environment.ts';
import { skipUnderPlugin } from '../managers/skip.ts';

const sim = { device: 'sim:0' } as const;
const run = (expression: string, ...values: unknown[]): unknown =>
  python.toJS((python.evaluate(expression) as PyObject)(...values));
const seen = ({ reports }: Capsules): string[] => reports.map(({ name, state }) => `${name} ${state}`);

if (obstacle === null) {
  python.start({ python: pythonOfTests });
  python.run(sourceOf('dlpack_reader.py'));
  python.run('import threading\nkept = []');
}

/** Facts of the latest exchange. */
const latest = (): readonly Fact[] => exchanges.read().events.at(-1)?.facts ?? [];

describeWith([], 'recorded requests', () => {
  const kinds = (): string[] => latest().map(({ kind }) => kind);
  const fact = (kind: string): unknown => latest().find(found => found.kind === kind);
  const given = (call: string, array: NDArray): unknown => run(`lambda a: ${call} is None`, array);

  beforeEach(() => void exchanges.start());
  afterEach(() => exchanges.stop());

  test('rules 143, 144, 153: version, copy, device and stream, the answer, and the consumer are recorded', () => {
    using a = arange(4, sim);
    given('a.__dlpack__(stream=None, max_version=(1, 1), dl_device=(1, 0), copy=False)', a);
    expect(exchanges.pending).toBe(true);
    const [exchange] = exchanges.read().events;
    expect(exchange).toMatchObject({
      protocol: 'python',
      language: 'javascript',
      consumer: '__main__ (Python)'
    });
    expect(kinds()).toEqual(['work', 'to-python', 'ask-capsule', 'host-wait', 'capsule', 'deleted']);
    expect(fact('ask-capsule')).toMatchObject({
      stream: 'None',
      names: null,
      options: 'max_version=(1, 1), dl_device=(1, 0), copy=False'
    });
    expect(fact('capsule')).toMatchObject({ name: 'dltensor_versioned' });
    expect(exchanges.pending).toBe(false);
  });

  test('rules 153, 158: a refusal is recorded with its reason', () => {
    using a = arange(4, sim);
    expect(() => given('a.__dlpack__(stream=1)', a)).toThrow('rule 153');
    expect(kinds()).toEqual(['work', 'to-python', 'ask-capsule', 'failed']);
    expect(fact('failed')).toMatchObject({
      side: 'producer',
      message: expect.stringContaining('rule 153') as unknown
    });
    expect(fact('ask-capsule')).toMatchObject({ stream: '1' });
  });

  test('rule 153: a host wait for pending work is recorded', () => {
    using stream = new Stream(sim);
    using a = zeros(4, { ...sim, stream });
    a.fill(2, { stream });
    given('a.__dlpack__()', a);
    expect(fact('host-wait')).toMatchObject({ stream: stream.toString() });
  });

  test('rules 173, 176: the exchange table is recorded, with ownership and borrowed', () => {
    using a = arange(4, sim);
    run('lambda a: delete(from_object(a))', a);
    expect(kinds()).toEqual(['work', 'to-python', 'table', 'host-wait', 'deleted']);
    run('lambda a: borrow(a) is None', a);
    expect(exchanges.read().events.length).toBe(2);
    expect(kinds()).toEqual(['work', 'to-python', 'table', 'no-wait']);
  });

  test('an export of an array that Python had before gets a separate record', () => {
    exchanges.stop();
    using a = arange(4, sim);
    run('lambda a: kept.append(a)', a);
    exchanges.start();
    python.run('kept.pop().__dlpack__()');
    expect(exchanges.read().events).toMatchObject([
      {
        number: 1,
        protocol: 'dlpack',
        language: 'python',
        producer: 'float64 (4,)',
        consumer: '__main__ (Python)'
      }
    ]);
    expect(kinds()).toEqual(['ask-capsule', 'host-wait', 'capsule', 'deleted']);
  });

  test('nothing is recorded when it is off, and earlier records stay', () => {
    using a = arange(4, sim);
    a.synchronize();
    given('a.__dlpack__()', a);
    exchanges.stop();
    given('a.__dlpack__()', a);
    expect(exchanges.pending).toBe(false);
    expect(kinds()).toEqual(['work', 'to-python', 'ask-capsule', 'no-wait', 'capsule', 'deleted']);
  });
});

describeWith([], 'recorded reads', () => {
  /** Facts of the latest exchange without its beginning: the producer's work and the transfer to Python. */
  const facts = (): Fact[] => latest().filter(({ kind }) => kind !== 'work' && kind !== 'to-python');
  const kinds = (): string[] => facts().map(({ kind }) => kind);
  const fact = (kind: string): unknown => facts().find(found => found.kind === kind);
  const keep = (call: string, array: NDArray): unknown => run(`lambda a: kept.append(${call})`, array);

  beforeEach(() => void exchanges.start());
  afterEach(() => {
    python.run('kept.clear()');
    exchanges.stop();
  });

  test('a buffer is recorded from its request to its release, which a view of a view delays', () => {
    using a = arange(4, sim);
    keep('memoryview(a)', a);
    expect(exchanges.pending).toBe(true);
    expect(exchanges.read().events).toMatchObject([{ protocol: 'python', consumer: '__main__ (Python)' }]);
    expect(kinds()).toEqual(['ask-buffer', 'host-wait', 'buffer']);
    expect(fact('ask-buffer')).toMatchObject({ asks: 'INDIRECT | FORMAT' });
    expect(fact('buffer')).toMatchObject({ access: 'writable' });
    python.run('kept.append(kept[0][1:]); kept[0].release()');
    expect(exchanges.pending).toBe(false);
    python.run('kept.pop().release()');
    expect(exchanges.pending).toBe(true);
    expect(kinds().at(-1)).toBe('buffer-release');
    expect(exchanges.pending).toBe(false);
    const times = facts().map(({ time }) => time as number);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  test('while it is followed a buffer keeps its array alive, and its stand-in exports buffers too', () => {
    const a = arange(4, { ...sim, dtype: 'uint8' });
    python.run('import gc, weakref');
    run('lambda a: kept.append((memoryview(a), weakref.ref(a)))', a);
    a.dispose();
    python.run('gc.collect()');
    expect(python.toJS(python.evaluate('[bytes(kept[0][0].obj), kept[0][1]() is None]'))).toEqual([
      Uint8Array.of(0, 1, 2, 3),
      false
    ]);
    expect(() => python.run('type(kept[0][0].obj)()')).toThrow('memoryview(array)');
    python.run('r = kept.pop()[1]; gc.collect()');
    expect(python.toJS(python.evaluate('r() is None'))).toBe(true);
    expect(kinds().filter(kind => kind === 'buffer-release')).toHaveLength(2);
  });

  test('the type of arrays has no release, recorded or not: consumers of plain bytes may refuse one that has', () => {
    using a = arange(4, { ...sim, dtype: 'uint8' });
    expect(
      run('lambda a: [hasattr(a, "__release_buffer__"), type(memoryview(a).obj) is type(a)]', a)
    ).toEqual([false, false]);
    exchanges.stop();
    expect(run('lambda a: memoryview(a).obj is a', a)).toBe(true);
  });

  test.each([
    ['ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(a), v, 0)', 'SIMPLE'],
    ['ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(a), v, 0x1d)', 'STRIDES | FORMAT | WRITABLE'],
    ['ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(a), v, 0x3c)', 'C_CONTIGUOUS | FORMAT'],
    ['ctypes.pythonapi.PyObject_GetBuffer(ctypes.py_object(a), v, 0x08)', 'ND']
  ])('the flags of a request: %#', (call, asks) => {
    using a = arange(4, sim);
    python.run('import ctypes');
    run(
      `lambda a: [(v := (ctypes.c_char * 80)()), ${call}, ctypes.pythonapi.PyBuffer_Release(v)] is None`,
      a
    );
    expect(fact('ask-buffer')).toMatchObject({ asks });
    expect(kinds().at(-1)).toBe('buffer-release');
  });

  test('a refusal is recorded with its reason, without a release after it', () => {
    using a = arange(4, { ...sim, dtype: 'bfloat16' });
    expect(() => keep('memoryview(a)', a)).toThrow('no format for bfloat16');
    expect(kinds()).toEqual(['ask-buffer', 'failed']);
    expect(fact('failed')).toMatchObject({
      side: 'producer',
      message: expect.stringContaining('no format for bfloat16') as unknown
    });
  });

  test('an exception of the consumer releases its buffer', () => {
    using a = arange(4, sim);
    python.run(`
def breaks(a):
    with memoryview(a): raise KeyError('in the middle')`);
    expect(() => run('breaks', a)).toThrow('in the middle');
    expect(kinds().filter(kind => kind !== 'host-wait')).toEqual(['ask-buffer', 'buffer', 'buffer-release']);
  });

  test('a host wait for pending work is recorded', () => {
    using stream = new Stream(sim);
    using a = zeros(4, { ...sim, stream });
    a.fill(2, { stream });
    keep('memoryview(a)', a);
    expect(fact('host-wait')).toMatchObject({ stream: stream.toString() });
  });

  test('__array_interface__ is a read: its use is not reported, and it ends with the answer', () => {
    using a = arange(4, sim);
    expect(run('lambda a: hasattr(a, "__array_interface__")', a)).toBe(true);
    expect(kinds()).toEqual(['read', 'host-wait', 'ready']);
    expect(fact('read')).toMatchObject({ name: '__array_interface__' });
    expect(fact('ready')).toMatchObject({ version: 3 });
    using b = arange(4, { ...sim, dtype: 'bfloat16' });
    expect(run('lambda a: hasattr(a, "__array_interface__")', b)).toBe(false);
    expect(kinds()).toEqual(['read', 'failed']);
  });

  test('buffers can be released on another thread, while records are read', async () => {
    const a = arange(64, sim);
    python.run(`
def hold_and_release(a):
    def work():
        for _ in range(100):
            memoryview(a).release()
            a.__array_interface__
    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads: t.start()
    kept.append(memoryview(a))
    end = threading.Thread(target=lambda: kept.pop().release())
    for t in threads: t.join()
    end.start(); end.join()`);
    const done = python.callAsync(python.evaluate('hold_and_release') as PyObject, a);
    let over = false;
    void done.finally(() => (over = true));
    while (!over) {
      exchanges.read();
      await new Promise(setImmediate);
    }
    await done;
    const [{ facts: told, more } = { facts: [], more: 0 }] = exchanges.read().events;
    expect([told.length, more > 0]).toEqual([40, true]);
    const count = (kind: string): number => told.filter(found => found.kind === kind).length;
    expect(count('buffer-release')).toBeLessThanOrEqual(count('ask-buffer'));
  });

  test('reads after JavaScript freed the array are recorded, and the memory is alive', () => {
    const a = arange(4, sim);
    keep('a', a);
    a.dispose();
    python.run('kept.append(memoryview(kept[0])); kept[0].__array_interface__');
    expect(kinds().filter(kind => kind !== 'host-wait' && kind !== 'no-wait')).toEqual([
      'ask-buffer',
      'buffer',
      'read',
      'ready'
    ]);
  });

  test('if recording restarts between a buffer and its release, the release belongs to no record', () => {
    using a = arange(4, sim);
    keep('memoryview(a)', a);
    exchanges.stop();
    expect(kinds().at(-1)).toBe('buffer');
    exchanges.start();
    python.run('kept.clear()');
    expect(exchanges.read().events).toEqual([]);
    expect(exchanges.pending).toBe(false);
  });

  test('after `clear` requests of an array that Python has get a new record', () => {
    using a = arange(4, sim);
    keep('a', a);
    exchanges.clear();
    python.run('kept.append(memoryview(kept[0]))');
    expect(exchanges.read().events).toMatchObject([{ protocol: 'python', producer: 'float64 (4,)' }]);
    python.run('kept.pop()');
    expect(kinds().at(-1)).toBe('buffer-release');
  });

  test('watchers of the tensors of an array see no reads, and reads displace no tensor', () => {
    using a = arange(4, sim);
    using watch = new CapsuleWatch(a.storage);
    keep('a.__dlpack__()', a);
    run('lambda a: [memoryview(a) for _ in range(40)] is None', a);
    run('lambda a: [a.__array_interface__ for _ in range(40)] is None', a);
    expect(seen(watch.report())).toEqual(['dltensor exported']);
    exchanges.stop();
    const { exports } = native();
    const last = exports.last();
    run('lambda a: [bytes(a), a.__array_interface__] is None', a);
    expect(exports.last()).toBe(last);
  });

  test('a program can end with a buffer open', () => {
    const program = `
      import { arange, exchanges, python } from ${JSON.stringify(join(import.meta.dirname, '../../../src/index.ts'))};
      python.start({ python: ${JSON.stringify(pythonOfTests)} });
      exchanges.start();
      python.run('kept = []');
      python.toJS(python.evaluate('lambda a: kept.append(memoryview(a))')(arange(4, { device: 'sim:0' })));
      console.log(exchanges.read().events.at(-1).facts.at(-1).kind);`;
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8'
    });
    expect([status, stdout, stderr]).toEqual([0, 'buffer\n', '']);
  });
});

describeWith([], 'recorded reads of a device array', () => {
  const read = (a: NDArray): Fact[] => {
    run('lambda a: hasattr(a, "__cuda_array_interface__")', a);
    return latest().filter(({ kind }) => kind !== 'work' && kind !== 'to-python');
  };

  beforeEach(() => {
    native().recording.reset();
    exchanges.start();
  });
  afterEach(() => {
    exchanges.stop();
    native().recording.reset();
  });

  test('rules 69, 79: the stream in the descriptor is recorded, and the legacy one that waits too', () => {
    using stream = new Stream(rec);
    using a = zeros(4, { ...rec, stream });
    const legacy = Stream.legacyDefault(stream.device).toString();
    expect(read(a)).toMatchObject([
      { kind: 'read', name: '__cuda_array_interface__' },
      { kind: 'join', stream: legacy, other: stream.toString(), why: 'unread' },
      {
        kind: 'descriptor',
        version: 3,
        stream: `0x${stream.handle.toString(16)}`,
        names: stream.toString(),
        event: false
      }
    ]);
  });

  test('rule 70: the per-thread default stream is exported as the legacy one', () => {
    using a = zeros(4, { ...rec, stream: Stream.perThreadDefault(toDevice('rec:0')) });
    expect(read(a)).toMatchObject([
      { kind: 'read' },
      { kind: 'join', why: 'per-thread' },
      { kind: 'descriptor', stream: '1', names: 'legacy default stream' }
    ]);
  });

  skipUnderPlugin(
    'rules 66, 44: without pending work there is no stream, and a dtype without a name is a refusal',
    () => {
      // Memory of an earlier array could have pending work.
      giveBackKeptMemory(toDevice('rec:0'));
      using a = empty(4, rec);
      expect(read(a).map(({ kind }) => kind)).toEqual(['read', 'descriptor']);
      using b = empty(4, { ...rec, dtype: 'bfloat16' });
      expect(read(b)).toMatchObject([{ kind: 'read' }, { kind: 'failed', side: 'producer' }]);
    }
  );
});

describeWith(['numpy'], 'recorded reads of NumPy', () => {
  test('a buffer is recorded for as long as its array, or as bytes are read', () => {
    python.run('import numpy as np\nkept = []');
    using recording = exchanges.start();
    using a = arange(4, sim);
    const kinds = (): string[] =>
      recording.read().events.flatMap(({ facts }) => facts.map(({ kind }) => kind));
    run('lambda a: kept.append(np.asarray(a)[1:])', a);
    expect(kinds().slice(-2)).toEqual(['host-wait', 'buffer']);
    python.run('kept.clear()');
    expect(kinds().at(-1)).toBe('buffer-release');
    run('lambda a: kept.append(np.frombuffer(a, dtype="u1"))', a);
    expect(kinds().slice(-2)).toEqual(['buffer', 'buffer-release']);
    python.run('kept.clear()');
  });
});

/** Exchanges as they are recorded, against what the recording driver says that happened. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { stepOf } from '../../src/description/handshake/steps.ts';
import { STEP_WORDS } from '../../src/description/handshake/words.ts';
import type { ExchangeDescription, Fact } from '../../src/description/handshake/schema.ts';
import { exchangeObserver } from '../../src/exchanges/observer.ts';
import { native } from '../../src/native/load.ts';
import { DISPLAY_METHOD } from '../../src/notebook/host.ts';
import {
  arange,
  asCudaArray,
  empty,
  Event,
  exchanges,
  exportCudaArrayInterface,
  fromCudaArrayInterface,
  fromDlpack,
  python,
  Stream,
  zeros,
  type NDArray,
  type PyObject
} from '../../src/index.ts';
import { descriptorOf, foreign, ordersDuring, rec, sim } from './conformance/cai-support.ts';
import { describeWith, pythonOfTests } from './python/environment.ts';

const { recording } = native();

beforeEach(() => {
  recording.reset();
  exchanges.start();
});
afterEach(() => exchanges.stop());
afterAll(() => recording.reset());

/** A wrapper of another library: it makes a new object of every descriptor. */
const wrapped = (array: NDArray): object => ({
  get __cuda_array_interface__() {
    return { ...descriptorOf(array) };
  }
});

function only(): ExchangeDescription {
  const records = exchanges.records();
  expect(records).toHaveLength(1);
  return records[0] as ExchangeDescription;
}

const kinds = ({ facts }: ExchangeDescription): string[] =>
  facts.map(fact => (fact.kind === 'no-wait' ? `no-wait ${fact.reason}` : fact.kind));

/** The events and waits of the facts, as `ordersDuring` tells those of the driver. */
function ordersOf(facts: readonly Fact[], names: Readonly<Record<string, Stream>>): string[] {
  const nameOf = (label: string): string =>
    Object.entries(names).find(([, stream]) => stream.toString() === label)?.[0] ?? label;
  return facts.flatMap(fact => {
    if (fact.kind === 'event') return [`record ${nameOf(fact.stream)}`];
    if (fact.kind === 'wait') return [`wait ${nameOf(fact.stream)}`];
    if (fact.kind === 'join') return [`record ${nameOf(fact.other)}`, `wait ${nameOf(fact.stream)}`];
    return fact.kind === 'host-wait' ? ['host'] : [];
  });
}

/** Runs `action` and expects the facts to have the driver's events and waits, in its order. */
function expectTruth(names: Readonly<Record<string, Stream>>, action: () => void): string[] {
  const handles = Object.fromEntries(Object.entries(names).map(([name, { handle }]) => [name, handle]));
  const orders = ordersDuring(handles, action).filter(order => !order.startsWith('write '));
  expect(ordersOf(only().facts, names)).toEqual(orders);
  return orders;
}

describe('the CUDA Array Interface', () => {
  test('rules 73, 75, 79: the way there and back, as the driver was called', () => {
    using mine = new Stream(rec);
    using theirs = new Stream(rec);
    using a = zeros(64, { ...rec, stream: theirs });
    const orders = expectTruth({ mine, theirs }, () => {
      using b = asCudaArray(wrapped(a), { stream: mine });
      b.fill(1);
    });
    expect(orders).toEqual(['record theirs', 'wait mine', 'record mine', 'wait theirs']);
    expect(kinds(only())).toEqual([
      'work',
      'ask-interface',
      'descriptor',
      'no-wait deferred',
      'view',
      'event',
      'wait',
      'use',
      'event',
      'wait',
      'release'
    ]);
    expect(only().facts[0]).toMatchObject({ pending: true, access: 'write', stream: theirs.toString() });
    expect(only().facts[2]).toMatchObject({
      version: 3,
      stream: `0x${theirs.handle.toString(16)}`,
      names: theirs.toString()
    });
  });

  test('rule 93: a stream of somebody else is waited for at once', () => {
    const handle = recording.makeStream();
    using own = new Stream(rec);
    using a = empty(8, rec);
    const source = foreign(a, { stream: handle });
    exchanges.clear();
    const theirs = Stream.fromHandle(handle, 'rec:0');
    expectTruth({ own, theirs }, () => asCudaArray(source, { stream: own }).dispose());
    expect(kinds(only())).toEqual(['ask-interface', 'descriptor', 'event', 'wait', 'view', 'release']);
    recording.destroyStream(handle);
  });

  test('rules 66, 81: a descriptor that names no stream', () => {
    using a = zeros(4, rec);
    const source = foreign(a);
    exchanges.clear();
    using b = asCudaArray(source);
    expect(kinds(only())).toEqual(['ask-interface', 'descriptor', 'no-wait nothing-pending', 'view']);
    expect(only().facts[1]).toMatchObject({ stream: 'None', names: null });
    b.dispose();
  });

  test('rule 85: the same stream', () => {
    using s = new Stream(rec);
    using a = zeros(4, { ...rec, stream: s });
    let b: NDArray | undefined;
    expectTruth({ s }, () => (b = asCudaArray(wrapped(a), { stream: s }).fill(0)));
    expect(kinds(only())).toContain('no-wait same-stream');
    b?.dispose();
  });

  test('rules 72, 74, 76: host, adopt and no synchronization', () => {
    using s = new Stream(rec);
    using a = zeros(4, { ...rec, stream: s });
    using other = new Stream(rec);
    asCudaArray(wrapped(a), { stream: other, sync: 'host' }).dispose();
    asCudaArray(wrapped(a), { sync: 'adopt' }).dispose();
    asCudaArray(wrapped(a), { stream: other, sync: false }).dispose();
    const [host, adopt, none] = exchanges.records() as [
      ExchangeDescription,
      ExchangeDescription,
      ExchangeDescription
    ];
    expect(host.facts).toContainEqual(expect.objectContaining({ kind: 'host-wait', stream: s.toString() }));
    expect(kinds(host).some(kind => kind.startsWith('no-wait'))).toBe(false);
    expect(kinds(adopt)).toContain('no-wait adopt');
    expect(kinds(none)).toContain('no-wait sync-false');
  });

  test('rule 80: several streams are joined before one is named', () => {
    using first = new Stream(sim);
    using second = new Stream(sim);
    using a = zeros(2 ** 22, { stream: first, dtype: 'uint8' });
    using part = empty(16, { stream: second, dtype: 'uint8' });
    first.synchronize();
    a.storage.writeFromHost(0, new Uint8Array(2 ** 22), first);
    a.recordUse(first);
    part.storage.copyFrom(0, a.storage, 0, 16, second);
    a.storage.recordUse(second, 'read');
    a.recordUse(first);
    exchanges.clear();
    expect(descriptorOf(a).stream).toBe(first.handle);
    expect(only().facts).toContainEqual(
      expect.objectContaining({
        kind: 'join',
        why: 'several',
        stream: first.toString(),
        other: second.toString()
      })
    );
  });

  test('rules 10, 70: the legacy stream is made to wait for what cannot be named', () => {
    using a = zeros(64, { ...rec, stream: Stream.perThreadDefault('rec:0') });
    exchanges.clear();
    void a.__cuda_array_interface__;
    expect(only().facts).toContainEqual(
      expect.objectContaining({
        kind: 'join',
        why: 'per-thread',
        stream: 'legacy default stream',
        other: 'per-thread default stream'
      })
    );
    using own = new Stream(rec);
    using b = zeros(64, { ...rec, stream: own });
    exchanges.clear();
    exportCudaArrayInterface(b, { version: 2 });
    expect(only().facts).toContainEqual(
      expect.objectContaining({ kind: 'join', why: 'version', other: own.toString() })
    );
  });

  test('one exchange from export to import, by the descriptor', () => {
    using s = new Stream(rec);
    using a = zeros(4, { ...rec, stream: s });
    const descriptor = descriptorOf(a);
    fromCudaArrayInterface(descriptor, { owner: a }).dispose();
    expect(kinds(only()).filter(kind => kind === 'descriptor')).toHaveLength(1);
    expect(only()).toMatchObject({ producer: 'float64 (4,)', consumer: 'float64 (4,)', device: 'rec:0' });
  });

  test('the event entry: the consumer gives an event back', () => {
    using s = new Stream(rec);
    using own = new Stream(rec);
    using a = zeros(4, { ...rec, stream: s });
    const descriptor = exportCudaArrayInterface(a, { event: true });
    using event = new Event(rec);
    own.record(event);
    descriptor.event?.release?.(event.handle);
    a.fill(1, { stream: s });
    expect(kinds(only())).toEqual([
      'work',
      'ask-interface',
      'descriptor',
      'give-back',
      'event',
      'wait',
      'use'
    ]);
  });

  test('what is refused is told, and thrown all the same', () => {
    using a = zeros(4, sim);
    const source = foreign(a, { stream: 0 });
    exchanges.clear();
    expect(() => asCudaArray(source)).toThrow(/stream/);
    expect(only().facts.at(-1)).toMatchObject({ kind: 'failed', side: 'consumer' });
    exchanges.clear();
    expect(() => asCudaArray({ __cuda_array_interface__: null })).toThrow(/no __cuda_array_interface__/);
    expect(kinds(only())).toEqual(['ask-interface', 'failed']);
  });

  test('rule 14: an array without a descriptor', () => {
    using a = zeros(4, { ...rec, dtype: 'bfloat16' });
    expect(a.__cuda_array_interface__).toBeUndefined();
    expect(only().facts.at(-1)).toMatchObject({ kind: 'failed', side: 'producer' });
  });

  test('0-d, zero-size, negative strides and masks', () => {
    using scalar = zeros([], rec);
    using none = zeros(0, rec);
    using row = arange(8, rec);
    for (const array of [scalar, none, row.slice('::-1')]) asCudaArray(wrapped(array)).dispose();
    expect(exchanges.records().map(record => kinds(record).at(-1))).toEqual([
      'release',
      'release',
      'release'
    ]);
    expect(kinds(exchanges.records()[1] as ExchangeDescription)).toContain('no-wait empty');
  });
});

describe('DLPack', () => {
  test('rules 154, 161: the producer makes the stream of the consumer wait, as the driver was called', () => {
    using mine = new Stream(rec);
    using theirs = new Stream(rec);
    using a = zeros(64, { ...rec, stream: theirs });
    const orders = expectTruth({ mine, theirs }, () => {
      a.__dlpack_device__();
      a.__dlpack__({ stream: mine.handle, maxVersion: [1, 3] }).dispose();
    });
    expect(orders).toEqual(['record theirs', 'wait mine']);
    expect(kinds(only())).toEqual([
      'work',
      'ask-device',
      'device',
      'ask-capsule',
      'event',
      'wait',
      'capsule'
    ]);
    expect(only().facts).toContainEqual(
      expect.objectContaining({
        kind: 'ask-capsule',
        stream: `0x${mine.handle.toString(16)}`,
        options: 'max_version=(1, 3)'
      })
    );
  });

  test.each([
    [null, 'None', 'legacy default stream'],
    [1, '1', 'legacy default stream'],
    [2, '2', 'per-thread default stream'],
    [-1, '-1', null]
  ] as const)('rule 151: stream %p', (stream, written, names) => {
    using s = new Stream(rec);
    using a = zeros(4, { ...rec, stream: s });
    const handles = { s: s.handle, legacy: 1n, mine: 2n };
    const orders = ordersDuring(handles, () => a.__dlpack__({ stream }).dispose());
    const asked = only().facts.find(fact => fact.kind === 'ask-capsule');
    expect(asked).toMatchObject({ stream: written, names });
    const waits = only().facts.flatMap(fact => (fact.kind === 'wait' ? [fact.stream] : []));
    expect(waits).toEqual(stream === -1 ? [] : [names]);
    expect(orders.filter(order => order.startsWith('wait'))).toHaveLength(waits.length);
    if (stream === -1) expect(kinds(only())).toContain('no-wait minus-one');
  });

  test('rule 155: stream 0 is refused', () => {
    using a = zeros(4, rec);
    expect(() => a.__dlpack__({ stream: 0 })).toThrow(/ambiguous/);
    expect(only().facts.at(-1)).toMatchObject({ kind: 'failed', side: 'producer' });
  });

  test('rules 164 to 168: capsule, consumption and the end', () => {
    using a = zeros(4, sim);
    const producer = {
      __dlpack__: (options?: object) => a.__dlpack__(options),
      __dlpack_device__: () => a.__dlpack_device__()
    };
    exchanges.clear();
    fromDlpack(producer).dispose();
    const told = kinds(only());
    for (const kind of ['ask-device', 'device', 'ask-capsule', 'capsule', 'consume', 'view'])
      expect(told.filter(other => other === kind)).toEqual([kind]);
    expect(only().facts.find(fact => fact.kind === 'consume')).toMatchObject({
      name: 'used_dltensor_versioned'
    });
    expect(told.indexOf('ask-capsule')).toBeLessThan(told.indexOf('capsule'));
  });

  test('rule 153: host memory makes the host wait', () => {
    using s = new Stream(sim);
    using a = zeros(4, { ...sim, stream: s });
    a.fill(2, { stream: s });
    exchanges.clear();
    a.__dlpack__().dispose();
    expect(only().facts).toContainEqual(expect.objectContaining({ kind: 'host-wait', stream: s.toString() }));
  });

  test('inside the library there is no capsule', () => {
    using s = new Stream(rec);
    using mine = new Stream(rec);
    using a = zeros(4, { ...rec, stream: s });
    const orders = expectTruth({ s, mine }, () => {
      using b = fromDlpack(a, { stream: mine });
      b.fill(1);
    });
    expect(orders).toEqual(['record s', 'wait mine']);
    expect(kinds(only())).toEqual(['work', 'lend', 'event', 'wait', 'view', 'use']);
  });

  test('rule 150: a copy is told as one', () => {
    using a = zeros(4, sim);
    fromDlpack(a, { copy: true }).dispose();
    expect(only().facts).toContainEqual(expect.objectContaining({ kind: 'capsule', copied: true }));
  });
});

describeWith(['numpy'], 'Python', () => {
  const evaluated = (expression: string): PyObject => python.evaluate(expression) as PyObject;

  beforeAll(() => {
    python.start({ python: pythonOfTests });
    python.run(`
import numpy as np
class Producer:
    def __init__(self, address): self.address = address
    @property
    def __cuda_array_interface__(self):
        return dict(shape=(4,), typestr='<f4', data=(self.address, False), version=3, strides=None, stream=None)
`);
  });

  test("rules 153, 154: an array that comes in by DLPack, told as Python's", () => {
    using a = python.asArray(evaluated('np.arange(4)'));
    expect(only()).toMatchObject({
      protocol: 'dlpack',
      language: 'python',
      producer: 'a Python object',
      consumer: 'int64 (4,)'
    });
    expect(kinds(only())).toEqual(['tensor', 'view']);
    a.dispose();
    expect(kinds(only())).toEqual(['tensor', 'view', 'release']);
  });

  test('rules 66, 83: by the CUDA Array Interface', () => {
    using memory = zeros(4, { ...sim, dtype: 'float32' });
    exchanges.clear();
    python.asArray(evaluated(`Producer(${memory.pointer})`)).dispose();
    expect(only()).toMatchObject({ protocol: 'cai', language: 'python', producer: 'a Python object' });
    expect(kinds(only())).toEqual([
      'ask-interface',
      'descriptor',
      'no-wait nothing-pending',
      'view',
      'release'
    ]);
  });

  test('what is none of the two protocols is not recorded', () => {
    python.asArray(evaluated('np.arange(4)'), { via: 'array-interface' }).dispose();
    python.asArray(evaluated('bytearray(4)')).dispose();
    expect(exchanges.records()).toEqual([]);
    expect(exchanges.enabled).toBe(true);
  });

  test('an array that goes out is handed over, and what NumPy reads of it follows', () => {
    using a = zeros(4, sim);
    exchanges.clear();
    (evaluated('np.asarray') as unknown as (array: NDArray) => unknown)(a);
    expect(only()).toMatchObject({ protocol: 'python', consumer: 'Python' });
    expect(kinds(only()).slice(-4)).toEqual(['to-python', 'ask-buffer', 'host-wait', 'buffer']);
  });
});

describe('recording', () => {
  test('off it leaves nothing in the way, and what was recorded stays', () => {
    using a = zeros(4, sim);
    void a.__cuda_array_interface__;
    exchanges.stop();
    expect(exchangeObserver.current).toBeNull();
    expect(exchanges.enabled).toBe(false);
    void a.__cuda_array_interface__;
    a.fill(1);
    expect(exchanges.records()).toHaveLength(1);
    exchanges.start();
    expect(exchanges.records()).toEqual([]);
  });

  test('using ends it', () => {
    {
      using recorder = exchanges.start();
      expect(recorder.enabled).toBe(true);
    }
    expect(exchanges.enabled).toBe(false);
  });

  test('keeps the latest and counts the others', () => {
    exchanges.start({ capacity: 3 });
    using a = zeros(4, sim);
    for (let read = 0; read < 300; read++) void a.__cuda_array_interface__;
    expect(exchanges.records().map(({ number }) => number)).toEqual([298, 299, 300]);
    expect(exchanges.dropped).toBe(297);
    expect(() => exchanges.start({ capacity: 0 })).toThrow(/capacity/);
  });

  test('hundreds of uses are counted, not kept', () => {
    using s = new Stream(sim);
    using a = zeros(4, { ...sim, stream: s });
    const source = wrapped(a);
    using b = asCudaArray(source);
    for (let use = 0; use < 500; use++) b.fill(use);
    expect(only().facts.length).toBeLessThan(40);
    expect(only().more).toBeGreaterThan(400);
  });

  test('keeps no array alive', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    using s = new Stream(sim);
    let gone: WeakRef<NDArray> | undefined;
    (() => {
      const a = zeros(4, { ...sim, stream: s });
      gone = new WeakRef(a);
      void a.__cuda_array_interface__;
    })();
    expect(exchanges.records()).toHaveLength(1);
    await new Promise(resolve => setTimeout(resolve, 0));
    collect();
    expect(gone?.deref()).toBeUndefined();
  });

  test('names are those that the reader knows, and stay', () => {
    using a = zeros(4, sim);
    const source = wrapped(a);
    const b = asCudaArray(source);
    const names = new Map<object, string>([
      [source, 'theirs'],
      [b, 'b']
    ]);
    expect(exchanges.records(value => names.get(value))[0]).toMatchObject({
      producer: 'theirs',
      consumer: 'b'
    });
    b.dispose();
    expect(exchanges.records()[0]).toMatchObject({ producer: 'theirs', consumer: 'b' });
  });

  test('listeners hear of everything', () => {
    let calls = 0;
    const end = exchanges.onChange(() => calls++);
    using a = zeros(4, sim);
    void a.__cuda_array_interface__;
    expect(calls).toBeGreaterThan(0);
    const before = calls;
    end();
    void a.__cuda_array_interface__;
    expect(calls).toBe(before);
  });
});

describe('the static picture', () => {
  test('is less than 10 KB of HTML that sanitizers keep, text, and JSON, however much there is', () => {
    using s = new Stream(sim);
    using a = zeros(4, { ...sim, stream: s });
    const source = wrapped(a);
    for (let import_ = 0; import_ < 200; import_++) asCudaArray(source).dispose();
    const bundle = exchanges[DISPLAY_METHOD]();
    const html = bundle['text/html'] as string;
    expect(Buffer.byteLength(html)).toBeLessThan(10_000);
    expect(html).not.toMatch(/<(script|style|svg)/);
    expect(html).toContain('earlier');
    expect(bundle['text/plain']).toContain('CUDA Array Interface');
    expect(JSON.stringify(bundle).length).toBeLessThan(64 * 1024);
  });

  test('says what to do where there is nothing', () => {
    expect(exchanges[DISPLAY_METHOD]()['text/plain']).toContain('No exchange yet');
    exchanges.stop();
    expect(exchanges[DISPLAY_METHOD]()['text/html']).toContain('exchanges.start()');
  });

  test('escapes what others wrote', () => {
    using a = zeros(4, sim);
    class Evil {
      get __cuda_array_interface__() {
        return { ...descriptorOf(a), stream: 0 };
      }
    }
    Object.defineProperty(Evil, 'name', { value: '<img src=x>' });
    expect(() => asCudaArray(new Evil())).toThrow();
    expect(exchanges[DISPLAY_METHOD]()['text/html']).not.toContain('<img');
  });

  test('every fact has a sentence with all of its values', () => {
    using s = new Stream(rec);
    using a = zeros(4, { ...rec, stream: s });
    using b = asCudaArray(wrapped(a));
    b.fill(1);
    a.__dlpack__({ stream: null }).dispose();
    for (const { facts, protocol } of exchanges.records())
      for (const fact of facts) {
        const { says = [], label = [] } = stepOf(fact, protocol, STEP_WORDS) ?? {};
        for (const [text = '', ...values] of [says, label]) {
          expect(text).not.toBe('');
          expect(values.join(' ')).not.toMatch(/undefined|null/);
          const used = [...text.matchAll(/%(\d)/g)].map(([, digit]) => Number(digit));
          expect(Math.max(0, ...used)).toBeLessThanOrEqual(values.length);
        }
      }
  });
});

describe('what is forgotten', () => {
  test('an exchange that had to go is not kept by the memory it was of', () => {
    exchanges.start({ capacity: 4 });
    using a = zeros(4, rec);
    const begun: WeakRef<object>[] = [];
    const { current } = exchangeObserver;
    const { registry } = current as unknown as { registry: { begin(protocol: string): object } };
    const begin = registry.begin.bind(registry);
    registry.begin = protocol => {
      const exchange = begin(protocol);
      begun.push(new WeakRef(exchange));
      return exchange;
    };
    (() => {
      for (let round = 0; round < 40; round++) void a.__cuda_array_interface__;
    })();
    expect(begun).toHaveLength(40);
    return new Promise<void>(resolve => setImmediate(resolve)).then(() => {
      setFlagsFromString('--expose-gc');
      (runInNewContext('gc') as () => void)();
      expect(begun.filter(each => each.deref() !== undefined)).toHaveLength(4);
    });
  });

  test('a message of any length does not hide the exchanges', () => {
    const source = {
      get __cuda_array_interface__(): never {
        throw new Error('x'.repeat(100_000));
      }
    };
    expect(() => asCudaArray(source, rec)).toThrow();
    const { picture } = exchanges[DISPLAY_METHOD]()['application/vnd.stridelab.picture+json'] as {
      picture: { exchanges: unknown[] };
    };
    expect(picture.exchanges).toHaveLength(1);
    expect(JSON.stringify(picture).length).toBeLessThan(65_536);
  });

  test('a producer whose class cannot be named is imported all the same', () => {
    using a = zeros(4, rec);
    const source = Object.defineProperty(wrapped(a), 'constructor', {
      get(): never {
        throw new Error('mine');
      }
    });
    using b = asCudaArray(source);
    expect(b.shape).toEqual([4]);
    expect(exchanges.records()).toHaveLength(1);
  });
});

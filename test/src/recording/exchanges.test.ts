/** Recorded exchanges compared with the recording driver's log. */

import type { ExchangeDescription, Fact } from '../../../src/recording/exchanges/facts.ts';
import { native } from '../../../src/native/load.ts';
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
} from '../../../src/index.ts';
import { descriptorOf, foreign, ordersDuring, rec, sim } from '../conformance/cai-support.ts';
import { describeWith, pythonOfTests } from '../python/environment.ts';
import { only, recordExchanges, wrapped } from './exchange-records.ts';

recordExchanges();

const kinds = ({ facts }: ExchangeDescription): string[] =>
  facts.map(fact => (fact.kind === 'no-wait' ? `no-wait ${fact.reason}` : fact.kind));

/** The events and waits among the facts, in the format of `ordersDuring`. */
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
  test("rules 73, 75, 79: both directions have the driver's calls", () => {
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

  test('rule 93: an external stream is waited for immediately', () => {
    const handle = native().recording.makeStream();
    using own = new Stream(rec);
    using a = empty(8, rec);
    const source = foreign(a, { stream: handle });
    exchanges.clear();
    const theirs = Stream.fromHandle(handle, 'rec:0');
    expectTruth({ own, theirs }, () => asCudaArray(source, { stream: own }).dispose());
    expect(kinds(only())).toEqual(['ask-interface', 'descriptor', 'event', 'wait', 'view', 'release']);
    native().recording.destroyStream(handle);
  });

  test('rules 66, 81: a descriptor without a stream waits for nothing', () => {
    using a = zeros(4, rec);
    const source = foreign(a);
    exchanges.clear();
    using b = asCudaArray(source);
    expect(kinds(only())).toEqual(['ask-interface', 'descriptor', 'no-wait nothing-pending', 'view']);
    expect(only().facts[1]).toMatchObject({ stream: 'None', names: null });
    b.dispose();
  });

  test('rule 85: the same stream needs no wait', () => {
    using s = new Stream(rec);
    using a = zeros(4, { ...rec, stream: s });
    let b: NDArray | undefined;
    expectTruth({ s }, () => (b = asCudaArray(wrapped(a), { stream: s }).fill(0)));
    expect(kinds(only())).toContain('no-wait same-stream');
    b?.dispose();
  });

  test('rules 72, 74, 76: host, adopt and no synchronization are recorded', () => {
    using s = new Stream(rec);
    using a = zeros(4, { ...rec, stream: s });
    using other = new Stream(rec);
    asCudaArray(wrapped(a), { stream: other, sync: 'host' }).dispose();
    asCudaArray(wrapped(a), { sync: 'adopt' }).dispose();
    asCudaArray(wrapped(a), { stream: other, sync: false }).dispose();
    const [host, adopt, none] = exchanges.read().events as [
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

  test('rules 10, 70: the legacy stream waits for streams that cannot be named', () => {
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

  test('rules 75, 85: one of our own arrays needs no descriptor, and waits with the first use', () => {
    using s = new Stream(rec);
    using mine = new Stream(rec);
    using a = zeros(64, { ...rec, stream: s });
    const orders = expectTruth({ s, mine }, () => {
      using b = asCudaArray(a, { stream: mine });
      b.fill(1);
    });
    expect(orders).toEqual(['record s', 'wait mine']);
    expect(only()).toMatchObject({ protocol: 'cai', language: 'javascript' });
    expect(kinds(only())).toEqual(['work', 'lend', 'no-wait deferred', 'view', 'event', 'wait', 'use']);
    exchanges.clear();
    asCudaArray(a).dispose();
    expect(kinds(only())).toContain('lend');
  });

  test('an exchange extends from export to import, linked by the descriptor', () => {
    using s = new Stream(rec);
    using a = zeros(4, { ...rec, stream: s });
    const descriptor = descriptorOf(a);
    fromCudaArrayInterface(descriptor, { owner: a }).dispose();
    expect(kinds(only()).filter(kind => kind === 'descriptor')).toHaveLength(1);
    expect(only()).toMatchObject({ producer: 'float64 (4,)', consumer: 'float64 (4,)', device: 'rec:0' });
  });

  test('the event entry: the consumer returns an event', () => {
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

  test('refusals are recorded, and thrown all the same', () => {
    using a = zeros(4, sim);
    const source = foreign(a, { stream: 0 });
    exchanges.clear();
    expect(() => asCudaArray(source)).toThrow(/stream/);
    expect(only().facts.at(-1)).toMatchObject({ kind: 'failed', side: 'consumer' });
    exchanges.clear();
    expect(() => asCudaArray({ __cuda_array_interface__: null })).toThrow(/no __cuda_array_interface__/);
    expect(kinds(only())).toEqual(['ask-interface', 'failed']);
  });

  test('rule 14: an array without a descriptor is recorded', () => {
    using a = zeros(4, { ...rec, dtype: 'bfloat16' });
    expect(a.__cuda_array_interface__).toBeUndefined();
    expect(only().facts.at(-1)).toMatchObject({ kind: 'failed', side: 'producer' });
  });

  test('0-d, zero-size, negative strides and masks are recorded', () => {
    using scalar = zeros([], rec);
    using none = zeros(0, rec);
    using row = arange(8, rec);
    for (const array of [scalar, none, row.slice('::-1')]) asCudaArray(wrapped(array)).dispose();
    expect(exchanges.read().events.map(record => kinds(record).at(-1))).toEqual([
      'release',
      'release',
      'release'
    ]);
    expect(kinds(exchanges.read().events[1] as ExchangeDescription)).toContain('no-wait empty');
  });
});

describe('DLPack', () => {
  test("rules 154, 161: the consumer's stream waits, with the driver's calls", () => {
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

  test('rules 164 to 168: capsule, consumption and the end are recorded', () => {
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

  test('rule 150: a copy is marked as one', () => {
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

  test("rules 153, 154: an array imported through DLPack is recorded as Python's", () => {
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

  test('rules 66, 83: an array imported through the CUDA Array Interface is recorded', () => {
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

  test('other protocols are not recorded', () => {
    python.asArray(evaluated('np.arange(4)'), { via: 'array-interface' }).dispose();
    python.asArray(evaluated('bytearray(4)')).dispose();
    expect(exchanges.read().events).toEqual([]);
    expect(exchanges.enabled).toBe(true);
  });

  test('an export is recorded, and what NumPy reads of it follows', () => {
    using a = zeros(4, sim);
    exchanges.clear();
    (evaluated('np.asarray') as unknown as (array: NDArray) => unknown)(a);
    expect(only()).toMatchObject({ protocol: 'python', consumer: 'Python' });
    expect(kinds(only()).slice(-4)).toEqual(['to-python', 'ask-buffer', 'host-wait', 'buffer']);
  });

  test('rule 150: a copy that Python requests belongs to the exchange of its array', () => {
    using a = zeros(4, sim);
    exchanges.clear();
    (evaluated('(lambda a: np.from_dlpack(a, copy=True))') as unknown as (array: NDArray) => unknown)(a);
    expect(kinds(only())).toEqual(expect.arrayContaining(['to-python', 'ask-capsule', 'capsule']));
    expect(only().facts).toContainEqual(expect.objectContaining({ kind: 'capsule', copied: true }));
  });
});

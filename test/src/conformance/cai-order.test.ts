/** Streams and synchronization of the CUDA Array Interface, in both directions: which events are recorded and waited for, in which order. */

import { native } from '../../../src/native/load.ts';
import { readSettings } from '../../../src/interchange/settings.ts';
import {
  arange,
  asCudaArray,
  empty,
  exportCudaArrayInterface,
  Stream,
  zeros,
  type NDArray
} from './library.ts';
import { descriptorOf, foreign, ordersDuring, rec, refusal, sim } from './cai-support.ts';

const { recording, drainReleases } = native();

/** Another library with a stream and an array that it works on. */
class Producer {
  readonly handle = recording.makeStream();
  readonly array: NDArray = empty(64, { ...rec, dtype: 'uint8' });

  get __cuda_array_interface__(): object {
    return { ...descriptorOf(this.array), stream: this.handle };
  }

  [Symbol.dispose](): void {
    recording.destroyStream(this.handle);
  }
}

beforeEach(() => {
  // Arrays of earlier tests are collected and released now: their release would otherwise record an event during an action.
  drainReleases(true);
  recording.reset();
});
afterAll(() => recording.reset());

describe('E. imports', () => {
  test.each([undefined, null])('rule 66: stream %p waits for nothing', stream => {
    const source = foreign(zeros(4, rec), { stream });
    expect(ordersDuring({}, () => asCudaArray(source).dispose())).toEqual([]);
    using b = asCudaArray(source);
    expect(ordersDuring({ 1: 1n }, () => b.fill(0))).toEqual(['write 1']);
  });

  test.each([0, 0n, -1, -1n, 2n ** 64n, 1.5, '7', {}])('rules 67, 71: stream %p is refused', stream => {
    expect(() => asCudaArray(foreign(zeros(4, sim), { stream }))).toThrow(
      refusal('ERR_DESCRIPTOR', 'stream')
    );
  });

  test('rules 69, 70: 1 and 2 name the default streams, which are waited for like others', () => {
    using own = new Stream(rec);
    for (const [name, stream] of [
      ['legacy', 1],
      ['mine', 2]
    ] as const) {
      using b = asCudaArray(foreign(zeros(4, rec), { stream }), { stream: own });
      const orders = ordersDuring({ legacy: 1n, mine: 2n, own: own.handle }, () =>
        b.fill(0, { stream: own })
      );
      expect(orders).toEqual([`record ${name}`, 'wait own', 'write own', 'record own', `wait ${name}`]);
    }
  });

  test('rules 73, 75, 89: the consumer waits on the device before its work, the producer after it; the host never waits', () => {
    using producer = new Producer();
    using own = new Stream(rec);
    const names = { producer: producer.handle, own: own.handle };
    let b: NDArray | undefined;
    expect(ordersDuring(names, () => (b = asCudaArray(producer, { stream: own })))).toEqual([
      'record producer',
      'wait own'
    ]);
    expect(ordersDuring(names, () => b?.fill(1))).toEqual(['write own', 'record own', 'wait producer']);
    expect(ordersDuring(names, () => b?.recordUse(own))).toEqual(['record own', 'wait producer']);
    b?.dispose();
  });

  test('rule 89: conversely, consumers wait for the stream that we work on', () => {
    using own = new Stream(rec);
    const a = zeros(4, { stream: own });
    expect(descriptorOf(a).stream).toBe(own.handle);
    expect(ordersDuring({ own: own.handle }, () => void a.__cuda_array_interface__)).toEqual([]);
  });

  test('rule 73: work through a view, on another stream, and by a graph is waited for by the producer too', () => {
    using producer = new Producer();
    using own = new Stream(rec);
    using other = new Stream(rec);
    const names = { producer: producer.handle, own: own.handle, other: other.handle };
    using b = asCudaArray(producer, { stream: own });
    using view = b.slice('::2');
    expect(ordersDuring(names, () => view.slice(0).fill(1, { stream: other }))).toEqual([
      'record own',
      'wait other',
      'write other',
      'record other',
      'wait producer'
    ]);
    const graph = own.capture(() => b.fill(2));
    const launched = ordersDuring(names, () => graph.launch(own));
    expect(launched.slice(-2)).toEqual(['record own', 'wait producer']);
    graph.dispose();
  });

  test('rules 74, 85: on the producer’s own stream nothing waits', () => {
    using own = new Stream(rec);
    const source = foreign(zeros(4, rec), { stream: own.handle });
    const work = (sync: 'adopt' | undefined, stream: Stream | undefined): string[] => {
      let b: NDArray | undefined;
      const orders = ordersDuring({ own: own.handle }, () => {
        b = asCudaArray(source, { sync, stream });
        b.fill(1);
      });
      expect(b?.stream).toBe(own);
      b?.dispose();
      return orders;
    };
    expect(work('adopt', undefined)).toEqual(['write own']);
    expect(work(undefined, own)).toEqual(['write own']);
    using other = new Stream(rec);
    expect(() => asCudaArray(source, { sync: 'adopt', stream: other })).toThrow(refusal('ERR_ARGUMENT'));
  });

  test('rule 72: with sync host the host waits before the call returns, and the producer waits for our work', () => {
    using producer = new Producer();
    using own = new Stream(rec);
    const names = { producer: producer.handle, own: own.handle };
    using busy = Stream.fromHandle(producer.handle, 'rec:0');
    producer.array.fill(1, { stream: busy });
    let b: NDArray | undefined;
    expect(ordersDuring(names, () => (b = asCudaArray(producer, { stream: own, sync: 'host' })))).toContain(
      'host'
    );
    expect(ordersDuring(names, () => b?.fill(1))).toEqual(['write own', 'record own', 'wait producer']);
  });

  test('rules 76, 77: a call can opt out, with a valid value only', () => {
    using producer = new Producer();
    using own = new Stream(rec);
    for (const sync of [false, 'none'] as const) {
      let b: NDArray | undefined;
      const orders = ordersDuring({ own: own.handle }, () => {
        b = asCudaArray(producer, { stream: own, sync });
        b.fill(1);
      });
      expect(orders).toEqual(['write own']);
      b?.dispose();
    }
    expect(() => asCudaArray(producer, { sync: 'maybe' as 'none' })).toThrow(refusal('ERR_ARGUMENT'));
  });

  test('rules 12, 76 to 78: the environment can opt out, does not by default, and a wrong value is an error', () => {
    expect(readSettings({})).toEqual({
      sync: true,
      exportStream: true,
      exportVersion: 3,
      validate: 'structure'
    });
    expect(
      readSettings({
        STRIDELAB_CAI_SYNC: '0',
        STRIDELAB_CAI_EXPORT_STREAM: 'false',
        STRIDELAB_CAI_EXPORT_VERSION: '2',
        STRIDELAB_CAI_VALIDATE: 'strict'
      })
    ).toEqual({ sync: false, exportStream: false, exportVersion: 2, validate: 'strict' });
    expect(() => readSettings({ STRIDELAB_CAI_EXPORT_VERSION: '4' })).toThrow(refusal('ERR_ARGUMENT'));
  });

  test.each([0, 1, 2])('rule 8: a stream in a descriptor of version %i is respected', version => {
    using own = new Stream(rec);
    using other = new Stream(rec);
    const source = foreign(zeros(4, rec), { version, stream: other.handle });
    using b = asCudaArray(source, { stream: own });
    expect(ordersDuring({ own: own.handle, other: other.handle }, () => b.fill(0))).toEqual([
      'record other',
      'wait own',
      'write own',
      'record own',
      'wait other'
    ]);
  });

  test('rule 10: versions 0 to 2 can be waited for on the legacy stream, or on the whole device', () => {
    using own = new Stream(rec);
    using busy = new Stream(rec);
    const a = zeros(2 ** 20, { stream: busy, dtype: 'uint8' });
    const old = foreign(a, { version: 2, stream: undefined });
    using b = asCudaArray(old, { stream: own, unsynchronized: 'legacy' });
    expect(ordersDuring({ own: own.handle, legacy: 1n }, () => b.fill(0)).slice(0, 2)).toEqual([
      'record legacy',
      'wait own'
    ]);
    a.fill(1);
    asCudaArray(old, { unsynchronized: 'device' }).dispose();
    expect(busy.query()).toBe(true);
    // In version 3, a null stream means that nothing is pending.
    const orders = ordersDuring({}, () =>
      asCudaArray(foreign(a, { stream: null }), { unsynchronized: 'legacy' }).dispose()
    );
    expect(orders).toEqual([]);
  });

  test('rule 93: a stream or an event that the driver no longer knows is a clear error', () => {
    const gone = recording.makeStream();
    recording.destroyStream(gone);
    const a = zeros(4, rec);
    expect(() => asCudaArray(foreign(a, { stream: gone }))).toThrow(refusal('ERR_DESCRIPTOR', 'stream'));
    const stale = { version: 1, handle: 0x1234567n, release: null };
    using own = new Stream(rec);
    expect(() => asCudaArray(foreign(a, { stream: 1, event: stale }), { stream: own })).toThrow(
      refusal('ERR_DESCRIPTOR', 'event')
    );
  });

  test('rule 84: a capturing stream cannot wait for work outside its graph, and the error says so; without a wait it can import', () => {
    using producer = new Producer();
    using own = new Stream(rec);
    let refused: unknown;
    const graph = own.capture(() => {
      try {
        asCudaArray(producer, { stream: own });
      } catch (error) {
        refused = error;
      }
      asCudaArray(producer, { stream: own, sync: false }).fill(3);
    });
    expect(refused).toEqual(refusal('ERR_ARGUMENT'));
    graph.launch(own);
    own.synchronize();
    expect(producer.array.item(5)).toBe(3);
    graph.dispose();
  });

  test('rules 79, 80: an import that is exported again names the stream that it is ordered after', () => {
    using producer = new Producer();
    using own = new Stream(rec);
    using unused = asCudaArray(producer, { stream: own });
    expect(descriptorOf(unused).stream).toBe(own.handle);
    using lazy = asCudaArray(foreign(zeros(4, rec), { stream: 1 }), { stream: own });
    expect(descriptorOf(lazy).stream).toBe(1);
  });

  test('rule 85: one of our own arrays becomes a view, and its storage orders every use', () => {
    using first = new Stream(rec);
    using second = new Stream(rec);
    const a = arange(4, { stream: first });
    using b = asCudaArray(a, { stream: second });
    expect([b.storage, b.stream]).toEqual([a.storage, second]);
    const names = { first: first.handle, second: second.handle };
    expect(ordersDuring(names, () => b.slice('::1').fill(0)).slice(0, 2)).toEqual([
      'record first',
      'wait second'
    ]);
    expect(ordersDuring(names, () => a.recordWrite(first))).toEqual([]);
    using c = b.onStream(first);
    expect(c.stream).toBe(first);
  });
});

test('rules 93, 103: a stream that its owner destroyed costs a wait when the array is freed, and affects nothing else', () => {
  using own = new Stream(rec);
  const handle = recording.makeStream();
  const a = zeros(4, rec);
  const b = asCudaArray(foreign(a, { stream: handle }), { stream: own });
  b.recordUse(Stream.fromHandle(handle, 'rec:0'));
  recording.destroyStream(handle);
  a.device.synchronize();
  b.dispose();
  expect(Stream.fromHandle(own.handle, 'rec:0').query()).toBe(true);
});

describe('E. captures and destroyed streams', () => {
  /** Keeps a stream busy for a while. */
  const busy = (stream: Stream): void => void empty(2 ** 24, { stream, dtype: 'uint8' }).fill(1);

  test('rules 79, 84: a graph that was launched on another stream is exported with that stream', () => {
    using own = new Stream(rec);
    using other = new Stream(rec);
    const a = zeros(64, { stream: own, dtype: 'uint8' });
    own.synchronize();
    const graph = own.capture(() => a.fill(1));
    busy(other);
    graph.launch(other);
    expect(descriptorOf(a).stream).toBe(other.handle);
    graph.dispose();
  });

  test('rules 75, 84: an import that is first used in a capture is waited for where the graph is launched', () => {
    using own = new Stream(rec);
    using other = new Stream(rec);
    const a = zeros(64, { stream: own, dtype: 'uint8' });
    busy(own);
    using b = asCudaArray(foreign(a, { stream: own.handle }), { stream: own });
    const graph = own.capture(() => b.fill(2));
    const names = { own: own.handle, other: other.handle };
    expect(ordersDuring(names, () => graph.launch(other)).slice(0, 2)).toEqual(['record own', 'wait other']);
    graph.dispose();
  });

  test('rule 73: an import on the producer’s own stream is still waited for by it after use on another one', () => {
    using other = new Stream(rec);
    using b = asCudaArray(foreign(zeros(64, { ...rec, dtype: 'uint8' }), { stream: 1 }));
    const names = { legacy: 1n, other: other.handle };
    expect(ordersDuring(names, () => b.fill(1)).filter(order => order !== 'write legacy')).toEqual([]);
    expect(ordersDuring(names, () => b.fill(1, { stream: other })).slice(-2)).toEqual([
      'record other',
      'wait legacy'
    ]);
  });

  test('rule 95: one of our streams that only others used is waited for after it was destroyed', () => {
    const shared = new Stream(rec);
    using own = new Stream(rec);
    using b = asCudaArray(foreign(zeros(4, rec), { stream: shared.handle }), { stream: own });
    shared.dispose(); // records the tail of the other library's work there
    expect(ordersDuring({ own: own.handle }, () => b.fill(1))[0]).toBe('wait own');
  });

  test('rule 93: work on an array whose external stream was destroyed continues, with and without an event back', () => {
    const handle = recording.makeStream();
    using own = new Stream(rec);
    const a = zeros(64, { ...rec, dtype: 'uint8' });
    a.recordUse(Stream.fromHandle(handle, 'rec:0'));
    using b = asCudaArray(foreign(a, { stream: handle }), { stream: own });
    recording.destroyStream(handle);
    a.fill(1, { stream: own });
    b.fill(2);
    b.fill(3);
    own.synchronize();
    expect(a.item(3)).toBe(3);
    expect(descriptorOf(a).stream).not.toBe(handle);
  });

  test('rule 86: synchronize waits for the remaining work of a destroyed stream', async () => {
    const ways = [(a: NDArray) => Promise.resolve(a.synchronize()), (a: NDArray) => a.synchronizeAsync()];
    for (const wait of ways) {
      const own = new Stream(rec);
      const a = zeros(64, { stream: own, dtype: 'uint8' });
      busy(own);
      a.fill(1);
      own.dispose();
      await wait(a);
      expect(a.storage.uses().every(use => use.complete)).toBe(true);
    }
  });

  test('rules 73, 84: a producer that is being captured waits for our work when the capture is over', () => {
    using own = new Stream(rec);
    using theirs = new Stream(rec);
    const a = zeros(64, { stream: theirs, dtype: 'uint8' });
    using b = asCudaArray(foreign(a, { stream: theirs.handle }), { stream: own });
    const scratch = zeros(64, { stream: theirs, dtype: 'uint8' });
    b.fill(1);
    const orders = ordersDuring({ own: own.handle, theirs: theirs.handle }, () => {
      const graph = theirs.capture(() => {
        scratch.fill(1);
        b.fill(2);
      });
      graph.dispose();
    });
    expect(orders.slice(-2)).toEqual(['record own', 'wait theirs']);
  });

  test('rule 84: an export inside a capture adds no other stream to it', () => {
    using own = new Stream(rec);
    const a = zeros(64, { stream: own, dtype: 'uint8' });
    const graph = own.capture(() => {
      a.fill(1);
      exportCudaArrayInterface(a, { version: 2 });
      expect(Stream.legacyDefault('rec:0').capturing).toBe(false);
    });
    graph.dispose();
  });
});

describe('E. exports', () => {
  test('rule 78: a producer can leave the stream out', () => {
    using own = new Stream(rec);
    const a = zeros(4, { stream: own });
    expect(exportCudaArrayInterface(a, { stream: false }).stream).toBeNull();
    expect(exportCudaArrayInterface(a).stream).toBe(own.handle);
  });

  test('rule 82: pending reads count, unless the consumer is read-only', () => {
    using reader = new Stream(rec);
    using other = new Stream(rec);
    const a = zeros(4, rec);
    a.device.synchronize();
    // Kept until the end: collecting them in between would wait for their work.
    const busy = [reader, other].map(stream => {
      const large = empty(2 ** 26, { stream, dtype: 'uint8' }).fill(1); // keeps the stream busy for a while
      a.recordUse(stream);
      return large;
    });
    expect(descriptorOf(a).stream).toBe(other.handle);
    a.recordUse(reader);
    expect(
      ordersDuring({ reader: reader.handle, other: other.handle }, () => void a.__cuda_array_interface__)
    ).toEqual(['record other', 'wait reader']);
    expect(ordersDuring({}, () => void a.asReadOnly().__cuda_array_interface__)).toEqual([]);
    for (const large of busy) large.dispose();
  });
});

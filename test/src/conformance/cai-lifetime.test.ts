/** What keeps objects alive across an import, and the specification's example of two streams. */

import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { native } from '../../../src/native/load.ts';
import { arange, asCudaArray, empty, Event, fromCudaArrayInterface, Stream, zeros } from './library.ts';
import { descriptorOf, foreign, rec, sim } from './cai-support.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Whether an object has been collected after several garbage collections. */
async function isCollected(held: WeakRef<object>): Promise<boolean> {
  for (let i = 0; i < 10 && held.deref() !== undefined; i++) {
    await setImmediate();
    collect();
    native().drainReleases();
  }
  return held.deref() === undefined;
}

describe('F. lifetime of imports', () => {
  const memory = arange(8, { ...sim, dtype: 'float32' });
  const descriptor = { ...descriptorOf(memory), stream: null };

  test('rule 91: asCudaArray keeps the producing object alive, for its views too, until the last is freed', async () => {
    const make = (): [ReturnType<typeof asCudaArray>, WeakRef<object>] => {
      const owner = { __cuda_array_interface__: descriptor };
      using whole = asCudaArray(owner);
      return [whole.slice('2:'), new WeakRef(owner)];
    };
    const [view, owner] = make();
    view.fill(1);
    expect(await isCollected(owner)).toBe(false);
    view.dispose();
    expect(await isCollected(owner)).toBe(true);
  });

  test('rule 91: an import that nobody used is released too, disposed or not', async () => {
    const make = (dispose: boolean): WeakRef<object> => {
      const owner = { __cuda_array_interface__: descriptor };
      const array = asCudaArray(owner);
      if (dispose) array.dispose();
      return new WeakRef(owner);
    };
    expect(await isCollected(make(true))).toBe(true);
    expect(await isCollected(make(false))).toBe(true);
  });

  test('rule 92: fromCudaArrayInterface keeps an owner alive only if one is given', async () => {
    const make = (keep: boolean): [ReturnType<typeof asCudaArray>, WeakRef<object>] => {
      const owner = {};
      const options = keep ? { owner } : {};
      return [fromCudaArrayInterface(descriptor, options), new WeakRef(owner)];
    };
    const [kept, keeper] = make(true);
    const [, forgotten] = make(false);
    expect(await isCollected(forgotten)).toBe(true);
    expect(await isCollected(keeper)).toBe(false);
    kept.dispose();
    expect(await isCollected(keeper)).toBe(true);
  });

  test('rule 96: the owner is kept alive until the device work is done, not just until JavaScript releases it', async () => {
    using stream = new Stream(rec);
    const bytes = empty(2 ** 24, { ...rec, dtype: 'uint8' });
    const make = (): WeakRef<object> => {
      const owner = { __cuda_array_interface__: { ...descriptorOf(bytes), stream: null } };
      const array = asCudaArray(owner, { stream });
      array.fill(1);
      array.dispose();
      return new WeakRef(owner);
    };
    const owner = make();
    collect();
    expect(owner.deref()).toBeDefined();
    stream.synchronize();
    expect(await isCollected(owner)).toBe(true);
  });

  test('rule 95: one of our streams can be destroyed while waits recorded on it are outstanding', () => {
    const own = new Stream(rec);
    using other = new Stream(rec);
    const a = zeros(2 ** 22, { stream: own, dtype: 'uint8' });
    using b = asCudaArray(foreign(a, { stream: own.handle }), { stream: other });
    b.fill(1);
    own.dispose();
    a.fill(2, { stream: other });
    other.synchronize();
    expect(a.toTypedArray({ stream: other })[9]).toBe(2);
  });

  test('rules 93, 95: an import is used after its producer’s stream, one of ours, was destroyed: it waits for the remaining work', () => {
    using other = new Stream(sim);
    const own = new Stream(sim);
    const a = empty(2 ** 24, { stream: own, dtype: 'uint8' }).fill(7);
    const b = asCudaArray(foreign(a, { stream: own.handle }), { stream: other });
    own.dispose();
    using copy = b.copy({ stream: other });
    expect(copy.item(2 ** 23)).toBe(7);
    b.fill(1, { stream: other });
    b.dispose();
    other.synchronize();
  });

  test('rules 91, 102: a refused view keeps nothing alive', () => {
    using elsewhere = new Stream(rec);
    const b = asCudaArray({ __cuda_array_interface__: descriptor });
    const { storage } = b;
    expect(() => b.onStream(elsewhere)).toThrow(expect.objectContaining({ code: 'ERR_DEVICE' }) as Error);
    b.dispose();
    expect(storage.freed).toBe(true);
  });

  test('rules 26, 64: unaligned elements are filled all the same', () => {
    const bytes = zeros(32, { ...sim, dtype: 'uint8' });
    using odd = asCudaArray(foreign(bytes, { shape: [4], typestr: '<f4', strides: [6] }));
    odd.slice(1).fill(2);
    using shifted = asCudaArray(
      foreign(bytes, { shape: [2], typestr: '<f4', data: [bytes.pointer + 25n, false] })
    );
    expect([...shifted.slice(0).fill(0).toTypedArray()]).toEqual([0]);
    expect(odd.toNested()).toEqual([0, 2, 0, 0]);
  });

  test('rule 83: an asynchronous read of a sparse view sees one state, also if the view is disposed immediately', async () => {
    const a = zeros(2 ** 20, { ...sim, dtype: 'float32' });
    const view = a.slice('::8');
    const read = view.toTypedArrayAsync();
    a.fill(2);
    view.dispose();
    expect(new Set(await read)).toEqual(new Set([0]));
  });

  test('rule 101: an import is freed once, and later use is refused', () => {
    const b = asCudaArray({ __cuda_array_interface__: descriptor });
    b.dispose();
    b.dispose();
    expect(() => b.__cuda_array_interface__).toThrow(expect.objectContaining({ code: 'ERR_FREED' }) as Error);
    expect(memory.freed).toBe(false);
  });
});

describe('the two streams of the CUDA Array Interface document (docs/two-streams.md)', () => {
  /** Slow work on a stream. */
  function busy(stream: Stream): void {
    empty(2 ** 24, { stream, dtype: 'uint8' }).fill(1);
  }

  test('rules 80, 86, 89: an array used on two streams is exported with one that is ordered after both', () => {
    using first = new Stream(sim);
    using second = new Stream(sim);
    using third = new Stream(sim);
    const a = zeros(1024, { stream: first, dtype: 'uint8' });
    busy(first);
    a.slice(':512').fill(1, { stream: first });
    busy(second);
    a.slice('512:').fill(2, { stream: second }); // waits for the first stream automatically
    using consumer = asCudaArray({ __cuda_array_interface__: a.__cuda_array_interface__ }, { stream: third });
    using done = new Event(sim);
    consumer.recordUse(third);
    third.record(done);
    consumer.toTypedArray();
    expect([first.query(), second.query()]).toEqual([true, true]);
    expect(consumer.slice('510:514').toNested()).toEqual([1, 1, 2, 2]);
  });

  test('rules 80, 86: external work on the pointer can be recorded, and is then ordered too', () => {
    using first = new Stream(sim);
    using second = new Stream(sim);
    const a = zeros(16, { stream: first, dtype: 'uint8' });
    first.synchronize();
    busy(second);
    a.recordWrite(second);
    expect(a.__cuda_array_interface__.stream).toBe(second.handle);
    first.record();
    a.fill(1, { stream: first });
    first.synchronize();
    expect(second.query()).toBe(true);
  });
});

/** The event entry of this library's descriptors, with which a consumer need not wait for the stream. */

import { native } from '../../../src/native/load.ts';
import {
  asCudaArray,
  DefaultCUDAMemoryManager,
  empty,
  Event,
  exportCudaArrayInterface,
  fromCudaArrayInterface,
  Stream,
  usingMemoryManager,
  zeros,
  type NDArray
} from './library.ts';
import { foreign, ordersDuring, rec, refusal } from './cai-support.ts';

const { recording } = native();

beforeEach(() => recording.reset());
afterAll(() => recording.reset());

test('rule 11: a consumer that does not know the entry uses the stream, which waits already', () => {
  using own = new Stream(rec);
  const a = zeros(4, { stream: own });
  const { event, ...unaware } = exportCudaArrayInterface(a, { event: true });
  expect(event).toMatchObject({ version: 1, handle: expect.any(BigInt) as bigint });
  expect(unaware.stream).toBe(own.handle);
});

test('a consumer that knows the entry waits for the event, not the stream, and the next write waits for its event', () => {
  using own = new Stream(rec);
  using mine = new Stream(rec);
  const a = zeros(64, { stream: own, dtype: 'uint8' });
  const names = { own: own.handle, mine: mine.handle };
  const descriptor = exportCudaArrayInterface(a, { event: true });
  let b: NDArray | undefined;
  expect(
    ordersDuring(names, () => (b = fromCudaArrayInterface(descriptor, { stream: mine, owner: a })))
  ).toEqual(['wait mine']);
  expect(ordersDuring(names, () => b?.fill(7))).toEqual(['write mine']);
  const back = ordersDuring(names, () => b?.dispose());
  expect(back[0]).toBe('record mine');
  expect(back[1]).toMatch(/^wait 0x/); // a non-default stream: work that does not touch the array continues
  const next = ordersDuring(names, () => a.fill(1));
  expect(next.slice(-2)).toEqual(['wait own', 'write own']);
});

test('an event for readers does not replace the one for writers, and old versions have none', () => {
  const a = zeros(64, { ...rec, dtype: 'uint8' });
  const forWriters = exportCudaArrayInterface(a, { event: true }).event?.handle;
  expect(exportCudaArrayInterface(a.asReadOnly(), { event: true }).event?.handle).not.toBe(forWriters);
  expect(exportCudaArrayInterface(a, { event: true }).event?.handle).toBe(forWriters);
  expect(exportCudaArrayInterface(a, { event: true, version: 2 }).event).toBeUndefined();
});

test('without a release function the producer’s stream waits as in version 3, and sync host releases too', () => {
  using own = new Stream(rec);
  using mine = new Stream(rec);
  const a = zeros(64, { stream: own, dtype: 'uint8' });
  const { event } = exportCudaArrayInterface(a, { event: true });
  const names = { own: own.handle, mine: mine.handle };
  using b = asCudaArray(foreign(a, { stream: own.handle, event: { ...event, release: null } }), {
    stream: mine
  });
  expect(ordersDuring(names, () => b.fill(1)).slice(-2)).toEqual(['record mine', 'wait own']);
  let released = 0;
  const counted = { ...event, release: () => void released++ };
  const c = asCudaArray(foreign(a, { stream: own.handle, event: counted }), { stream: mine, sync: 'host' });
  c.fill(1);
  c.dispose();
  expect(released).toBe(1);
});

test('the event suffices if the stream was destroyed', () => {
  using mine = new Stream(rec);
  const a = zeros(64, { ...rec, dtype: 'uint8' });
  const { event } = exportCudaArrayInterface(a, { event: true });
  const gone = recording.makeStream();
  recording.destroyStream(gone);
  using b = asCudaArray(foreign(a, { stream: gone, event }), { stream: mine });
  b.fill(4);
  expect(b.item(0)).toBe(4);
});

test('an array without work has no event; one of another version is ignored, an invalid one refused', () => {
  using _ = usingMemoryManager(DefaultCUDAMemoryManager); // whose allocations are the driver's, one for one
  expect(exportCudaArrayInterface(empty(4, rec), { event: true }).event).toBeUndefined();
  const a = zeros(4, rec);
  using own = new Stream(rec);
  asCudaArray(foreign(a, { stream: 1, event: { version: 2, handle: 'x' } }), { stream: own }).dispose();
  for (const event of [{ version: 1 }, { version: 1, handle: 0n }, { version: 1, handle: 5n, release: 7 }])
    expect(() => asCudaArray(foreign(a, { stream: 1, event }))).toThrow(refusal('ERR_DESCRIPTOR', 'event'));
});

test('rule 84: no event is recorded in a capture', () => {
  using own = new Stream(rec);
  const a = zeros(4, { stream: own });
  let exported: unknown;
  own
    .capture(() => {
      a.fill(1);
      exported = exportCudaArrayInterface(a, { event: true }).event;
    })
    .dispose();
  expect(exported).toBeUndefined();
});

test('a release after the array was freed does no harm, and an invalid handle is refused', () => {
  const a = zeros(4, rec);
  const { event } = exportCudaArrayInterface(a, { event: true });
  expect(() => event?.release?.(0n)).toThrow(refusal('ERR_ARGUMENT'));
  using done = new Event(rec);
  Stream.legacyDefault('rec:0').record(done);
  event?.release?.(done.handle);
  a.dispose();
  event?.release?.(done.handle);
});

test("an error of the producer's release is thrown, and the array is freed all the same", () => {
  const a = zeros(4, rec);
  using own = new Stream(rec);
  const { event } = exportCudaArrayInterface(a, { event: true });
  const release = (): never => {
    throw new RangeError('no');
  };
  const b = asCudaArray(foreign(a, { stream: 1, event: { ...event, release } }), { stream: own });
  b.fill(1);
  expect(() => b.dispose()).toThrow(RangeError);
  expect(b.freed).toBe(true);
});

import { arange, fromDlpack } from '../../src/index.ts';
import { CapsuleWatch, isWatched, type CapsuleReport } from '../../src/interchange/dlpack/watch.ts';
import { native } from '../../src/native/load.ts';
import { addon } from './conformance/dlpack-support.ts';

const sim = { device: 'sim:0' } as const;
const VERSIONED = { maxVersion: [1, 3] } as const;

const seen = (reports: readonly CapsuleReport[]): string[] =>
  reports.map(({ name, state }) => `${name} ${state}`);

test('rules 164 to 168: exported, consumed, deleted, with the names that Python gives', () => {
  const array = arange(4, sim);
  let exports = 0;
  using watch = new CapsuleWatch(array.storage, () => exports++);
  const fresh = array.__dlpack__(VERSIONED);
  const old = array.__dlpack__();
  expect(seen(watch.report())).toEqual(['dltensor_versioned exported', 'dltensor exported']);
  const { dlpack } = native();
  dlpack.take(fresh);
  expect(seen(watch.report())).toEqual(['used_dltensor_versioned consumed', 'dltensor exported']);
  expect(watch.changed).toBe(false);
  dlpack.dropTaken();
  old.dispose();
  expect(watch.changed).toBe(true);
  expect(seen(watch.report())).toEqual(['used_dltensor_versioned deleted', 'dltensor deleted']);
  expect([exports, watch.changed]).toEqual([2, false]);
});

test('a tensor outlives the array that it came from, and is still followed', () => {
  const array = arange(4, sim);
  using watch = new CapsuleWatch(array.storage, () => {});
  const capsule = array.slice('1:').__dlpack__(VERSIONED);
  array.dispose();
  expect(seen(watch.report())).toEqual(['dltensor_versioned exported']);
  capsule.dispose();
  expect(seen(watch.report())).toEqual(['dltensor_versioned deleted']);
});

test('a consumer of this library, and a copy', () => {
  const array = arange(4, sim);
  using watch = new CapsuleWatch(array.storage, () => {});
  using _taken = fromDlpack(array.__dlpack__(VERSIONED));
  using _copy = fromDlpack(array.__dlpack__({ ...VERSIONED, copy: true }));
  expect(watch.report().map(({ name, copied }) => [name, copied])).toEqual([
    ['used_dltensor_versioned', false],
    ['used_dltensor_versioned', true]
  ]);
});

test('rule 171: a consumer of another addon holds the tensor until its deleter ran, on whichever thread', () => {
  const array = arange(4, sim);
  using watch = new CapsuleWatch(array.storage, () => {});
  addon.consume(array.__dlpack__(VERSIONED));
  expect(seen(watch.report())).toEqual(['used_dltensor_versioned consumed']);
  addon.release(true);
  expect(seen(watch.report())).toEqual(['used_dltensor_versioned deleted']);
});

test('only what is looked at is followed, and only while it is', () => {
  const [array, other] = [arange(4, sim), arange(4, sim)];
  const watch = new CapsuleWatch(array.storage, () => {});
  other.__dlpack__().dispose();
  expect([isWatched(array.storage), isWatched(other.storage), watch.report()]).toEqual([true, false, []]);
  watch[Symbol.dispose]();
  watch[Symbol.dispose]();
  array.__dlpack__().dispose();
  expect([isWatched(array.storage), watch.report()]).toEqual([false, []]);
});

test('of very many the oldest are forgotten, those that are out last', () => {
  const array = arange(4, sim);
  using watch = new CapsuleWatch(array.storage, () => {});
  const out = array.__dlpack__(VERSIONED);
  for (let i = 0; i < 100; i++) array.__dlpack__().dispose();
  const reports = watch.report();
  expect([reports.length, seen(reports)[0]]).toEqual([32, 'dltensor_versioned exported']);
  expect(out.consumed).toBe(false);
  out.dispose();
});

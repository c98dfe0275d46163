import { arange, fromDlpack } from '../../../src/index.ts';
import { CapsuleWatch, type Capsules } from '../../../src/interchange/dlpack/watch.ts';
import { native } from '../../../src/native/load.ts';
import { addon } from '../conformance/dlpack-support.ts';

const sim = { device: 'sim:0' } as const;
const VERSIONED = { maxVersion: [1, 3] } as const;

const seen = ({ reports }: Capsules): string[] => reports.map(({ name, state }) => `${name} ${state}`);

test('rules 164 to 168: a tensor is exported, consumed and deleted, with the names that Python uses', () => {
  const array = arange(4, sim);
  using watch = new CapsuleWatch(array.storage);
  const fresh = array.__dlpack__(VERSIONED);
  const old = array.__dlpack__();
  expect(watch.changed).toBe(true);
  expect(seen(watch.report())).toEqual(['dltensor_versioned exported', 'dltensor exported']);
  const { dlpack } = native();
  dlpack.take(fresh);
  expect(watch.changed).toBe(true);
  expect(seen(watch.report())).toEqual(['used_dltensor_versioned consumed', 'dltensor exported']);
  expect(watch.changed).toBe(false);
  dlpack.dropTaken();
  old.dispose();
  expect(watch.changed).toBe(true);
  expect(seen(watch.report())).toEqual(['used_dltensor_versioned deleted', 'dltensor deleted']);
  expect(watch.changed).toBe(false);
});

test('rule 168: earlier tensors are counted until their deleters ran', () => {
  const array = arange(4, sim);
  const [early, taken] = [array.__dlpack__(), array.slice('1:').__dlpack__(VERSIONED)];
  using _import = fromDlpack(taken);
  using _copy = fromDlpack(array.__dlpack__({ copy: true }));
  using watch = new CapsuleWatch(array.storage);
  const own = array.__dlpack__();
  expect(watch.report()).toMatchObject({ others: 1, reports: [{ state: 'exported' }] });
  early.dispose();
  expect(watch.changed).toBe(true);
  expect(watch.report().others).toBe(0);
  own.dispose();
});

test('rules 173, 176: a tensor that native code gets from the exchange table has no capsule', () => {
  const array = arange(4, { ...sim, dtype: 'float32' });
  using watch = new CapsuleWatch(array.storage);
  addon.borrow(array);
  addon.negate(array);
  expect(watch.report()).toMatchObject({
    others: 0,
    reports: [{ way: 'native-table', name: 'DLManagedTensorVersioned', state: 'deleted', asker: '' }]
  });
});

test('a tensor outlives the array that it came from, and is still followed', () => {
  const array = arange(4, sim);
  using watch = new CapsuleWatch(array.storage);
  const capsule = array.slice('1:').__dlpack__(VERSIONED);
  array.dispose();
  expect(seen(watch.report())).toEqual(['dltensor_versioned exported']);
  capsule.dispose();
  expect(seen(watch.report())).toEqual(['dltensor_versioned deleted']);
});

test('a consumer of this library, and a copy, are followed', () => {
  const array = arange(4, sim);
  using watch = new CapsuleWatch(array.storage);
  using _taken = fromDlpack(array.__dlpack__(VERSIONED));
  using _copy = fromDlpack(array.__dlpack__({ ...VERSIONED, copy: true }));
  expect(watch.report().reports.map(({ name, copied }) => [name, copied])).toEqual([
    ['used_dltensor_versioned', false],
    ['used_dltensor_versioned', true]
  ]);
});

test('rule 171: a consumer of another addon holds the tensor until its deleter ran, on whichever thread', () => {
  const array = arange(4, sim);
  using watch = new CapsuleWatch(array.storage);
  addon.consume(array.__dlpack__(VERSIONED));
  expect(seen(watch.report())).toEqual(['used_dltensor_versioned consumed']);
  addon.release(true);
  expect(seen(watch.report())).toEqual(['used_dltensor_versioned deleted']);
});

test('only watched arrays are followed, and only while they are watched', () => {
  const { exports } = native();
  const [array, other] = [arange(4, sim), arange(4, sim)];
  const watch = new CapsuleWatch(array.storage);
  const before = exports.last();
  other.__dlpack__().dispose();
  expect([exports.last(), watch.report().reports]).toEqual([before, []]);
  const out = array.__dlpack__();
  expect(exports.last()).toBe(before + 1);
  watch[Symbol.dispose]();
  watch[Symbol.dispose]();
  array.__dlpack__().dispose();
  expect(exports.last()).toBe(before + 1);
  expect(watch.report()).toEqual({ reports: [], others: 0 });
  out.dispose();
});

test('two watchers of one array see the same, and the second one continues alone', () => {
  const array = arange(4, sim);
  const first = new CapsuleWatch(array.storage);
  using second = new CapsuleWatch(array.storage);
  const out = array.__dlpack__();
  expect(first.report()).toEqual(second.report());
  first[Symbol.dispose]();
  out.dispose();
  expect(seen(second.report())).toEqual(['dltensor deleted']);
});

test('of very many the oldest are forgotten, outstanding ones last', () => {
  const array = arange(4, sim);
  using watch = new CapsuleWatch(array.storage);
  const out = array.__dlpack__(VERSIONED);
  for (let i = 0; i < 100; i++) array.__dlpack__().dispose();
  const told = watch.report();
  expect([told.reports.length, seen(told)[0], told.others]).toEqual([32, 'dltensor_versioned exported', 0]);
  expect(out.consumed).toBe(false);
  out.dispose();
});

import { cpSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { beforeAll, describe, expect, test } from '@jest/globals';

import {
  arange,
  array,
  BufferError,
  empty,
  fromDlpack,
  FreedError,
  NDArray,
  Stream,
  zeros
} from './library.ts';
import type * as stridelab from './library.ts';
import { addon, consume, deletionsDuring, errorOf, floats, recording, sim } from './dlpack-support.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const on = { device: sim };
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

describe('K. the exchange table', () => {
  test('rules 173, 174: the class has one static table with a header, under the name and the registry symbol', () => {
    const table = addon.table(NDArray);
    expect(table).toMatchObject({ major: 1, minor: 3, prev: 0n, size: 80 });
    expect(addon.table(NDArray).address).toBe(table.address);
    const bySymbol = (NDArray as unknown as Record<symbol, unknown>)[
      Symbol.for('dlpack.__dlpack_c_exchange_api__')
    ];
    expect(bySymbol).toBe(NDArray.__dlpack_c_exchange_api__);
  });

  test('rules 173, 227: a class without a table, or with something else in its place, is detected', () => {
    class Other {
      static __dlpack_c_exchange_api__: unknown = { address: 5n };
    }
    expect(() => addon.table(Other as unknown as typeof NDArray)).toThrow('no exchange table');
    expect(() => addon.table(Map as unknown as typeof NDArray)).toThrow('no exchange table');
  });

  test('rule 175: a borrowed tensor has shape, strides and address, and owns nothing', () => {
    const a = arange(12, { ...on, dtype: 'float32' }).reshape(3, 4);
    expect(addon.borrow(a.T)).toMatchObject({
      shape: [4, 3],
      strides: [1, 4],
      dtype: [2, 32, 1],
      device: [1, 0]
    });
    expect(addon.borrow(a.slice(1)).data).toBe(a.pointer + 16n);
    expect(addon.borrow(zeros([], on))).toMatchObject({ ndim: 0, shape: null });
    expect(addon.borrow(zeros([0, 2], on)).data).toBe(0n);
  });

  test('rules 101, 175: a freed array is not exported, also if it was before', () => {
    const a = zeros(2, on);
    const view = a.slice('0:');
    addon.borrow(a);
    a.dispose();
    expect(() => addon.borrow(a)).toThrow(FreedError);
    expect(addon.borrow(view).shape).toEqual([2]);
    const never = zeros(2, on);
    never.dispose();
    expect(() => addon.borrow(never)).toThrow(FreedError);
  });

  test('rules 137, 175: a read-only array cannot be borrowed, because a borrowed tensor has no flag', () => {
    const a = zeros(2, on).asReadOnly();
    expect(errorOf(() => addon.borrow(a))).toBeInstanceOf(BufferError);
    expect(() => addon.negate(a)).toThrow('cannot write');
  });

  test('rules 131, 175: dtypes without a form in DLPack are refused here too', () => {
    expect(errorOf(() => addon.borrow(empty(2, { ...on, dtype: 'bytes3' })))).toBeInstanceOf(BufferError);
    expect(() => addon.borrow({ constructor: NDArray } as unknown as NDArray)).toThrow('not an array');
  });

  test('rule 175: C code writes through an owned tensor', () => {
    const a = array([1, 2, 3], { ...on, dtype: 'float32' });
    addon.negate(a.slice('::-1'));
    expect(a.toNested()).toEqual([-1, -2, -3]);
  });

  test('rules 168, 175: an array of a C tensor deletes it at its end', async () => {
    const deleted = await deletionsDuring(() => {
      using a = addon.toArray(NDArray, { shape: [2], bytes: floats(5, 6), flags: 1 });
      expect(a).toBeInstanceOf(NDArray);
      expect([a.toNested(), a.readOnly]).toEqual([[5, 6], true]);
    });
    expect(deleted).toBe(1);
  });

  test('rules 168, 175: a refused tensor is deleted too, once', async () => {
    const deleted = await deletionsDuring(() => {
      const error = errorOf(() => addon.toArray(NDArray, { shape: [-2], bytes: floats(5) }));
      expect(error).toBeInstanceOf(BufferError);
    });
    expect(deleted).toBe(1);
  });

  test('rule 175: new memory comes from the memory manager, and can become an array', () => {
    const tensor = addon.allocate(NDArray, { shape: [3, 2], dtype: [2, 64, 1] });
    expect(tensor).toMatchObject({ shape: [3, 2], strides: [2, 1], dtype: [2, 64, 1], device: [1, 0] });
    expect(tensor.array.pointer).toBe(tensor.data);
    expect(tensor.array.fill(2).toTypedArray()).toEqual(Float64Array.of(2, 2, 2, 2, 2, 2));
    expect(() => addon.allocate(NDArray, { shape: [1], device: [8, 0] })).toThrow(BufferError);
    expect(() => addon.allocate(NDArray, { shape: [1], dtype: [9, 1, 1] })).toThrow();
    expect(() => addon.allocate(NDArray, { shape: [-1] })).toThrow();
  });

  test('rules 175, 176: work for the host has no stream, for CUDA the legacy default', () => {
    expect([1, 2, 3, 13].map(type => addon.workStream(NDArray, type, 0))).toEqual([0n, 1n, 0n, 1n]);
    expect(errorOf(() => addon.workStream(NDArray, 8, 0)).code).toBe('ERR_BUFFER');
  });

  test('rules 154, 176: the work stream waits for an array of another stream with an event, the host does not wait', () => {
    using own = new Stream({ device: 'rec:0' });
    const a = zeros(4, { stream: own });
    recording().clear();
    addon.borrow(a);
    const calls = recording().log().join('\n');
    expect(calls).toMatch(/cuEventRecord[\s\S]*cuStreamWaitEvent/);
    expect(calls).not.toMatch(/Synchronize/);
    recording().clear();
    a.fill(1);
    expect(recording().log().join('\n')).toMatch(/cuStreamWaitEvent[\s\S]*(cuMem|simulateWork)/);
  });
});

describe('K. the binary array', () => {
  test('rule 177: has the fields of the interface, with sizes and device', () => {
    const a = arange(12, { ...on, dtype: 'int16' }).reshape(3, 4);
    expect(addon.describe(a.T.asReadOnly())).toEqual({
      size: 96,
      version: 3,
      shape: [4, 3],
      strides: [2, 8],
      typestr: '<i2',
      data: a.pointer,
      readOnly: 1,
      dtype: [0, 16, 1],
      device: [1, 0],
      stream: 0n,
      event: 0n,
      released: 1
    });
  });

  test('rules 44, 131, 177: has the other type name if one protocol cannot name the dtype', () => {
    expect(addon.describe(empty(2, { ...on, dtype: 'bfloat16' }))).toMatchObject({
      typestr: null,
      dtype: [4, 16, 1]
    });
    expect(addon.describe(empty(2, { ...on, dtype: 'datetime64[ns]' }))).toMatchObject({
      typestr: '<M8[ns]',
      dtype: [0, 0, 0]
    });
  });

  test('rules 154, 177: has an event next to the stream for pending work, and the host does not wait', () => {
    using own = new Stream({ device: 'rec:0' });
    const a = zeros(4, { stream: own });
    recording().clear();
    const struct = addon.describe(a);
    expect([struct.stream, struct.event > 0n]).toEqual([own.handle, true]);
    expect(recording().log().join('\n')).not.toMatch(/Synchronize/);
  });

  test('rules 26, 177: of C memory with strides that are no multiples becomes an array', () => {
    const bytes = new Uint8Array(12);
    new DataView(bytes.buffer).setInt16(1, 258, true);
    new DataView(bytes.buffer).setInt16(4, 772, true);
    const before = addon.releases();
    const a = addon.lend(NDArray, { shape: [2], strides: [3], typestr: '<i2', offset: 1, bytes });
    expect([a.toNested(), a.strides, a.dtype.name]).toEqual([[258, 772], [3], 'int16']);
    expect(addon.releases()).toBe(before);
    a.dispose();
    expect(addon.releases()).toBe(before + 1);
  });

  test.each([
    ['<M8[ns]', 'datetime64[ns]', 16],
    ['<U2', 'str2', 16],
    ['|S5', 'bytes5', 10],
    ['|V3', 'void3', 6]
  ])('rules 37 to 40, 177: typestr %s names what DLPack cannot', (typestr, name, size) => {
    using a = addon.lend(NDArray, { shape: [2], typestr, bytes: new Uint8Array(size), readOnly: 1 });
    expect([a.dtype.name, a.nbytes, a.readOnly]).toEqual([name, size, true]);
  });

  test.each([
    ['an older layout', { size: 8 }],
    ['a newer version', { version: 9 }],
    ['too many axes', { shape: new Array<number>(70).fill(1) }],
    ['no dtype', { typestr: null }],
    ['an unknown dtype', { typestr: '|O8' }],
    ['a negative dimension', { shape: [-1] }]
  ])('rules 124, 177: %s is refused, and released once', (_, odd) => {
    const before = addon.releases();
    const lent = { shape: [2], typestr: '<f4', bytes: new Uint8Array(8), ...odd };
    expect(() => addon.lend(NDArray, lent)).toThrow();
    expect(addon.releases()).toBe(before + 1);
  });
});

// A test run on another build of the addon gives every copy that build, so there are no two.
const twoCopies = process.env['STRIDELAB_TEST_ADDON'] === undefined ? describe : describe.skip;

twoCopies('M. two copies of the package', () => {
  let folder: string;
  let other: typeof stridelab;

  beforeAll(async () => {
    folder = temporaryFolder();
    for (const part of ['package.json', 'src', 'native/build/Release/stridelab.node']) {
      cpSync(join(root, part), join(folder, part), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    other = (await import(join(folder, 'src', 'index.ts'))) as typeof other;
  });

  test('rule 234: have separate classes, addons and simulated devices', () => {
    expect(other.NDArray).not.toBe(NDArray);
    expect(addon.table(other.NDArray as never).address).not.toBe(addon.table(NDArray).address);
  });

  test('rules 168, 234: exchange arrays over the same memory', () => {
    const theirs = other.arange(4, { device: 'sim:0', dtype: 'float32' });
    const ours = fromDlpack(theirs);
    expect([ours.pointer, ours.toNested()]).toEqual([theirs.pointer, [0, 1, 2, 3]]);
    theirs.dispose();
    ours.fill(7);
    const back = other.fromDlpack(ours);
    ours.dispose();
    expect(back.toNested()).toEqual([7, 7, 7, 7]);
    back.dispose();
  });

  test('rules 102, 234: memory imported several times stays alive while one import is left', () => {
    using theirs = other.arange(4, { device: 'sim:0', dtype: 'float32' });
    for (const first of [theirs, theirs.slice(':2')]) {
      const one = fromDlpack(first);
      const two = fromDlpack(theirs);
      const three = fromDlpack(theirs.slice(':2'));
      one.dispose();
      expect(two.toNested()).toEqual([0, 1, 2, 3]);
      three.dispose();
      expect(two.fill(5).toNested()).toEqual([5, 5, 5, 5]);
      two.dispose();
      theirs.slice().copyFrom(other.arange(4, { device: 'sim:0', dtype: 'float32' }));
    }
  });

  test('rules 165, 234: a capsule is consumed for both', () => {
    const capsule = other.arange(2, { device: 'sim:0' }).__dlpack__({ maxVersion: [1, 3] });
    fromDlpack(capsule).dispose();
    expect(capsule.consumed).toBe(true);
    expect(() => other.fromDlpack(capsule)).toThrow('already consumed');
    expect(errorOf(() => fromDlpack(capsule))).toBeInstanceOf(BufferError);
  });

  test('rules 177, 234: the table of each class imports the arrays of that class', () => {
    const theirs = other.arange(3, { device: 'sim:0', dtype: 'float32' });
    expect(addon.borrow(theirs as never).data).toBe(theirs.pointer);
    expect(addon.borrow(arange(3, on)).shape).toEqual([3]);
    const made = addon.toArray(other.NDArray, { shape: [1], bytes: floats(2) });
    expect(made).toBeInstanceOf(other.NDArray);
  });

  test('rules 227, 234: native objects of one are refused by the other', () => {
    const theirs = other.arange(3, { device: 'sim:0' });
    expect(() => consume(theirs)).toThrow('no capsule');
  });
});

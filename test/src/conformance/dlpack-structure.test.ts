import { describe, expect, test } from '@jest/globals';

import { arange, DLPackCapsule, fromDlpack, full, zeros } from './library.ts';
import { addon, consume, deletionsDuring, errorOf, floats, sim } from './dlpack-support.ts';

const on = { device: sim };
const values = (...of: number[]): Uint8Array => floats(...of);

describe('G. both structs', () => {
  test('rules 107, 143: without maxVersion the unversioned struct is exported, with one the versioned struct', () => {
    const a = arange(6, { ...on, dtype: 'float32' });
    expect(consume(a.__dlpack__()).version).toBeNull();
    expect(consume(a.__dlpack__({ maxVersion: null })).version).toBeNull();
    expect(consume(a.__dlpack__({ maxVersion: [0, 8] })).version).toBeNull();
    expect(consume(a.__dlpack__({ maxVersion: [1, 0] })).version).toEqual([1, 0]);
    expect(consume(a.__dlpack__({ maxVersion: [1, 3] })).version).toEqual([1, 3]);
    expect(consume(a.__dlpack__({ maxVersion: [1, 9] })).version).toEqual([1, 3]);
    expect(consume(a.__dlpack__({ maxVersion: [2, 0] })).version).toEqual([1, 3]);
  });

  test.each([true, false])('rules 107, 117: both structs are read, versioned %s', versioned => {
    using a = fromDlpack(addon.produce({ versioned, shape: [2, 2], bytes: values(1, 2, 3, 4) }));
    expect(a.toNested()).toEqual([
      [1, 2],
      [3, 4]
    ]);
    expect(a.dtype.name).toBe('float32');
  });

  test('rule 108: of another major version only the deleter is read, which runs', async () => {
    const absurd = { major: 2, ndim: -5, shape: [1], dtype: [99, 0, 0] as const };
    const deleted = await deletionsDuring(() => {
      const error = errorOf(() => fromDlpack(addon.produce(absurd)));
      expect(error.code).toBe('ERR_BUFFER');
      expect(error.message).toContain('version 2.3');
    });
    expect(deleted).toBe(1);
  });

  test('rule 109: a newer minor is accepted', () => {
    using a = fromDlpack(addon.produce({ minor: 99, shape: [1], bytes: values(5) }));
    expect(a.toNested()).toEqual([5]);
  });

  test('rule 110: a C compiler and our code agree on the layout of every field', () => {
    const capsule = full([2, 3], 7, { ...on, dtype: 'float32' }).__dlpack__({ maxVersion: [1, 3] });
    expect(consume(capsule, 24)).toMatchObject({
      shape: [2, 3],
      strides: [3, 1],
      ndim: 2,
      dtype: [2, 32, 1],
      device: [1, 0],
      byteOffset: 0,
      flags: 0,
      bytes: values(7, 7, 7, 7, 7, 7).buffer
    });
  });
});

describe('G. data and offsets', () => {
  test('rules 111, 118: an array without elements exports NULL, with strides', () => {
    expect(consume(zeros([0, 3], on).__dlpack__())).toMatchObject({
      data: 0n,
      shape: [0, 3],
      strides: [3, 1]
    });
  });

  test('rules 111, 27: a tensor without elements is read with any data and strides', () => {
    using a = fromDlpack(addon.produce({ shape: [0, 4], strides: [99, -7] }));
    using b = fromDlpack(addon.produce({ shape: [4, 0], bytes: values(1) }));
    expect([a.shape, a.size, a.pointer]).toEqual([[0, 4], 0, 0n]);
    expect(b.toNested()).toEqual([[], [], [], []]);
  });

  test('rule 112: data aligned to its elements only is accepted', () => {
    using a = fromDlpack(addon.produce({ shape: [2], bytes: values(9, 1, 2), byteOffset: 4 }));
    expect(a.toNested()).toEqual([1, 2]);
  });

  test('rule 113: byte_offset counts on import', () => {
    using a = fromDlpack(addon.produce({ shape: [2], bytes: values(0, 0, 3, 4), byteOffset: 8 }));
    expect(a.toNested()).toEqual([3, 4]);
  });

  test('rule 114: an interior view exports the address of its first element, with byte_offset 0', () => {
    const a = arange(6, { ...on, dtype: 'float32' });
    const view = a.slice('2:');
    const tensor = consume(view.__dlpack__(), 16);
    expect(tensor.data + BigInt(tensor.byteOffset)).toBe(a.pointer + 8n);
    expect(tensor.bytes).toEqual(values(2, 3, 4, 5).buffer);
  });
});

describe('G. shape and strides', () => {
  test('rule 115: 0-d arrays are exported with NULL shape and strides', () => {
    const tensor = consume(full([], 3, { ...on, dtype: 'float32' }).__dlpack__());
    expect(tensor).toMatchObject({ ndim: 0, shape: null, strides: null });
    using a = fromDlpack(addon.produce({ ndim: 0, bytes: values(8) }));
    expect([a.shape, a.item()]).toEqual([[], 8]);
  });

  test('rule 115: a NULL shape with axes is refused', async () => {
    const deleted = await deletionsDuring(() => {
      expect(() => fromDlpack(addon.produce({ ndim: 2, bytes: values(1) }))).toThrow('shape is NULL');
    });
    expect(deleted).toBe(1);
  });

  test('rules 116, 118: strides count elements, negative ones too, and are never NULL', () => {
    const a = arange(12, { ...on, dtype: 'float32' }).reshape(3, 4);
    expect(consume(a.T.__dlpack__())).toMatchObject({ shape: [4, 3], strides: [1, 4] });
    const back = consume(a.slice(null, '::-2').__dlpack__(), 4);
    expect(back).toMatchObject({ shape: [3, 2], strides: [4, -2], bytes: values(3).buffer });
  });

  test('rules 23, 116: negative strides are read below the first element', () => {
    const produced = { shape: [3], strides: [-1], bytes: values(1, 2, 3), byteOffset: 8 };
    using a = fromDlpack(addon.produce(produced));
    expect(a.toNested()).toEqual([3, 2, 1]);
    expect([a.strides, a.offset]).toEqual([[-4], 8]);
  });

  test('rules 119, 21: the stride of an axis of one element is ignored', () => {
    using a = fromDlpack(addon.produce({ shape: [1, 2], strides: [12345678901, 1], bytes: values(1, 2) }));
    expect(a.isRowMajor).toBe(true);
    expect(a.toNested()).toEqual([[1, 2]]);
  });

  test('rules 22, 120: a broadcast axis has stride 0', () => {
    using a = fromDlpack(addon.produce({ shape: [2, 2], strides: [0, 1], bytes: values(1, 2) }));
    expect(a.toNested()).toEqual([
      [1, 2],
      [1, 2]
    ]);
  });

  test('rule 121: shape and strides live until the deleter runs, after the array and its capsule are freed', () => {
    const a = arange(4, { ...on, dtype: 'float32' });
    const capsule = a.T.__dlpack__();
    const tensor = addon.consume(capsule, 16);
    a.dispose();
    expect(tensor).toMatchObject({ shape: [4], strides: [1], bytes: values(0, 1, 2, 3).buffer });
    addon.release();
  });

  test('rule 122: sizes multiply, lanes and bits included', () => {
    const bytes = new Uint8Array(48);
    using a = fromDlpack(addon.produce({ shape: [1, 3], dtype: [2, 32, 4], bytes }));
    expect([a.nbytes, a.storage.bytes, a.dtype.itemsize]).toEqual([48, 48, 16]);
  });

  test('rule 123: lanes are a vector type, in both directions', () => {
    using a = fromDlpack(addon.produce({ shape: [2], dtype: [2, 32, 4], bytes: new Uint8Array(32) }));
    expect(a.dtype).toMatchObject({ name: 'float32_x4', lanes: 4 });
    expect(consume(a.__dlpack__()).dtype).toEqual([2, 32, 4]);
  });

  test.each([
    ['65 axes', { shape: new Array<number>(65).fill(1) }],
    ['-1 axes', { ndim: -1, shape: [1] }],
    ['a negative dimension', { shape: [-1] }],
    ['a size past 64 bits', { shape: [2n ** 40n, 2n ** 40n] }],
    ['a dimension past 2^53', { shape: [2n ** 60n], strides: [0] }],
    ['strides past the address space', { shape: [3], strides: [2n ** 52n] }],
    ['strides below address 0', { shape: [2n ** 40n], strides: [-(2n ** 10n)] }],
    ['the most negative stride', { shape: [2], strides: [-(2n ** 63n)] }],
    ['elements at NULL', { shape: [2], bytes: undefined }],
    ['elements without bits', { shape: [2], dtype: [2, 0, 1] }],
    ['elements without lanes', { shape: [2], dtype: [2, 32, 0] }]
  ])('rule 124: %s is refused, and the tensor is deleted once', async (_, absurd) => {
    const produced = { bytes: values(1, 2, 3), ...absurd } as Parameters<typeof addon.produce>[0];
    const deleted = await deletionsDuring(() => {
      const capsule = addon.produce(produced.bytes === undefined ? { shape: [2] } : produced);
      const error = errorOf(() => fromDlpack(capsule));
      expect(error.code).toBe('ERR_BUFFER');
      expect(errorOf(() => fromDlpack(capsule)).message).toContain('already consumed');
    });
    expect(deleted).toBe(1);
  });
});

test('rule 164: the capsule has a name and a state', () => {
  const capsule = zeros(2, on).__dlpack__({ maxVersion: [1, 3] });
  expect(capsule).toBeInstanceOf(DLPackCapsule);
  expect([capsule.name, capsule.consumed]).toEqual(['dltensor_versioned', false]);
  consume(capsule);
  expect([capsule.name, capsule.consumed]).toEqual(['used_dltensor_versioned', true]);
});

import { describe, expect, test } from '@jest/globals';

import { BufferError, dtypes, fromDlpack, toDType, zeros } from './library.ts';
import { array, dlpackCrossing, DLDeviceType, empty } from './library.ts';
import { addon, consume, deletionsDuring, errorOf, floats, sim } from './dlpack-support.ts';

const on = { device: sim };
const newest = { maxVersion: [1, 3] } as const;
const small = Object.values(dtypes).filter(dtype => dtype.typestr === null);
const fp8 = small.filter(dtype => /^float8/.test(dtype.name));

describe('H. dtypes', () => {
  test.each([
    ['int8', 0, 8],
    ['int64', 0, 64],
    ['uint8', 1, 8],
    ['uint64', 1, 64],
    ['float16', 2, 16],
    ['float64', 2, 64],
    ['bfloat16', 4, 16],
    ['complex64', 5, 64],
    ['complex128', 5, 128],
    ['bool', 6, 8]
  ] as const)('rule 125: %s is code %d of %d bits, in both directions', (name, code, bits) => {
    const capsule = zeros(3, { ...on, dtype: name }).__dlpack__(newest);
    expect(consume(capsule).dtype).toEqual([code, bits, 1]);
    using a = fromDlpack(addon.produce({ shape: [1], dtype: [code, bits, 1], bytes: new Uint8Array(16) }));
    expect(a.dtype).toBe(dtypes[name]);
  });

  test('rule 125: an opaque handle is refused', () => {
    const capsule = addon.produce({ shape: [1], dtype: [3, 64, 1], bytes: new Uint8Array(8) });
    expect(errorOf(() => fromDlpack(capsule)).message).toContain('rule');
  });

  test('rule 126: bool is exported as code 6, uint8 stays uint8', () => {
    using truth = fromDlpack(addon.produce({ shape: [2], dtype: [6, 8, 1], bytes: Uint8Array.of(0, 1) }));
    using old = fromDlpack(addon.produce({ shape: [2], dtype: [1, 8, 1], bytes: Uint8Array.of(0, 1) }));
    expect([truth.toNested(), old.toNested()]).toEqual([
      [false, true],
      [0, 1]
    ]);
  });

  test('rule 127: the eight fp8 formats are codes 7 to 14 of 8 bits', () => {
    const codes = fp8.map(dtype => consume(empty(4, { ...on, dtype }).__dlpack__(newest)).dtype);
    expect(codes).toEqual([7, 8, 9, 10, 11, 12, 13, 14].map(code => [code, 8, 1]));
  });

  test.each([
    [15, 6, 'float6_e2m3fn'],
    [16, 6, 'float6_e3m2fn'],
    [17, 4, 'float4_e2m1fn'],
    [0, 4, 'int4'],
    [1, 4, 'uint4']
  ] as const)(
    'rules 127 to 129: padded elements of code %d, %d bits take a byte each',
    (code, bits, name) => {
      const capsule = addon.produce({
        shape: [3],
        dtype: [code, bits, 1],
        bytes: Uint8Array.of(1, 2, 3),
        flags: 4
      });
      using a = fromDlpack(capsule);
      expect([a.dtype.name, a.nbytes]).toEqual([name, 3]);
      const again = consume(a.copy().__dlpack__(newest), 3);
      expect(again).toMatchObject({ dtype: [code, bits, 1], flags: 4, bytes: Uint8Array.of(1, 2, 3).buffer });
    }
  );

  test.each([
    [0, 4, [2, 6], 'int4_x2', [2, 3], 6],
    [17, 4, [8], 'float4_e2m1fn_x2', [4], 4],
    [15, 6, [2, 8], 'float6_e2m3fn_x4', [2, 2], 12]
  ] as const)(
    'rules 128, 129: packed elements of code %d, %d bits in %p are %s: bytes come from bits',
    (code, bits, shape, name, vectors, bytes) => {
      const content = Uint8Array.from({ length: bytes }, (_, index) => index);
      using a = fromDlpack(addon.produce({ shape, dtype: [code, bits, 1], bytes: content }));
      expect([a.dtype.name, a.shape, a.storage.bytes]).toEqual([name, vectors, bytes]);
      expect(consume(a.copy().__dlpack__(newest), bytes)).toMatchObject({ bytes: content.buffer, flags: 0 });
    }
  );

  test.each([
    ['an odd last axis', [3], undefined],
    ['a 0-d tensor', [], undefined],
    ['strided elements', [4], [2]],
    ['rows that start inside a byte', [2, 2], [3, 1]]
  ] as const)('rule 128: packed elements in %s are refused', (_, shape, strides) => {
    const produced = { shape, dtype: [0, 4, 1] as const, bytes: new Uint8Array(16) };
    const capsule = addon.produce(strides === undefined ? produced : { ...produced, strides });
    expect(errorOf(() => fromDlpack(capsule)).message).toContain('padded form');
  });

  test.each([
    [15, 8],
    [17, 8],
    [7, 16],
    [2, 128],
    [6, 1],
    [5, 32],
    [0, 7],
    [18, 8],
    [255, 255]
  ])('rules 128, 131: code %d of %d bits is refused, and the tensor is deleted once', async (code, bits) => {
    const deleted = await deletionsDuring(() => {
      const capsule = addon.produce({ shape: [8], dtype: [code, bits, 1], bytes: new Uint8Array(512) });
      expect(errorOf(() => fromDlpack(capsule))).toBeInstanceOf(BufferError);
    });
    expect(deleted).toBe(1);
  });

  test('rule 130: every array has native byte order, as DLPack requires', () => {
    expect(() => zeros(2, { ...on, dtype: '>f4' })).toThrow('big-endian');
  });

  test.each(['datetime64[ns]', 'timedelta64[25us]', 'bytes5', 'str3', 'void7'])(
    'rules 37, 131: %s has no form in DLPack, and the error says so',
    name => {
      const a = empty(2, { ...on, dtype: toDType(name) });
      const error = errorOf(() => a.__dlpack__(newest));
      expect(error).toBeInstanceOf(BufferError);
      expect(error.message).toContain(name);
      expect(dlpackCrossing(a)).toMatchObject({ possible: false, reason: error.message });
    }
  );

  test('rule 144: formats newer than the requested version are refused with the version they need', () => {
    const a = empty(2, { ...on, dtype: 'float8_e5m2' });
    expect(errorOf(() => a.__dlpack__()).message).toContain('needs DLPack 1.1');
    expect(errorOf(() => a.__dlpack__({ maxVersion: [1, 0] })).message).toContain('asked for 1.0');
    expect(consume(a.__dlpack__({ maxVersion: [1, 1] })).version).toEqual([1, 1]);
  });

  test('rules 44, 131: dtypes that CAI cannot name are exported by DLPack', () => {
    for (const dtype of small) {
      using a = empty([2, 4], { ...on, dtype });
      using b = fromDlpack(a);
      expect(b.dtype.name).toBe(dtype.name);
      expect(dlpackCrossing(a).possible).toBe(true);
    }
  });
});

describe('H. devices', () => {
  test('rule 132: every device type of the header has its name and number', () => {
    expect(DLDeviceType).toEqual({
      kDLCPU: 1,
      kDLCUDA: 2,
      kDLCUDAHost: 3,
      kDLOpenCL: 4,
      kDLVulkan: 7,
      kDLMetal: 8,
      kDLVPI: 9,
      kDLROCM: 10,
      kDLROCMHost: 11,
      kDLExtDev: 12,
      kDLCUDAManaged: 13,
      kDLOneAPI: 14,
      kDLWebGPU: 15,
      kDLHexagon: 16,
      kDLMAIA: 17,
      kDLTrn: 18
    });
  });

  test.each([4, 8, 10, 18, 0, 99, -7])(
    'rules 132, 158: device type %d is refused by name, and the tensor is deleted once',
    async type => {
      const deleted = await deletionsDuring(() => {
        const capsule = addon.produce({ shape: [1], bytes: floats(1), device: [type, 0] });
        const error = errorOf(() => fromDlpack(capsule));
        expect(error).toBeInstanceOf(BufferError);
        expect(error.message).toContain('DLPack tensor on');
      });
      expect(deleted).toBe(1);
    }
  );

  test('rules 133, 148: host memory is imported in place, and written through', () => {
    const a = fromDlpack(addon.produce({ shape: [3], bytes: floats(1, 2, 3) }));
    expect(a.device).toBe(sim);
    a.fill(9);
    const tensor = consume(a.__dlpack__(), 12);
    expect([tensor.data, tensor.bytes]).toEqual([a.pointer, floats(9, 9, 9).buffer]);
  });

  test('rules 134, 141: host memory has id 0, and the query has no side effect', () => {
    const a = zeros(2, on);
    const uses = a.storage.uses().length;
    expect(a.__dlpack_device__()).toEqual([1, 0]);
    expect(a.storage.uses()).toHaveLength(uses);
  });
});

describe('H. flags', () => {
  const a = array([1, 2, 3], { ...on, dtype: 'float32' });

  test('rule 137: a read-only array is marked in the versioned struct, and has no unversioned one', () => {
    const frozen = a.asReadOnly();
    expect(consume(frozen.__dlpack__(newest)).flags).toBe(1);
    const error = errorOf(() => frozen.__dlpack__());
    expect(error).toBeInstanceOf(BufferError);
    expect(error.message).toContain('read-only');
    expect(consume(a.__dlpack__(newest)).flags).toBe(0);
  });

  test('rules 30, 137: overlapping elements are exported read-only', () => {
    using broadcast = fromDlpack(addon.produce({ shape: [3, 2], strides: [0, 1], bytes: floats(1, 2) }));
    expect(consume(broadcast.__dlpack__(newest)).flags).toBe(1);
  });

  test('rules 59, 138: a read-only tensor becomes a read-only array, and stays so', () => {
    using b = fromDlpack(addon.produce({ shape: [2], bytes: floats(1, 2), flags: 1 }));
    expect(b.readOnly).toBe(true);
    expect(() => b.fill(0)).toThrow('read-only');
    expect(fromDlpack(b.slice('1:')).readOnly).toBe(true);
    expect(fromDlpack(a.asReadOnly()).readOnly).toBe(true);
  });

  test('rule 139: a copy is marked as one, and can be written', () => {
    const capsule = a.asReadOnly().__dlpack__({ ...newest, copy: true });
    expect(consume(capsule).flags).toBe(2);
    using copied = fromDlpack(a.asReadOnly(), { copy: true });
    expect(copied.readOnly).toBe(false);
    expect(copied.storage).not.toBe(a.storage);
  });

  test('rule 140: unknown flags are ignored, and not passed on', () => {
    using b = fromDlpack(addon.produce({ shape: [1], bytes: floats(1), flags: 2 ** 52 + 8 }));
    expect(consume(b.copy().__dlpack__(newest)).flags).toBe(0);
  });
});

/** Producer side of the CUDA Array Interface on the simulated device. Rule numbers are those of docs/conformance.md. */

import type { CudaArrayInterface, NDArray } from './library.ts';
import {
  arange,
  array,
  DefaultCUDAMemoryManager,
  DISPLAY_METHOD,
  dtypes,
  empty,
  Event,
  exportCudaArrayInterface,
  ones,
  Stream,
  toDType,
  usingMemoryManager,
  zeros,
  type DType
} from './library.ts';

const sim = { device: 'sim:0' } as const;

const CORE = [
  'bool',
  'int8',
  'int16',
  'int32',
  'int64',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'float16',
  'float32',
  'float64',
  'complex64',
  'complex128'
] as const;

/** Name, DLDataTypeCode and bits of the types that CAI has no typestr for. */
const SMALL = [
  ['bfloat16', 4, 16],
  ['float8_e3m4', 7, 8],
  ['float8_e4m3', 8, 8],
  ['float8_e4m3b11fnuz', 9, 8],
  ['float8_e4m3fn', 10, 8],
  ['float8_e4m3fnuz', 11, 8],
  ['float8_e5m2', 12, 8],
  ['float8_e5m2fnuz', 13, 8],
  ['float8_e8m0fnu', 14, 8],
  ['float6_e2m3fn', 15, 6],
  ['float6_e3m2fn', 16, 6],
  ['float4_e2m1fn', 17, 4],
  ['int4', 0, 4],
  ['uint4', 1, 4]
] as const;

/** The descriptor of an array whose static type need not declare one. */
function descriptorOf(view: NDArray): CudaArrayInterface {
  const descriptor = view.__cuda_array_interface__;
  if (descriptor === undefined) throw new Error(`${view.dtype.name} has no descriptor`);
  return descriptor;
}

/** Reads the element at an address from the array's bytes, as a consumer of the descriptor would compute it. */
function elementAddresses(view: NDArray): bigint[] {
  const { data, shape, strides, typestr } = descriptorOf(view);
  const { itemsize } = toDType(typestr);
  const steps = strides ?? shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, itemsize));
  let addresses = [data[0]];
  for (const [axis, dimension] of shape.entries()) {
    addresses = addresses.flatMap(address =>
      Array.from({ length: dimension }, (_, i) => address + BigInt(i * (steps[axis] as number)))
    );
  }
  return addresses;
}

describe('A. container and version', () => {
  test('rule 1: shape, typestr, data and version are always present, in a plain frozen object', () => {
    const descriptor = zeros([2, 3], sim).__cuda_array_interface__;
    for (const key of ['shape', 'typestr', 'data', 'version']) expect(Object.keys(descriptor)).toContain(key);
    expect(Object.getPrototypeOf(descriptor)).toBe(Object.prototype);
    expect(Object.isFrozen(descriptor)).toBe(true);
    expect(Object.isFrozen(descriptor.data)).toBe(true);
  });

  test('rule 3: reading the property does not extend the life of the array', () => {
    const a = zeros(4, sim);
    const { data } = a.__cuda_array_interface__;
    a.dispose();
    expect(a.freed).toBe(true);
    expect(data[0]).toBeGreaterThan(0n);
  });

  test('rule 4: the version is 3, and stream is present', () => {
    const descriptor = zeros(4, sim).__cuda_array_interface__;
    expect(descriptor.version).toBe(3);
    expect(descriptor).toHaveProperty('stream');
  });

  test('rule 13: the property is not enumerable, so that listing an array records nothing', () => {
    const a = zeros(4, sim);
    expect(Object.keys(a)).not.toContain('__cuda_array_interface__');
    expect('__cuda_array_interface__' in a).toBe(true);
  });

  test('rule 83: each read is a new snapshot', () => {
    using first = new Stream(sim);
    using second = new Stream(sim);
    const a = zeros(4, { stream: first });
    const before = a.__cuda_array_interface__;
    a.fill(1, { stream: second });
    const after = a.__cuda_array_interface__;
    expect(before.stream).toBe(first.handle);
    expect(after.stream).toBe(second.handle);
  });
});

describe('B. shape, strides, extent', () => {
  test('rule 15: () describes one element', () => {
    const a = array(7, sim);
    expect(a.__cuda_array_interface__).toMatchObject({ shape: [], strides: null });
    expect(a.__cuda_array_interface__.data[0]).toBeGreaterThan(0n);
  });

  test('rules 17, 19: strides are null for C-contiguous arrays, views included', () => {
    const a = arange(24, sim).reshape(2, 3, 4);
    for (const view of [a, a.slice(1), a.slice('1:'), a.reshape(6, 4), a.slice(null, '0:3')]) {
      expect(view.__cuda_array_interface__.strides).toBeNull();
    }
  });

  test('rule 18: strides are bytes, one for each axis', () => {
    const a = arange(24, { ...sim, dtype: 'int16' }).reshape(4, 6);
    expect(a.slice('::2', '1::3').__cuda_array_interface__.strides).toEqual([24, 6]);
  });

  test('rule 21: an axis of length 1 does not make an array strided', () => {
    const a = arange(24, sim).reshape(4, 6);
    expect(a.slice('2:3', null).__cuda_array_interface__.strides).toBeNull();
    expect(a.slice(null, '2:3').T.__cuda_array_interface__.strides).toEqual([8, 48]);
  });

  test('rules 23, 58: with negative strides data points to logical element 0, with memory below it', () => {
    const a = arange(12, { ...sim, dtype: 'float32' }).reshape(3, 4);
    const descriptor = a.slice('::-1', '::-2').__cuda_array_interface__;
    expect(descriptor.strides).toEqual([-16, -8]);
    expect(descriptor.data[0] - a.pointer).toBe(44n);
  });

  test('rules 24, 25: every address of a view lies inside the allocation the driver reports', () => {
    const a = arange(60, sim).reshape(3, 4, 5);
    for (const view of [a, a.T, a.slice('::-1', '1::2', '::-3'), a.slice(1, null, 2), a.transpose(1, 0, 2)]) {
      const range = view.storage.pointerAttributes(view.pointer);
      for (const address of elementAddresses(view)) {
        expect(address).toBeGreaterThanOrEqual(range?.rangeStart ?? 0n);
        expect(address + 8n).toBeLessThanOrEqual((range?.rangeStart ?? 0n) + BigInt(range?.rangeBytes ?? 0));
      }
    }
  });

  test('the addresses of a view are those of its elements', () => {
    const a = arange(60, sim).reshape(3, 4, 5);
    for (const view of [a.T, a.slice('::-1', '1::2', '::-3'), a.slice(1, null, 2), a.transpose(1, 2, 0)]) {
      const indices = elementAddresses(view).map(address => Number(address - a.pointer) / 8);
      expect([...view.toTypedArray()]).toEqual(indices); // element i of arange holds i
    }
  });

  test('rule 27: zero-size arrays export null strides, whatever view they came from', () => {
    const a = arange(12, sim).reshape(3, 4);
    for (const view of [zeros([0, 4], sim), a.slice('1:1'), a.slice('::-2', '4:')]) {
      expect(view.__cuda_array_interface__.strides).toBeNull();
    }
  });

  test('rule 28: Fortran order is exported with explicit strides', () => {
    const { shape, strides } = arange(12, sim).reshape(3, 4).T.__cuda_array_interface__;
    expect({ shape, strides }).toEqual({ shape: [4, 3], strides: [8, 32] });
  });
});

describe('C. typestr', () => {
  const all = Object.values<DType>(dtypes);

  test.each(all.filter(dtype => dtype.typestr !== null))(
    'rules 33 to 36, 43: $name exports $typestr',
    dtype => {
      const descriptor = descriptorOf(zeros(2, { ...sim, dtype }));
      expect(descriptor.typestr).toBe(dtype.typestr);
      expect(descriptor.typestr).toMatch(dtype.itemsize === 1 ? /^\|[biu]1$/ : /^<[iufc](2|4|8|16)$/);
    }
  );

  test.each(all.filter(dtype => dtype.typestr === null))(
    'rules 14, 44: $name is not exported under the name of another type: the property is undefined',
    dtype => {
      const a = zeros(2, { ...sim, dtype });
      expect(a.__cuda_array_interface__).toBeUndefined();
      expect(() => exportCudaArrayInterface(a)).toThrow(
        expect.objectContaining({ code: 'ERR_DTYPE' }) as Error
      );
      const opaque = exportCudaArrayInterface(a, { opaque: true });
      expect(opaque.typestr).toBe(dtype.itemsize === 1 ? '|V1' : '<V2');
    }
  );

  test('rules 45, 49: descr and mask are left out, which means one unnamed field and all elements valid', () => {
    const descriptor = zeros(2, sim).__cuda_array_interface__;
    expect(descriptor).not.toHaveProperty('descr');
    expect(descriptor).not.toHaveProperty('mask');
  });
});

describe('D. data', () => {
  test('rule 53: data is a bigint pointer and a boolean', () => {
    const [pointer, readOnly] = zeros(2, sim).__cuda_array_interface__.data;
    expect(typeof pointer).toBe('bigint');
    expect(readOnly).toBe(false);
  });

  test('rule 55: zero-size arrays export pointer 0', () => {
    for (const shape of [[0], [3, 0], [0, 0, 5]]) {
      expect(empty(shape, sim).__cuda_array_interface__.data[0]).toBe(0n);
    }
    expect(arange(3, sim).slice('3:').__cuda_array_interface__.data[0]).toBe(0n);
  });

  test('rules 59, 60: the read-only flag matches the array, and views keep it', () => {
    const a = zeros([2, 2], sim).asReadOnly();
    expect(a.__cuda_array_interface__.data[1]).toBe(true);
    expect(a.T.slice(0).__cuda_array_interface__.data[1]).toBe(true);
    expect(() => a.fill(1)).toThrow(expect.objectContaining({ code: 'ERR_READ_ONLY' }) as Error);
  });
});

describe('E. stream', () => {
  test('rules 68, 69: work on the default stream exports 1, never 0', () => {
    expect(zeros(2, sim).__cuda_array_interface__.stream).toBe(1);
  });

  test('rule 70: work on the per-thread default stream is exported through the legacy one, not as 2', () => {
    const perThread = Stream.perThreadDefault('sim:0');
    const a = zeros(1024, { stream: perThread });
    expect(a.__cuda_array_interface__.stream).toBe(1);
  });

  test('rules 71, 79: the stream is the one that last used the array, as a bigint', () => {
    using stream = new Stream(sim);
    const { stream: exported } = ones(2, { stream }).__cuda_array_interface__;
    expect(exported).toBe(stream.handle);
    expect(stream.handle).toBeGreaterThan(2n);
  });

  test('rule 80: with work on several streams the exported one waits for all of them', () => {
    using slow = new Stream(sim);
    using quick = new Stream(sim);
    const a = zeros(2 ** 22, { stream: slow, dtype: 'uint8' });
    slow.synchronize();
    const big = new Uint8Array(2 ** 22);
    a.storage.writeFromHost(0, big, slow);
    const target = empty(16, { stream: quick, dtype: 'uint8' });
    target.storage.copyFrom(0, a.storage, 0, 16, quick); // reads `a` on the other stream
    const exported = a.__cuda_array_interface__.stream;
    expect(exported).toBe(quick.handle);
    using done = new Event(sim);
    quick.record(done);
    done.synchronize();
    expect(slow.query()).toBe(true); // a consumer that waited for the exported stream has waited for both
  });

  test('rule 81: an array that was never used exports null', () => {
    using _ = usingMemoryManager(DefaultCUDAMemoryManager); // whose allocations are the driver's, one for one
    expect(empty(4, sim).__cuda_array_interface__.stream).toBeNull();
  });

  test('rule 93: a destroyed stream is never exported', () => {
    const stream = new Stream(sim);
    const a = zeros(4, { stream });
    stream.dispose();
    expect(a.__cuda_array_interface__.stream).not.toBe(stream.handle);
  });

  test.each([0n, -1n])('rules 67, 71: a stream handle of %p is refused', handle => {
    expect(() => Stream.fromHandle(handle, 'sim:0')).toThrow(
      expect.objectContaining({ code: 'ERR_ARGUMENT' }) as Error
    );
  });
});

describe('F. lifetime and pointer attributes', () => {
  test('rule 97: context, host access and managed are reported', () => {
    const a = zeros(4, sim);
    const attributes = a.storage.pointerAttributes(a.pointer);
    expect(attributes).toMatchObject({ memoryType: 'device', managed: false, deviceOrdinal: 0 });
    expect(attributes?.context).toBeGreaterThan(0n);
  });

  test('rule 98: allocation base and size, also for an address inside', () => {
    using _ = usingMemoryManager(DefaultCUDAMemoryManager); // whose allocations are the driver's, one for one
    const a = zeros(100, { ...sim, dtype: 'uint8' });
    const attributes = a.storage.pointerAttributes(a.pointer + 99n);
    expect(attributes).toMatchObject({ rangeStart: a.pointer, rangeBytes: 100 });
    expect(a.storage.pointerAttributes(a.pointer - 1n)?.rangeStart).not.toBe(a.pointer);
  });

  test('rule 101: a second dispose does nothing, and later use is a typed error', () => {
    const a = zeros(4, sim);
    a.dispose();
    a.dispose();
    const freed = expect.objectContaining({ code: 'ERR_FREED' }) as Error;
    expect(() => a.__cuda_array_interface__).toThrow(freed);
    expect(() => a.__dlpack_device__()).toThrow(freed);
    expect(() => a.toTypedArray()).toThrow(freed);
    expect(() => a.slice(0)).toThrow(freed);
    expect(() => a.fill(1)).toThrow(freed);
    expect(() => a.pointer).toThrow(freed);
    expect(a.toString()).toContain('freed');
  });

  test('rule 102: a view keeps the memory alive when its source is disposed', () => {
    const a = arange(6, sim).reshape(2, 3);
    const view = a.slice(1);
    a.dispose();
    expect([...view.toTypedArray()]).toEqual([3, 4, 5]);
    view.dispose();
    expect(() => view.toTypedArray()).toThrow(expect.objectContaining({ code: 'ERR_FREED' }) as Error);
  });
});

describe('H. DLPack device', () => {
  test('rules 132, 134, 141: the DLPack device is a pair, without data or stream; simulated memory is CPU memory', () => {
    expect(zeros(2, sim).__dlpack_device__()).toEqual([1, 0]);
    expect(zeros(0, sim).__dlpack_device__()).toEqual([1, 0]);
  });

  test.each(CORE.map(name => dtypes[name] as DType))(
    'rules 125, 126: $name has the code, bits and lanes of dlpack.h',
    dtype => {
      const code = { i: 0, u: 1, f: 2, c: 5, b: 6, m: -1, M: -1, S: -1, U: -1, V: -1 }[dtype.kind];
      expect(dtype.dlpack).toEqual({ code, bits: dtype.itemsize * 8, lanes: 1 });
    }
  );

  test.each(SMALL)('rules 125 to 129: %s has code %i and %i bits', (name, code, bits) => {
    expect(dtypes[name].dlpack).toEqual({ code, bits, lanes: 1 });
  });
});

test('an array displays itself with our MIME type, HTML and text', () => {
  const bundle = zeros(2, sim)[DISPLAY_METHOD]();
  expect(Object.keys(bundle)).toEqual(['application/vnd.stridelab.array+json', 'text/html', 'text/plain']);
});

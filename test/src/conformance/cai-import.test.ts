/** Consumer side of the CUDA Array Interface, by structure: container, shape, strides, types, pointer. */

import type { NDArray } from './library.ts';
import {
  arange,
  array,
  asCudaArray,
  DefaultCUDAMemoryManager,
  defaultDevice,
  dtypes,
  empty,
  exportCudaArrayInterface,
  fromCudaArrayInterface,
  fromDlpack,
  memallocmanaged,
  memhostalloc,
  Stream,
  toDType,
  usingMemoryManager,
  zeros,
  type CaiVersion,
  type DType
} from './library.ts';
import { native } from '../../../src/native/load.ts';
import { descriptorOf, foreign, refusal, rec, sim } from './cai-support.ts';

const a = arange(24, { ...sim, dtype: 'float32' }).reshape(4, 6);

describe('A. container and versions', () => {
  test.each(['shape', 'typestr', 'data', 'version'])(
    'rule 2: a missing %s is an error that names the key',
    key => {
      expect(() => asCudaArray(foreign(a, { [key]: undefined }))).toThrow(refusal('ERR_DESCRIPTOR', key));
    }
  );

  test.each([null, undefined, 7, 'x', [], () => 0])('rule 1: a descriptor of %p is refused', value => {
    expect(() => fromCudaArrayInterface(value as object)).toThrow(refusal('ERR_DESCRIPTOR', ''));
  });

  test('rule 14: a value without the interface, or with null in its place, is an ArgumentError', () => {
    for (const value of [{}, { __cuda_array_interface__: null }, 5 as unknown as object])
      expect(() => asCudaArray(value)).toThrow(refusal('ERR_ARGUMENT'));
    expect(() => asCudaArray(descriptorOf(a))).toThrow('fromCudaArrayInterface');
  });

  test.each([0, 1, 2, 3, 3n])('rule 5: version %p is imported without a copy', version => {
    using b = asCudaArray(foreign(a, { version }));
    expect(b.pointer).toBe(a.pointer);
    expect(b.toNested()).toEqual(a.toNested());
  });

  test('rule 6: version 0 can be any dictionary-like object, and has no mask', () => {
    const map = new Map<string, unknown>(Object.entries({ ...descriptorOf(a), version: 0, mask: 7 }));
    using b = fromCudaArrayInterface(map);
    expect(b.mask).toBeNull();
    expect(b.toNested()).toEqual(a.toNested());
  });

  test.each([
    [0, false],
    [1, true],
    [2, true],
    [3, true]
  ])('rule 7: version %i has a mask: %p', (version, masked) => {
    using b = asCudaArray(foreign(a, { version, mask: foreign(zeros([4, 6], { ...sim, dtype: 'bool' })) }));
    expect(b.mask !== null).toBe(masked);
  });

  test.each([0, 1, 2, 3])('rules 7, 10: version %i without a stream is ready at once', version => {
    using b = asCudaArray(foreign(a, { version, stream: undefined }));
    expect(b.storage.soleStream).toBeUndefined();
  });

  test('rule 9: a version above 3 is read as 3, or refused on request', () => {
    using b = asCudaArray(foreign(a, { version: 4, novelty: 1 }));
    expect(b.toNested()).toEqual(a.toNested());
    expect(() => asCudaArray(foreign(a, { version: 4 }), { newerVersion: 'refuse' })).toThrow(
      refusal('ERR_DESCRIPTOR', 'version')
    );
  });

  test.each([-1, 1.5, NaN, '3', null, {}])('rule 5: version %p is refused', version => {
    expect(() => asCudaArray(foreign(a, { version }))).toThrow(refusal('ERR_DESCRIPTOR', 'version'));
  });

  test('rule 11: unknown keys are ignored', () => {
    using b = asCudaArray(foreign(a, { device: 'elsewhere', event: 'none', foo: [1] }));
    expect(b.toNested()).toEqual(a.toNested());
  });

  test.each<CaiVersion>([3, 2, 1, 0])('rule 12: version %i can be exported', version => {
    const descriptor = exportCudaArrayInterface(a, { version });
    expect(descriptor.version).toBe(version);
    expect('stream' in descriptor).toBe(version === 3);
    using b = fromCudaArrayInterface(descriptor);
    expect(b.toNested()).toEqual(a.toNested());
  });

  test('rule 12: below version 3 the legacy default stream waits for pending work, since its consumers wait for no other', () => {
    using stream = new Stream(sim);
    const slow = zeros(2 ** 22, { stream, dtype: 'uint8' });
    const legacy = Stream.legacyDefault('sim:0');
    legacy.synchronize();
    slow.fill(1, { stream });
    exportCudaArrayInterface(slow, { version: 2 });
    legacy.synchronize();
    expect(stream.query()).toBe(true);
  });

  test('rule 12: a masked array cannot be exported as version 0', () => {
    using masked = a.withMask(zeros([4, 6], { ...sim, dtype: 'bool' }));
    expect(() => exportCudaArrayInterface(masked, { version: 0 })).toThrow(refusal('ERR_VALUE'));
    expect(exportCudaArrayInterface(masked, { version: 1 }).mask).toBe(masked.mask);
    expect(() => exportCudaArrayInterface(a, { version: 4 as CaiVersion })).toThrow(refusal('ERR_VALUE'));
  });

  test('rule 13: a producer can define the interface as a method, or with a symbol', () => {
    const descriptor = descriptorOf(a);
    class Methods {
      __cuda_array_interface__(): object {
        return descriptor;
      }
    }
    using b = asCudaArray(new Methods());
    using c = asCudaArray({
      [Symbol.for('cai.__cuda_array_interface__')]: descriptor,
      __cuda_array_interface__: 1
    });
    expect([b.pointer, c.pointer]).toEqual([a.pointer, a.pointer]);
    expect(a[Symbol.for('cai.__cuda_array_interface__') as never]).toEqual(descriptor);
  });

  test('rule 83: an import reads the property again each time', () => {
    let reads = 0;
    const producer = {
      get __cuda_array_interface__() {
        reads++;
        return descriptorOf(a);
      }
    };
    asCudaArray(producer).dispose();
    asCudaArray(producer).dispose();
    expect(reads).toBe(2);
  });
});

describe('B. shape, strides, extent', () => {
  test.each([
    [[2, -1]],
    [[1.5]],
    [[NaN]],
    [[Infinity]],
    [['2']],
    [[null]],
    [[2 ** 53]],
    [[2n ** 64n]],
    [[2 ** 40, 2 ** 40]]
  ])('rule 16: shape %p is refused', shape => {
    expect(() => asCudaArray(foreign(a, { shape, strides: null }))).toThrow(refusal('ERR_SHAPE'));
  });

  test.each(['(2, 3)', 5, null, {}])('rule 15: a shape of %p is refused', shape => {
    expect(() => asCudaArray(foreign(a, { shape }))).toThrow(refusal('ERR_DESCRIPTOR', 'shape'));
  });

  test('rules 15, 16: bigints and typed arrays are lists of integers too', () => {
    using b = asCudaArray(foreign(a, { shape: [4n, 6n], strides: new BigInt64Array([24n, 4n]) }));
    using c = asCudaArray(foreign(a, { shape: new Int32Array([4, 6]) }));
    expect([b.shape, c.shape]).toEqual([
      [4, 6],
      [4, 6]
    ]);
    expect(b.toNested()).toEqual(a.toNested());
  });

  test('rules 17, 20: absent, null and explicit strides of a C-contiguous array are the same', () => {
    for (const strides of [undefined, null, [24, 4]]) {
      using b = asCudaArray(foreign(a, { strides }));
      expect(b.isRowMajor).toBe(true);
      expect(descriptorOf(b).strides).toBeNull();
    }
  });

  test.each([[[24]], [[24, 4, 4]], [[24, 1.5]], [['24', 4]], [[2 ** 60, 4]], ['x']])(
    'rule 18: strides %p of two axes are refused',
    strides => {
      expect(() => asCudaArray(foreign(a, { strides }))).toThrow(refusal('ERR_DESCRIPTOR', 'strides'));
    }
  );

  test('rules 22, 23, 28, 29: strides of every sign, and views of three axes and more, are imported as they were exported', () => {
    const cube = arange(120, { ...sim, dtype: 'int16' }).reshape(2, 3, 4, 5);
    const views = [
      cube.T,
      cube.transpose(2, 0, 3, 1),
      cube.slice('::-1', null, '1::2', '::-2'),
      cube.slice(1, null, 0, '::-1'),
      a.slice(0).broadcastTo([3, 6]),
      array(7, sim).broadcastTo([2, 2]),
      cube.slice(null, null, null, 0).T
    ];
    for (const view of views) {
      using b = asCudaArray(foreign(view));
      expect(descriptorOf(b)).toEqual({ ...descriptorOf(view), stream: null });
      expect(b.toNested()).toEqual(view.toNested());
    }
  });

  test('rule 21: the stride of an axis of length 1 may be any number, in copies and in DLPack too', () => {
    const strides = [Number.MAX_SAFE_INTEGER, -4, -Number.MAX_SAFE_INTEGER, -12];
    using b = asCudaArray(foreign(a.slice('::-1', '::-1'), { shape: [1, 3, 1, 2], strides }));
    expect(b.toNested()).toEqual([[[[23, 20]], [[22, 19]], [[21, 18]]]]);
    expect(fromDlpack(b).toNested()).toEqual(b.toNested());
  });

  test('rule 24: the storage spans exactly the bytes of the array, below the pointer too', () => {
    using b = asCudaArray(foreign(a.slice('::-1', '::-2')));
    expect([b.storage.pointer - a.pointer, b.storage.bytes, b.offset]).toEqual([4n, 92, 88]);
  });

  test('rule 24: bytes past the end of the address space, or before it, are refused', () => {
    const data = [2n ** 64n - 8n, false];
    expect(() => asCudaArray(foreign(a, { data }), sim)).toThrow(refusal('ERR_DESCRIPTOR', 'data'));
    expect(() => asCudaArray(foreign(a, { data: [8n, false], strides: [-24, 4] }), sim)).toThrow(
      refusal('ERR_DESCRIPTOR', 'data')
    );
    const wide = { shape: [2 ** 53 - 1], typestr: '|V5', strides: [-1], data: [2n ** 60n, false] };
    expect(() => asCudaArray(foreign(a, wide), sim)).toThrow(refusal('ERR_DESCRIPTOR', 'strides'));
    expect(() => asCudaArray(foreign(a, { strides: [2 ** 52, 4] }), sim)).toThrow(
      refusal('ERR_DESCRIPTOR', 'strides')
    );
  });

  test('rule 26: strides that are not multiples of the element size are a strided view', () => {
    const bytes = array(new Uint8Array(20), sim).fill(1);
    using b = asCudaArray(foreign(bytes, { shape: [4], typestr: '<f4', strides: [5] }));
    expect(b.isAligned).toBe(false);
    expect([...b.toTypedArray()]).toEqual(
      new Array(4).fill(new Float32Array(new Uint8Array(4).fill(1).buffer)[0])
    );
  });

  test('rules 27, 56: a zero-size array with any strides and any pointer is accepted, and its pointer is dropped', () => {
    for (const pointer of [0n, 0, 5n, null]) {
      using b = asCudaArray(foreign(a, { shape: [0, 3], strides: [-7, 0], data: [pointer, false] }), sim);
      expect([b.size, b.pointer, b.storage.bytes]).toEqual([0, 0n, 0]);
      expect(b.toNested()).toEqual([]);
    }
  });

  test('rule 31: more than 64 axes are refused, as documented', () => {
    const shape = new Array<number>(65).fill(1);
    expect(() => asCudaArray(foreign(a, { shape, strides: null }))).toThrow(refusal('ERR_SHAPE'));
    using b = asCudaArray(foreign(a, { shape: shape.slice(1), strides: null }));
    expect(b.ndim).toBe(64);
  });
});

describe('C. typestr and descr', () => {
  test.each(
    Object.values<DType>(dtypes)
      .filter(dtype => dtype.typestr !== null)
      .concat(['|S5', '<U3', '|V7', '<M8[25us]', '<m8[ns]', '<M8'].map(text => toDType(text)))
  )('rules 33 to 40, 52: $name is imported as it was exported', dtype => {
    const source = empty([3, 2], { ...sim, dtype }).slice('::-1');
    using b = asCudaArray(foreign(source));
    expect(b.dtype).toBe(source.dtype);
    expect(descriptorOf(b)).toEqual({ ...descriptorOf(source), stream: null });
  });

  test('rules 40, 46, 52: a record with titles, nesting, sub-shapes and padding is imported as it was exported', () => {
    const descr = [
      ['x', '<f4'],
      ['', '|V4'],
      [
        ['the pair', 'p'],
        [
          ['a', '<i2'],
          ['b', '|u1', [2]]
        ]
      ],
      ['t', '<M8[ns]', [2, 1]]
    ];
    const bytes = zeros(56, { ...sim, dtype: 'uint8' });
    using b = asCudaArray(foreign(bytes, { shape: [2], typestr: '|V28', descr }));
    expect(b.dtype.fields?.map(({ name, title, offset, shape }) => [name, title, offset, shape])).toEqual([
      ['x', null, 0, []],
      ['p', 'the pair', 8, []],
      ['t', null, 12, [2, 1]]
    ]);
    expect(descriptorOf(b)).toMatchObject({ typestr: '|V28', descr });
    expect(b.toNested()).toEqual(new Array(2).fill({ x: 0, p: { a: 0, b: [0, 0] }, t: [[0n], [0n]] }));
  });

  test.each([
    ['|V8', [['x', '<f4']]],
    [
      '|V4',
      [
        ['x', '<f4'],
        ['y', '<f4']
      ]
    ],
    ['<f8', [['x', '<f8']]]
  ])('rules 47, 48: typestr %s against descr %j is refused', (typestr, descr) => {
    const bytes = zeros(8, { ...sim, dtype: 'uint8' });
    expect(() => asCudaArray(foreign(bytes, { shape: [1], typestr, descr }))).toThrow(refusal('ERR_DTYPE'));
  });

  test.each([
    [[]],
    ['x'],
    [[['x']]],
    [[['x', 5]]],
    [[[5, '<f4']]],
    [[['x', '<f4', [-1]]]],
    [
      [
        ['x', '<f4'],
        ['x', '<f4']
      ]
    ]
  ])('rule 46: descr %j is refused', descr => {
    expect(() => asCudaArray(foreign(a, { shape: [1], strides: null, typestr: '|V4', descr }))).toThrow(
      refusal('ERR_DTYPE')
    );
  });

  test('rule 46: a descr that contains itself is refused, without an endless loop', () => {
    const descr: unknown[] = [];
    descr.push(['x', descr]);
    expect(() => asCudaArray(foreign(a, { shape: [1], strides: null, typestr: '|V4', descr }))).toThrow(
      refusal('ERR_DTYPE')
    );
  });

  test('rule 45: one unnamed field of the same type adds nothing', () => {
    using b = asCudaArray(foreign(a, { descr: [['', '<f4']] }));
    expect(b.dtype.name).toBe('float32');
  });

  test.each([
    'f4',
    '=f4',
    '<f3',
    '<f16',
    '<c4',
    '<b2',
    '|O8',
    '|t3',
    '<x4',
    '<f4[ns]',
    '<M4',
    '',
    '|f4',
    '<U0',
    7,
    null
  ])('rules 32 to 43: typestr %p is refused', typestr => {
    const error = typeof typestr === 'string' ? refusal('ERR_DTYPE') : refusal('ERR_DESCRIPTOR', 'typestr');
    expect(() => asCudaArray(foreign(a, { typestr }))).toThrow(error);
  });

  test('rule 42: big-endian data is refused by name, or copied in the byte order of the device', () => {
    const bytes = array(new Uint8Array([0, 0, 1, 2, 0xff, 0xff, 0xff, 0xfe]), sim);
    const big = foreign(bytes, { shape: [2], typestr: '>i4' });
    expect(() => asCudaArray(big)).toThrow(refusal('ERR_DTYPE'));
    using b = asCudaArray(big, { byteOrder: 'swap' });
    expect([...b.toTypedArray()]).toEqual([258, -2]);
    expect(b.pointer).not.toBe(bytes.pointer);
    const descr = [
      ['a', '>u2'],
      ['b', '|u1', [2]],
      ['c', '>u4']
    ];
    using record = asCudaArray(foreign(bytes, { shape: [1], typestr: '|V8', descr }), { byteOrder: 'swap' });
    expect(record.toNested()).toEqual([{ a: 0, b: [1, 2], c: 0xfffffffe }]);
  });
});

describe('D. pointer', () => {
  test('rule 53: the pointer is a bigint or a safe integer, the flag a boolean', () => {
    using b = asCudaArray(foreign(a, { data: [Number(a.pointer), false] }));
    expect(b.pointer).toBe(a.pointer);
    for (const data of [
      [1.5, false],
      [2 ** 60, false],
      [-8n, false],
      ['8', false],
      [a.pointer, 0],
      [a.pointer],
      a.pointer,
      null
    ])
      expect(() => asCudaArray(foreign(a, { data }), sim)).toThrow(refusal('ERR_DESCRIPTOR', 'data'));
  });

  test('rule 57: pointer 0 with elements is refused', () => {
    expect(() => asCudaArray(foreign(a, { data: [0n, false] }), sim)).toThrow(
      refusal('ERR_DESCRIPTOR', 'data')
    );
  });

  test('rule 59: read-only arrays stay read-only, in views and exports', () => {
    using b = asCudaArray(foreign(a.asReadOnly()));
    expect(b.readOnly).toBe(true);
    expect(descriptorOf(b.T).data[1]).toBe(true);
    expect(() => b.fill(0)).toThrow(refusal('ERR_READ_ONLY'));
  });

  test('rules 61, 62: the array is on the device of its pointer, whatever the current device', () => {
    const elsewhere = zeros(4, rec);
    using b = asCudaArray(foreign(elsewhere));
    using c = asCudaArray(foreign(a));
    expect([b.device.label, c.device.label]).toEqual(['rec:0', 'sim:0']);
    expect(() => asCudaArray(foreign(elsewhere), sim)).toThrow(refusal('ERR_DEVICE'));
    expect(() => asCudaArray(a, rec)).toThrow(refusal('ERR_DEVICE'));
    using stream = new Stream(rec);
    expect(() => asCudaArray(foreign(a), { stream })).toThrow(refusal('ERR_DEVICE'));
    expect(() => asCudaArray(foreign(a), { stream, device: 'sim:0' })).toThrow(refusal('ERR_ARGUMENT'));
  });

  test('rules 54, 61: an address unknown to every driver requires a named device, and passes no strict check', () => {
    const unknown = foreign(a, { data: [4096n, false] });
    expect(() => asCudaArray(unknown)).toThrow(refusal('ERR_DESCRIPTOR', 'data'));
    expect(() => asCudaArray(unknown, { ...sim, validate: 'strict' })).toThrow(
      refusal('ERR_DESCRIPTOR', 'data')
    );
  });

  test('rule 63: the kind of memory is determined once and kept', () => {
    using pinned = memhostalloc(64, { ...sim, mapped: true });
    using managed = memallocmanaged(64, sim);
    const over = (pointer: bigint): NDArray =>
      fromCudaArrayInterface({ shape: [16], typestr: '<f4', data: [pointer, false], version: 3 });
    expect(over(a.pointer).storage.kind).toBe('device');
    expect(
      over('devicePointer' in pinned ? (pinned.devicePointer as bigint) : pinned.pointer).storage.kind
    ).toBe('pinned');
    expect(over(managed.pointer).storage.kind).toBe('managed');
  });

  test('rule 99: managed memory accepts any named device', () => {
    using managed = memallocmanaged(64, sim);
    const descriptor = { shape: [16], typestr: '<f4', data: [managed.pointer, false], version: 3 };
    using b = fromCudaArrayInterface(descriptor, { device: 'sim:0', owner: managed });
    expect([b.device.label, b.storage.kind]).toEqual(['sim:0', 'managed']);
    expect(b.__dlpack_device__()).toEqual([1, 0]);
  });

  test('rule 64: a misaligned pointer or stride is reported, and refused under strict validation', () => {
    const bytes = zeros(64, { ...sim, dtype: 'uint8' });
    const odd = foreign(bytes, { shape: [4], typestr: '<f4', data: [bytes.pointer + 1n, false] });
    using b = asCudaArray(odd);
    expect(b.isAligned).toBe(false);
    expect(() => asCudaArray(odd, { validate: 'strict' })).toThrow(refusal('ERR_DESCRIPTOR', 'data'));
    const packed = foreign(bytes, { shape: [4], typestr: '<c8', strides: [10] });
    expect(() => asCudaArray(packed, { validate: 'strict' })).toThrow(refusal('ERR_DESCRIPTOR', 'strides'));
    using complex = asCudaArray(foreign(bytes, { shape: [4], typestr: '<c8', strides: [12] }), {
      validate: 'strict'
    });
    expect(complex.isAligned).toBe(true);
  });

  test('rules 25, 65: strict validation queries the driver for the allocation: bytes outside and freed memory are refused', () => {
    using _ = usingMemoryManager(DefaultCUDAMemoryManager); // whose allocations are the driver's, one for one
    const strict = { validate: 'strict' } as const;
    const own = a.copy();
    expect(asCudaArray(foreign(own), strict).toNested()).toEqual(a.toNested());
    expect(() => asCudaArray(foreign(own, { shape: [5, 6] }), strict)).toThrow(
      refusal('ERR_DESCRIPTOR', 'data')
    );
    expect(() => asCudaArray(foreign(own, { strides: [-24, 4] }), strict)).toThrow(
      refusal('ERR_DESCRIPTOR', 'data')
    );
    const device = zeros(1, rec).device.native;
    const pointer = native().raw.memAlloc(device, 64);
    const descriptor = foreign(a, { data: [pointer, false], shape: [16], strides: null });
    asCudaArray(descriptor, { ...strict, ...rec }).dispose();
    native().raw.memFree(device, pointer);
    expect(() => asCudaArray(descriptor, { ...strict, ...rec })).toThrow(refusal('ERR_DESCRIPTOR', 'data'));
  });

  test('rule 55: the default device has arrays without elements', () => {
    using b = fromCudaArrayInterface({ shape: [0], typestr: '<f4', data: [0n, false], version: 3 });
    expect(b.device).toBe(defaultDevice());
  });
});

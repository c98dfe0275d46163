import { describe, expect, test } from '@jest/globals';

import {
  ArgumentError,
  BufferError,
  DeviceError,
  DLPackCapsule,
  FreedError,
  NDArray,
  Stream,
  ValueError,
  arange,
  fromDlpack,
  zeros,
  type DlpackOptions
} from './library.ts';
import { originOf } from '../../../src/pictures/array/origin.ts';
import { copyTo } from '../../../src/interchange/dlpack/settle.ts';
import { streamRequest } from '../../../src/interchange/dlpack/streams.ts';
import { gpuOf } from '../../../src/interchange/dlpack/targets.ts';
import { Storage } from '../../../src/memory/storage.ts';
import {
  addon,
  collect,
  consume,
  deletionsDuring,
  errorOf,
  floats,
  recording,
  sim
} from './dlpack-support.ts';

const on = { device: sim };
const newest = { maxVersion: [1, 3] } as const;
const make = (): NDArray => arange(4, { ...on, dtype: 'float32' });

/** A producer of another library, which records its arguments. */
function producer(of: Parameters<typeof addon.produce>[0] = {}): {
  asked: DlpackOptions[];
  __dlpack__(options?: DlpackOptions): object;
  __dlpack_device__(): readonly [number, number];
} {
  const asked: DlpackOptions[] = [];
  return {
    asked,
    __dlpack__: (options = {}) => {
      asked.push(options);
      return addon.produce({ shape: [2], bytes: floats(1, 2), ...of });
    },
    __dlpack_device__: () => of.device ?? [1, 0]
  };
}

test('an imported array has the class of its producer as its origin, for people', () => {
  class Tensor {}
  using ofTensor = fromDlpack(Object.assign(new Tensor(), producer()));
  using ofObject = fromDlpack(producer());
  expect([ofTensor, ofObject].map(({ storage }) => originOf(storage))).toEqual(['Tensor', 'elsewhere']);
});

describe('I. the producer', () => {
  test('rule 142: options are one object; anything else is refused, unknown keys are ignored', () => {
    const a = make();
    for (const odd of [1, -1n, 'x', [1], new Stream(on)]) {
      expect(errorOf(() => a.__dlpack__(odd as DlpackOptions)).code).toBe('ERR_ARGUMENT');
    }
    expect(a.__dlpack__({ tomorrow: 1 } as DlpackOptions).name).toBe('dltensor');
    expect(a.__dlpack__({ stream: null, copy: null, dlDevice: null, maxVersion: null }).name).toBe(
      'dltensor'
    );
  });

  test.each([[1], [[1]], ['1.0'], [[1, 0.5]], [[-1, 0]]])('rule 143: maxVersion %p is refused', odd => {
    const options = { maxVersion: odd } as unknown as DlpackOptions;
    expect(() => make().__dlpack__(options)).toThrow(ArgumentError);
  });

  test('rules 144, 150: copy: false that cannot be satisfied is a BufferError and a ValueError', () => {
    const foreign = producer({ device: [10, 0] });
    const error = errorOf(() => fromDlpack(foreign, { copy: false }));
    expect(error).toBeInstanceOf(BufferError);
    expect(error).toBeInstanceOf(ValueError);
    expect([error.code, error.name]).toEqual(['ERR_BUFFER', 'CopyRequiredError']);
    expect(new BufferError('x')).not.toBeInstanceOf(ValueError);
  });

  test('rules 147, 148: dlDevice of the array itself makes no copy, the host is [1, 0]', () => {
    const a = make();
    const tensor = consume(a.__dlpack__({ ...newest, dlDevice: [1, 0], copy: false }));
    expect([tensor.data, tensor.flags, tensor.device]).toEqual([a.pointer, 0, [1, 0]]);
  });

  test.each([
    [2, 7],
    [8, 0],
    [1, 1],
    [99, 0]
  ] as const)('rules 147, 158: unreachable device [%d, %d] is a BufferError', (...dlDevice) => {
    const error = errorOf(() => make().__dlpack__({ dlDevice }));
    expect(error).toBeInstanceOf(BufferError);
    expect(error.message).toContain('cannot export to');
  });

  test('rule 147: dlDevice of another form is refused', () => {
    expect(() => make().__dlpack__({ dlDevice: 'cpu' } as unknown as DlpackOptions)).toThrow(ArgumentError);
  });

  test('rules 139, 150: copy: true copies, also strided and to the same device', () => {
    const a = make();
    const tensor = consume(a.slice('::-1').__dlpack__({ ...newest, copy: true }), 16);
    expect(tensor).toMatchObject({ strides: [1], flags: 2, bytes: floats(3, 2, 1, 0).buffer });
    expect(tensor.data).not.toBe(a.pointer);
  });

  test('rule 153: host memory accepts no stream but null', () => {
    const a = make();
    for (const stream of [1, 2n, 77n, -1, 0]) {
      expect(errorOf(() => a.__dlpack__({ stream })).code).toBe('ERR_ARGUMENT');
    }
  });

  test('rules 151, 156: on CUDA 2 is the per-thread default stream, 1 and null the legacy one', () => {
    expect([2, 2n, 1, null, undefined].map(stream => streamRequest(2, stream))).toEqual([2n, 2n, 1n, 1n, 1n]);
    expect(streamRequest(13, 2)).toBe(2n);
  });

  test('rules 134, 135: the device is that of the pointer, whatever number its producer uses', () => {
    const gpus = [{ ordinal: 0 }, { ordinal: 1 }, { ordinal: 2 }];
    expect(gpuOf(gpus, 0, 2)).toBe(gpus[2]);
    expect(gpuOf(gpus, 1, null)).toBe(gpus[1]);
    expect(gpuOf(gpus, 7, null)).toBeUndefined();
    expect(gpuOf(gpus.slice(0, 1), 7, null)).toBe(gpus[0]);
  });

  test('rules 120, 144: byte strides that are no multiples of the element size are refused with the fix', () => {
    using bytes = fromDlpack(addon.produce({ shape: [12], dtype: [1, 8, 1], bytes: new Uint8Array(12) }));
    const odd = new NDArray(
      bytes.storage.retain(),
      make().dtype,
      { shape: [2], strides: [6], offset: 0 },
      bytes.stream
    );
    const error = errorOf(() => odd.__dlpack__());
    expect(error).toBeInstanceOf(BufferError);
    expect(error.message).toContain('copy the array first');
    expect(consume(odd.copy().__dlpack__()).strides).toEqual([1]);
  });

  test('rule 101: a freed array exports nothing', () => {
    const a = make();
    a.dispose();
    expect(() => a.__dlpack__()).toThrow(FreedError);
    expect(() => a.__dlpack_device__()).toThrow(FreedError);
  });

  test('rules 163, 167: an export outlives its array', () => {
    const a = make();
    const capsule = a.__dlpack__(newest);
    a.dispose();
    using b = fromDlpack(capsule);
    expect(b.toNested()).toEqual([0, 1, 2, 3]);
  });
});

describe('I. streams', () => {
  const cuda = 2;
  const rocm = 10;
  test.each([
    [cuda, null, 1n],
    [cuda, undefined, 1n],
    [cuda, 1, 1n],
    [cuda, 2n, 2n],
    [cuda, 0x7f00n, 0x7f00n],
    [cuda, -1, 'none'],
    [13, null, 1n],
    [rocm, null, 0n],
    [rocm, 0, 0n],
    [rocm, 77n, 77n],
    [rocm, -1n, 'none'],
    [1, null, 'host'],
    [3, undefined, 'host'],
    [11, null, 'host']
  ] as const)('rules 151 to 153: device type %d, stream %p requests %p', (type, stream, request) => {
    expect(streamRequest(type, stream)).toBe(request);
  });

  test.each([
    [cuda, 0],
    [cuda, 0n],
    [cuda, -2],
    [cuda, 1.5],
    [cuda, NaN],
    [cuda, 2 ** 60],
    [cuda, 2n ** 64n],
    [13, 0],
    [rocm, 1],
    [rocm, 2],
    [rocm, -2],
    [1, 0],
    [1, -1],
    [3, 1]
  ] as const)('rules 151 to 153, 155: device type %d refuses stream %p', (type, stream) => {
    expect(errorOf(() => streamRequest(type, stream)).code).toBe('ERR_ARGUMENT');
  });
});

describe('I. the consumer', () => {
  test('rules 145, 159: a producer is called once, with the newest supported version', () => {
    const foreign = producer();
    using a = fromDlpack(foreign);
    expect(a.toNested()).toEqual([1, 2]);
    expect(foreign.asked).toEqual([{ maxVersion: [1, 3], stream: null }]);
  });

  test('rules 145, 146: the result of an old producer that ignores the options is read as returned', () => {
    const old = producer({ versioned: false });
    expect(fromDlpack(old).toNested()).toEqual([1, 2]);
    expect(errorOf(() => fromDlpack(producer({ major: 3 }))).message).toContain('version 3.3');
  });

  test('rules 145, 158: an error of the producer is passed on unchanged, and it is not called again', () => {
    let calls = 0;
    const failing = {
      __dlpack__: () => {
        calls++;
        throw new TypeError('of my own');
      },
      __dlpack_device__: () => [1, 0] as const
    };
    expect(() => fromDlpack(failing)).toThrow(new TypeError('of my own'));
    expect(calls).toBe(1);
  });

  test('rule 145: registry symbols are found before the string members', () => {
    const foreign = producer();
    const hidden = {
      [Symbol.for('dlpack.__dlpack__')]: foreign.__dlpack__,
      [Symbol.for('dlpack.__dlpack_device__')]: foreign.__dlpack_device__,
      __dlpack__: () => {
        throw new Error('not asked');
      }
    };
    expect(fromDlpack(hidden).toNested()).toEqual([1, 2]);
    const own = make() as unknown as Record<symbol, () => unknown>;
    expect(own[Symbol.for('dlpack.__dlpack_device__')]?.()).toEqual([1, 0]);
    expect(own[Symbol.for('dlpack.__dlpack__')]?.()).toBeInstanceOf(DLPackCapsule);
  });

  test.each([
    ['an empty object', {}],
    ['half a producer', { __dlpack__: () => null }],
    ['an array', [1]],
    ['null', null],
    ['a number', 5],
    ['a typed array', new Uint8Array(4)]
  ])('rules 159, 226: %s is not a producer', (_, value) => {
    expect(errorOf(() => fromDlpack(value as object)).code).toBe('ERR_ARGUMENT');
  });

  test('rule 164: a __dlpack__ that returns no capsule is refused', () => {
    const odd = { __dlpack__: () => ({}), __dlpack_device__: () => [1, 0] as const };
    expect(errorOf(() => fromDlpack(odd)).code).toBe('ERR_BUFFER');
    const odder = { ...odd, __dlpack_device__: () => 'cpu' as unknown as [number, number] };
    expect(errorOf(() => fromDlpack(odder)).message).toContain('__dlpack_device__');
  });

  test('rule 147: the producer of unreachable memory is asked for a copy on the host', () => {
    const metal = producer();
    metal.__dlpack_device__ = () => [8, 0];
    using a = fromDlpack(metal);
    expect(a.toNested()).toEqual([1, 2]);
    expect(metal.asked).toEqual([{ maxVersion: [1, 3], stream: null, dlDevice: [1, 0] }]);
  });

  test('rules 150, 159: copy is passed on, and made here if the producer did not', () => {
    const foreign = producer({ versioned: false });
    using a = fromDlpack(foreign, { copy: true });
    expect(foreign.asked[0]?.copy).toBe(true);
    using b = fromDlpack(make());
    expect(a.toNested()).toEqual([1, 2]);
    const x = make();
    using copied = fromDlpack(x, { copy: true });
    using shared = fromDlpack(x, { copy: false });
    expect([copied.pointer === x.pointer, shared.pointer === x.pointer]).toEqual([false, true]);
    expect(b.readOnly).toBe(false);
  });

  test('rules 139, 150: a copy that its producer made is not made again', async () => {
    await collect(); // collects tensors that earlier tests dropped
    const deleted = await deletionsDuring(() => {
      using a = fromDlpack(producer({ flags: 2 }), { copy: true });
      expect(a.toNested()).toEqual([1, 2]);
    });
    expect(deleted).toBe(1);
  });

  test('rule 159: device names one, and an unknown one is an error before the producer is called', () => {
    const foreign = producer();
    expect(() => fromDlpack(foreign, { device: 'cuda:9' })).toThrow(DeviceError);
    expect(foreign.asked).toEqual([]);
    expect(fromDlpack(foreign, { device: 'sim' }).device).toBe(sim);
  });

  test('rule 160: a bare capsule is accepted, as an object or an External', () => {
    for (const external of [false, true]) {
      using a = fromDlpack(addon.produce({ shape: [2], bytes: floats(3, 4), external }));
      expect(a.toNested()).toEqual([3, 4]);
    }
  });

  test('rule 161: the array uses the requested stream', () => {
    using stream = new Stream(on);
    expect(fromDlpack(producer(), { stream }).stream).toBe(stream);
    const a = arange(3, { stream });
    expect(fromDlpack(a).stream).toBe(stream);
    expect(() => fromDlpack(a, { stream: 5 as unknown as Stream })).toThrow(ArgumentError);
  });

  test('rules 154, 162: one of our own arrays is imported over the same storage, so that both directions are ordered', () => {
    const a = make();
    using b = fromDlpack(a.T);
    expect(b.storage).toBe(a.storage);
    b.fill(5);
    expect(a.toNested()).toEqual([5, 5, 5, 5]);
    a.dispose();
    expect(b.toNested()).toEqual([5, 5, 5, 5]);
  });
});

describe('I. order on the device', () => {
  const rec = { device: 'rec:0' };
  const log = (): string[] => recording().log();

  test('rules 134, 141: the device is reported, pinned and managed memory with id 0', () => {
    const stream = Stream.legacyDefault('rec:0');
    const of = (kind: 'device' | 'pinned' | 'managed'): readonly [number, number] => {
      const shape = { shape: [2], strides: [4], offset: 0 };
      using a = new NDArray(Storage.allocate(stream.device, 8, kind), make().dtype, shape, stream);
      return a.__dlpack_device__();
    };
    expect([of('device'), of('pinned'), of('managed')]).toEqual([
      [2, 0],
      [3, 0],
      [13, 0]
    ]);
  });

  test('rules 154, 157, 176: another stream waits for the last writer with an event, the host does not', () => {
    using own = new Stream(rec);
    using other = new Stream(rec);
    const a = zeros(4, { stream: own });
    recording().clear();
    a.__dlpack__({ ...newest, stream: other.handle });
    const calls = log().join('\n');
    expect(calls).toMatch(/cuEventRecord[\s\S]*cuStreamWaitEvent/);
    expect(calls).not.toMatch(/Synchronize|cuEventQuery/);
  });

  test('rules 85, 151, 154: the same stream and -1 record nothing', () => {
    using own = new Stream(rec);
    const a = zeros(4, { stream: own });
    recording().clear();
    a.__dlpack__({ ...newest, stream: own.handle });
    a.__dlpack__({ ...newest, stream: -1 });
    expect(log().filter(call => /Event/.test(call))).toEqual([]);
  });

  test('rules 151, 154: null means the legacy default stream, which waits', () => {
    using own = new Stream(rec);
    const a = zeros(4, { stream: own });
    recording().clear();
    a.__dlpack__(newest);
    expect(log().filter(call => /cuStreamWaitEvent/.test(call))).toHaveLength(1);
    expect(errorOf(() => a.__dlpack__({ stream: 0 })).message).toContain('stream 0');
  });

  test('rule 162: a later write of the producer waits for a consumer stream that it was given', () => {
    using own = new Stream(rec);
    using other = new Stream(rec);
    const a = zeros(4, { stream: own });
    a.__dlpack__({ ...newest, stream: other.handle });
    recording().clear();
    a.fill(1);
    expect(log().join('\n')).toMatch(/cuEventRecord[\s\S]*cuStreamWaitEvent[\s\S]*(cuMem|simulateWork)/);
  });

  test('rules 147, 153: data for the host is ready on return, by copy or in place', () => {
    using own = new Stream(rec);
    const a = arange(3, { stream: own, dtype: 'float32' });
    const copied = consume(a.__dlpack__({ ...newest, dlDevice: [1, 0] }), 12);
    expect(copied).toMatchObject({ device: [1, 0], flags: 2, bytes: floats(0, 1, 2).buffer });
    using pinned = copyTo(a, a.device, 'pinned', own);
    const placed = consume(pinned.__dlpack__({ ...newest, dlDevice: [1, 0] }), 12);
    expect(placed).toMatchObject({
      device: [1, 0],
      flags: 0,
      data: pinned.pointer,
      bytes: floats(0, 1, 2).buffer
    });
    expect(() => a.__dlpack__({ dlDevice: [1, 0], copy: false })).toThrow(ValueError);
    expect(() => a.__dlpack__({ dlDevice: [1, 0], stream: 1 })).toThrow(ArgumentError);
  });

  test('rule 149: an array is moved between devices by a copy', () => {
    using own = new Stream(rec);
    const a = arange(3, { stream: own, dtype: 'float32' });
    using b = fromDlpack(a, { device: sim });
    expect([b.device, b.toNested()]).toEqual([sim, [0, 1, 2]]);
    expect(() => fromDlpack(a, { device: sim, copy: false })).toThrow(BufferError);
  });
});

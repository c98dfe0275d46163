import type { NDArray } from '../../../src/index.ts';
import {
  inspect,
  arange,
  array,
  ArgumentError,
  DeviceError,
  devices,
  dtypes,
  DTypeError,
  empty,
  full,
  ones,
  ShapeError,
  Stream,
  ValueError,
  zeros,
  type DType
} from '../../../src/index.ts';

const sim = { device: 'sim:0' } as const;

describe('creation', () => {
  test('zeros, ones, full, arange and array hold the given values', () => {
    expect([...zeros(3, sim).toTypedArray()]).toEqual([0, 0, 0]);
    expect([...ones([2], { ...sim, dtype: 'int8' }).toTypedArray()]).toEqual([1, 1]);
    expect(full(2, 7n, sim).dtype).toBe(dtypes.int64);
    expect([...full([2, 2], 1.5, { ...sim, dtype: 'float16' }).toTypedArray()]).toEqual([1.5, 1.5, 1.5, 1.5]);
    expect([...arange(2, 8, 2, sim).toTypedArray()]).toEqual([2, 4, 6]);
    expect([...arange(3, 0, -1, sim).toTypedArray()]).toEqual([3, 2, 1]);
    expect([...arange(3n, sim).toTypedArray()]).toEqual([0n, 1n, 2n]);
    for (const count of [4095, 4096, 4097]) {
      const spaced = Array.from({ length: count }, (_, index) => 0.1 + index * -0.3);
      const [end, float32] = [0.1 - (count - 0.5) * 0.3, { ...sim, dtype: 'float32' }] as const;
      expect([...arange(0.1, end, -0.3, sim).toTypedArray()]).toEqual(spaced);
      expect([...arange(0.1, end, -0.3, float32).toTypedArray()]).toEqual(spaced.map(Math.fround));
    }
    expect(arange(0, sim).shape).toEqual([0]);
    expect(
      array(
        [
          [1, 2],
          [3, 4]
        ],
        sim
      ).toNested()
    ).toEqual([
      [1, 2],
      [3, 4]
    ]);
    expect(array([true, false], sim).dtype).toBe(dtypes.bool);
    expect(array([1, 2n], sim).dtype).toBe(dtypes.float64);
    expect(array([{ re: 1, im: 2 }], sim).toNested()).toEqual([{ re: 1, im: 2 }]);
    expect(array(5, sim).shape).toEqual([]);
    expect(array([], sim).shape).toEqual([0]);
    expect(array([[], []], sim).shape).toEqual([2, 0]);
  });

  test('a typed array keeps its dtype, is copied, and can be a subarray', () => {
    const source = Float32Array.from([9, 1, 2, 3, 9]);
    const a = array(source.subarray(1, 4), sim);
    source.fill(0);
    expect(a.dtype).toBe(dtypes.float32);
    expect([...a.toTypedArray()]).toEqual([1, 2, 3]);
    expect([...array(Int8Array.of(1, 2), { ...sim, dtype: 'float64' }).toTypedArray()]).toEqual([1, 2]);
  });

  test.each(Object.values<DType>(dtypes))('$name is copied to the device and back', dtype => {
    const value =
      dtype.kind === 'b'
        ? true
        : dtype.kind === 'c'
          ? { re: 1, im: -1 }
          : dtype.itemsize === 8 && dtype.kind !== 'f'
            ? 3n
            : 2; // a power of two, which the narrowest floats hold too
    const a = array([value, value, value], { ...sim, dtype });
    expect(a.nbytes).toBe(3 * dtype.itemsize);
    expect(a.toNested()).toEqual([value, value, value]);
    expect(a.slice('::-2').toNested()).toEqual([value, value]);
    expect(
      zeros(2, { ...sim, dtype })
        .fill(value)
        .toNested()
    ).toEqual([value, value]);
  });

  test('invalid input throws a typed error that names it', () => {
    expect(() => zeros(3, { ...sim, dtype: 'float33' })).toThrow(DTypeError);
    expect(() => zeros([2, -1], sim)).toThrow(ShapeError);
    expect(() => zeros([2, 1.5], sim)).toThrow('dimension 1 is not an integer: 1.5');
    expect(() => zeros(3, { device: 'cuda:99' })).toThrow(DeviceError);
    expect(() => zeros(3, { device: 'cuda:99' })).toThrow("no device 'cuda:99'");
    expect(() => array([[1, 2], [3]], sim)).toThrow(ShapeError);
    expect(() => array([[1, 2], 3], sim)).toThrow(ShapeError);
    expect(() => array(['x'], sim)).toThrow(ValueError);
    expect(() => array([300], { ...sim, dtype: 'uint8' })).toThrow('300 is not a value of dtype uint8');
    expect(() => zeros(3, sim).fill('a')).toThrow('"a" is not a value of dtype float64');
    expect(() => zeros(3, sim).fill(undefined as unknown as number)).toThrow(ValueError);
    expect(() => zeros(3, sim).copyFrom([1, 2, 3] as unknown as NDArray)).toThrow(
      'expected an array of this library, not a list'
    );
    for (const [value, remedy] of [
      [[1, 2], 'array()'],
      [new Float32Array(3), 'array()'],
      [{ __cuda_array_interface__: {} }, 'asCudaArray()'],
      [Object.assign(() => 0, { __dlpack__: () => 0 }), 'python.asArray()'],
      [null, 'null has no live picture: pass an array']
    ] as const)
      expect(() => inspect(value as unknown as NDArray)).toThrow(remedy);
    expect(() => array(new DataView(new ArrayBuffer(8)), sim)).toThrow(ArgumentError);
    expect(() => arange(Infinity, sim)).toThrow(ValueError);
    expect(() => arange(0, 1, 0, sim)).toThrow('step is zero');
    expect(() => zeros(2, { stream: 5n as unknown as Stream })).toThrow(ArgumentError);
    expect(() => array([1, null as unknown as number], sim)).toThrow(ValueError);
  });
});

describe('views', () => {
  const a = arange(24, { ...sim, dtype: 'int32' }).reshape(2, 3, 4);

  test('share memory with their source', () => {
    const b = zeros([2, 3], { ...sim, dtype: 'int32' });
    b.slice(1).fill(7);
    b.slice(null, '::-2').fill(5);
    expect(b.toNested()).toEqual([
      [5, 0, 5],
      [5, 7, 5]
    ]);
  });

  test('slices, transposes and reshapes read the right elements', () => {
    expect(a.slice(1, '::-1', '::2').toNested()).toEqual([
      [20, 22],
      [16, 18],
      [12, 14]
    ]);
    expect(a.transpose(2, 0, 1).slice(0).toNested()).toEqual([
      [0, 4, 8],
      [12, 16, 20]
    ]);
    expect(a.reshape(-1, 6).shape).toEqual([4, 6]);
    expect(a.T.T.isRowMajor).toBe(true);
    expect(a.item(1, 2, 3)).toBe(23);
    expect(() => a.item(1)).toThrow(ShapeError);
    expect(() => a.reshape(5)).toThrow(ShapeError);
    expect(() => a.reshape(-1, 5)).toThrow(ShapeError);
    expect(() => a.T.reshape(24)).toThrow('copy()');
    expect([...a.T.copy().reshape(24).slice(':3').toTypedArray()]).toEqual([0, 12, 4]);
  });

  test('sparse views of large arrays are read in pieces and are still right', () => {
    const big = arange(300 * 1000, { ...sim, dtype: 'int32' }).reshape(300, 1000);
    const view = big.slice('::-50', '5::400').T;
    const expected = [5, 405, 805].map(column =>
      [299, 249, 199, 149, 99, 49].map(row => row * 1000 + column)
    );
    expect(view.toNested()).toEqual(expected);
    view.fill(-1);
    expect(big.item(299, 405)).toBe(-1);
    expect(big.item(299, 404)).toBe(299404);
  });

  test('the asynchronous form returns the same, contiguous or not', async () => {
    expect(await a.toTypedArrayAsync()).toEqual(a.toTypedArray());
    expect(await a.T.toTypedArrayAsync()).toEqual(a.T.toTypedArray());
    expect((await zeros(0, sim).toTypedArrayAsync()).length).toBe(0);
  });
});

describe('copies and uses', () => {
  test('contiguous arrays are copied on the device, strided ones through the host', () => {
    const a = arange(6, sim).reshape(2, 3);
    expect(a.copy().toNested()).toEqual(a.toNested());
    const target = zeros([3, 2], sim);
    expect(target.copyFrom(a.T).toNested()).toEqual([
      [0, 3],
      [1, 4],
      [2, 5]
    ]);
    expect(target.T.copyFrom(a).toNested()).toEqual(a.toNested());
    expect(() => target.copyFrom(a)).toThrow(ShapeError);
    expect(() => target.copyFrom(zeros([3, 2], { ...sim, dtype: 'float32' }))).toThrow(ShapeError);
  });

  test('listeners are informed of every use, through any view, and of the end', () => {
    using stream = new Stream(sim);
    const a = zeros(8, { stream });
    const heard: string[] = [];
    const end = a.onUse(() => heard.push(a.storage.freed ? 'freed' : 'used'));
    a.slice('::2').fill(1);
    a.toTypedArray();
    expect(heard.length).toBeGreaterThanOrEqual(2);
    end();
    const before = heard.length;
    a.fill(2);
    expect(heard.length).toBe(before);
  });

  test('listeners are informed when the memory is freed', () => {
    const a = zeros(8, sim);
    let freed = false;
    a.onUse(() => (freed = a.freed));
    a.dispose();
    expect(freed).toBe(true);
  });

  test('a stream of another device is refused', () => {
    const others = devices().filter(device => device.label !== 'sim:0');
    const a = zeros(2, sim);
    for (const device of others) {
      using stream = new Stream({ device });
      expect(() => a.fill(1, { stream })).toThrow(DeviceError);
    }
    expect(() => zeros(2, { stream: a.stream, device: 'sim:0' })).not.toThrow();
  });

  test('out of memory is a typed error with the call and the status', () => {
    expect(() => empty(2 ** 45, { ...sim, dtype: 'uint8' })).toThrow(
      expect.objectContaining({ code: 'ERR_DRIVER', statusName: 'CUDA_ERROR_OUT_OF_MEMORY' }) as Error
    );
  });
});

describe('devices', () => {
  test('the simulated device is always last and is marked as simulated', () => {
    const device = devices().at(-1);
    expect(device?.label).toBe('sim:0');
    expect(device?.simulated).toBe(true);
    expect(String(device)).toBe('sim:0 (simulated)');
    expect(device?.memoryInfo().free).toBeLessThanOrEqual(device?.totalMemory ?? 0);
  });

  test('an array has its device', () => {
    const a: NDArray = zeros(2, { device: 'sim' });
    expect(a.device).toBe(devices().at(-1));
  });
});

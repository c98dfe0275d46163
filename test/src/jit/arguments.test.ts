/** Accepted arguments for each parameter type, their conversion, and the errors for all others. */

import { memalloc } from '../../../src/memory/index.ts';
import {
  arange,
  ArgumentError,
  cuda,
  DeviceError,
  dtypes,
  DTypeError,
  empty,
  FreedError,
  ReadOnlyError,
  ValueError,
  zeros,
  type KernelFunction,
  type NDArray
} from '../../../src/index.ts';
import { ParameterSlot } from '../../../src/jit/arguments.ts';
import { kernel, logged, ONE, passed, rec, recording } from './support.ts';

/** The only value that a launch with one argument passes. */
function bytesFor(k: KernelFunction, value: unknown): string | undefined {
  return passed(() => k.launch(ONE, value as object))[0];
}

/** The error that rejects it, after which the kernel must still work. */
function refusalOf(k: KernelFunction, ...values: unknown[]): Error {
  recording.clear();
  try {
    k.launch(ONE, ...(values as object[]));
  } catch (error) {
    expect(recording.log().filter(call => call.startsWith('cuLaunch'))).toEqual([]);
    return error as Error;
  }
  throw new Error('nothing was refused');
}

beforeEach(() => recording.reset());
afterAll(() => recording.reset());

describe('integers', () => {
  test.each([
    ['signed char c', 1, -128, '128'],
    ['signed char c', 1, 127n, '127'],
    ['unsigned char c', 1, 255, '255'],
    ['short s', 2, -1, '65535'],
    ['unsigned short s', 2, 65535n, '65535'],
    ['int n', 4, -1, '0xffffffff'],
    ['int n', 4, 2 ** 31 - 1, '0x7fffffff'],
    ['int n', 4, -(2 ** 31), '0x80000000'],
    ['int n', 4, -0, '0'],
    ['unsigned n', 4, 2 ** 32 - 1, '0xffffffff'],
    ['unsigned n', 4, 7n, '7'],
    ['long long n', 8, -1, '0xffffffffffffffff'],
    ['long long n', 8, -(2n ** 63n), '0x8000000000000000'],
    ['size_t n', 8, 2 ** 40, '0x10000000000'],
    ['unsigned long long n', 8, 2n ** 64n - 1n, '0xffffffffffffffff']
  ])('%s of %p bytes takes %p', (declaration, bytes, value, expected) => {
    expect(bytesFor(kernel([bytes], declaration), value)).toBe(expected);
  });

  test.each([
    ['signed char c', 1, 128, '128 is outside -128 to 127'],
    ['unsigned char c', 1, -1, '-1 is outside 0 to 255'],
    ['short s', 2, 32768n, '32768n is outside -32768 to 32767'],
    ['int n', 4, 2 ** 31, '2147483648 is outside -2147483648 to 2147483647'],
    ['unsigned n', 4, -1, '-1 is outside 0 to 4294967295'],
    ['unsigned n', 4, 2n ** 32n, '4294967296n is outside'],
    [
      'long long n',
      8,
      2n ** 63n,
      '9223372036854775808n is outside -9223372036854775808 to 9223372036854775807'
    ],
    ['size_t n', 8, -1n, '-1n is outside 0 to 18446744073709551615'],
    ['int n', 4, 1.5, '1.5 is not a whole number'],
    ['int n', 4, NaN, 'NaN is not a whole number'],
    ['size_t n', 8, Infinity, 'Infinity is not a whole number']
  ])('%s of %p bytes refuses %p', (declaration, bytes, value, message) => {
    const error = refusalOf(kernel([bytes], declaration), value);
    expect(error).toBeInstanceOf(ValueError);
    expect(error.message).toContain(`k: argument 1 (${declaration}): ${message}`);
  });
});

describe('other values', () => {
  const float32 = (value: number): string =>
    logged(new Uint32Array(Float32Array.of(value).buffer)[0] as number);
  const complex = { re: 1, im: -2 };

  test('floats are rounded to their type', () => {
    expect(bytesFor(kernel([4], 'float x'), 0.1)).toBe(float32(0.1));
    expect(bytesFor(kernel([4], 'float x'), NaN)).toBe('0x7fc00000');
    expect(bytesFor(kernel([8], 'double x'), -2)).toBe('0xc000000000000000');
    expect(bytesFor(kernel([2], 'half x'), 1.5)).toBe(logged(0x3e00));
  });

  test('booleans', () => {
    expect(bytesFor(kernel([1], 'bool b'), true)).toBe('1');
    expect(bytesFor(kernel([1], 'bool b'), false)).toBe('0');
  });

  test('complex numbers', () => {
    expect(bytesFor(kernel([8], 'float2 z'), complex)).toBe('0xc00000003f800000');
    expect(bytesFor(kernel([16], 'cuDoubleComplex z'), complex)).toBe('000000000000f03f00000000000000c0');
  });

  test('bytes are accepted for a struct or any other value', () => {
    const struct = Uint8Array.from({ length: 12 }, (_, index) => index);
    expect(bytesFor(kernel([12], 'Params p'), struct)).toBe('000102030405060708090a0b');
    expect(bytesFor(kernel([12], 'Params p'), new DataView(struct.buffer))).toBe('000102030405060708090a0b');
    expect(bytesFor(kernel([4], 'int n'), Int32Array.of(9))).toBe('9');
    expect(bytesFor(kernel([4]), struct.subarray(4, 8))).toBe('0x7060504');
    expect(refusalOf(kernel([12], 'Params p'), new Uint8Array(11)).message).toContain(
      'expected 12 bytes, not 11'
    );
  });

  test.each([
    ['bool b', 1, 1, 'a boolean, not 1'],
    ['int n', 4, true, 'a whole number, not true'],
    ['int n', 4, '4', 'a whole number, not "4"'],
    ['int n', 4, null, 'a whole number, not null'],
    ['int n', 4, undefined, 'a whole number, not undefined'],
    ['float x', 4, 3n, 'a number, not 3n'],
    ['float x', 4, {}, 'a number, not an object'],
    ['float2 z', 8, 1, '{re, im}, not 1'],
    ['float2 z', 8, { re: 1 }, '{re, im}, not an object'],
    ['float2 z', 8, { re: 1, im: '2' }, '{re, im}, not an object']
  ])('%s of %p bytes refuses %p', (declaration, bytes, value, message) => {
    const error = refusalOf(kernel([bytes], declaration), value);
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error.message).toBe(`k: argument 1 (${declaration}): expected ${message}`);
  });

  test('an array is not a value', () => {
    using a = arange(4, rec);
    expect(refusalOf(kernel([4], 'int n'), a).message).toMatch(
      /argument 1 \(int n\): expected a value, not an array \(/
    );
    expect(refusalOf(kernel([4]), a).message).toContain('argument 1 (4 bytes): expected a value');
  });
});

describe('typed values', () => {
  test('define the type of bytes without a type', () => {
    expect(bytesFor(kernel([4]), cuda.int32(-1))).toBe('0xffffffff');
    expect(bytesFor(kernel([4]), cuda.float32(1))).toBe('0x3f800000');
    expect(bytesFor(kernel([8]), cuda.float64(1))).toBe('0x3ff0000000000000');
    expect(bytesFor(kernel([8], 'T x'), cuda.int64(-1n))).toBe('0xffffffffffffffff');
    expect(bytesFor(kernel([2]), cuda.float16(1))).toBe(logged(0x3c00));
    expect(bytesFor(kernel([1]), cuda.uint8(200))).toBe('200');
    expect(bytesFor(kernel([4], 'int n'), cuda.int32(3))).toBe('3');
  });

  test('are checked like the others', () => {
    expect(refusalOf(kernel([4]), cuda.int32(2 ** 31))).toBeInstanceOf(ValueError);
    expect(refusalOf(kernel([4]), cuda.int64(1)).message).toContain('argument 1 (4 bytes): got int64');
    expect(refusalOf(kernel([4], 'int n'), cuda.float32(1)).message).toContain('(int n): got float32');
    expect(refusalOf(kernel([8], 'float* x'), cuda.uint64(1n)).message).toContain(
      'expected an array, not a value'
    );
    expect(refusalOf(kernel([4]), cuda.float32('1' as never)).message).toContain(
      'expected a number, not "1"'
    );
  });

  test('are required if a bare number is ambiguous', () => {
    for (const k of [kernel([4]), kernel([2], 'T x'), kernel([4], 'T x')]) {
      const error = refusalOf(k, 1);
      expect(error).toBeInstanceOf(ArgumentError);
      expect(error.message).toMatch(
        /its type is unknown, so a bare number is ambiguous; pass a typed value such as cuda\.int32/
      );
    }
  });
});

describe('pointers', () => {
  const pointer = (k = kernel([8], 'float* x')): KernelFunction => k;

  test('accept arrays, and are the address of the first element, also of a view', () => {
    using a = arange(8, { ...rec, dtype: 'float32' });
    using tail = a.slice([2, 8]);
    expect(bytesFor(pointer(), a)).toBe(logged(a.pointer));
    expect(bytesFor(pointer(), tail)).toBe(logged(a.pointer + 8n));
    expect(bytesFor(kernel([8]), a)).toBe(logged(a.pointer));
    expect(passed(() => kernel([4, 8], 'int n, float* x').launch(ONE, 3, a))).toEqual([
      `3, ${logged(a.pointer)}`
    ]);
  });

  test('accept null, addresses and memory', () => {
    using memory = memalloc(64, rec);
    expect(bytesFor(pointer(), null)).toBe('0');
    expect(bytesFor(pointer(), 2n ** 40n)).toBe('0x10000000000');
    expect(bytesFor(pointer(), memory)).toBe(logged(memory.pointer));
    for (const address of [-1n, 2n ** 64n]) expect(refusalOf(pointer(), address)).toBeInstanceOf(ValueError);
    memory.free();
    expect(refusalOf(pointer(), memory)).toBeInstanceOf(FreedError);
  });

  test('accept external arrays, which are released after the launch', () => {
    using a = zeros(4, { ...rec, dtype: 'float32' });
    const symbol = { __cuda_array_interface__: a.__cuda_array_interface__ };
    expect(bytesFor(pointer(), symbol)).toBe(logged(a.pointer));
    expect(refusalOf(kernel([8], 'double* x'), symbol)).toBeInstanceOf(DTypeError);
    expect(refusalOf(pointer(), { __cuda_array_interface__: {} })).toHaveProperty('code', 'ERR_DESCRIPTOR');
  });

  test('have the values of this launch, whatever a getter of an external array does', () => {
    const k = kernel([8, 4, 8], 'const float* x, int n, const float* y');
    using a = zeros(4, { ...rec, dtype: 'float32' });
    const descriptor = a.__cuda_array_interface__;
    const meddling = {
      get __cuda_array_interface__() {
        k.launch({ grid: 2, block: 2 }, null, 99, null);
        return descriptor;
      }
    };
    const launches = passed(() => k.launch({ grid: 5, block: 7 }, a, 1, meddling));
    expect(launches.at(-1)).toBe(`${logged(a.pointer)}, 1, ${logged(a.pointer)}`);
    expect(
      recording
        .log()
        .filter(call => call.startsWith('cuLaunchKernel'))
        .at(-1)
    ).toContain('kernel, 5, 1, 1, 7, 1, 1');
  });

  test.each([
    ['const float* x', 'float64', 'float32'],
    ['unsigned* x', 'int32', 'uint32'],
    ['__nv_bfloat16* x', 'float16', 'bfloat16'],
    ['const cuFloatComplex* x', 'float32', 'complex64']
  ] as const)('%s refuses an array of %s', (declaration, dtype, wanted) => {
    using a = empty(4, { ...rec, dtype });
    const error = refusalOf(kernel([8], declaration), a);
    expect(error).toBeInstanceOf(DTypeError);
    expect(error.message).toBe(
      `k: argument 1 (${declaration}): the array is ${dtype}; convert it with astype('${wanted}')`
    );
  });

  test('to bytes and to unknown types accept arrays of every type', () => {
    for (const declaration of ['void* x', 'char* x', 'unsigned char* x', 'T* x', 'float** x']) {
      for (const dtype of ['float32', 'bool', 'bfloat16', 'complex128'] as const) {
        using a = zeros(2, { ...rec, dtype: dtypes[dtype] });
        expect(bytesFor(kernel([8], declaration), a)).toBe(logged(a.pointer));
      }
    }
  });

  test('that are not const refuse read-only arrays', () => {
    using a = zeros(4, { ...rec, dtype: 'float32' });
    using fixed = a.asReadOnly();
    expect(bytesFor(kernel([8], 'const float* x'), fixed)).toBe(logged(a.pointer));
    for (const k of [pointer(), kernel([8])]) {
      expect(refusalOf(k, fixed)).toBeInstanceOf(ReadOnlyError);
      expect(refusalOf(k, fixed).message).toContain('declare the parameter const');
    }
  });

  test('refuse strided and masked arrays, because kernels get neither strides nor mask', () => {
    using a = arange(12, { ...rec, dtype: 'float32' }).reshape(3, 4);
    using turned = a.transpose();
    using masked = a.withMask(zeros([3, 4], { ...rec, dtype: 'bool' }));
    const error = refusalOf(pointer(), turned);
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error.message).toMatch(/shape \(4, 3\) is strided.*array\.copy\(\).*strided: true/);
    expect(passed(() => pointer().launch({ ...ONE, strided: true }, turned))).toEqual([logged(a.pointer)]);
    expect(refusalOf(pointer(), masked).message).toMatch(/has a mask.*withMask\(null\)/);
  });

  test('refuse freed arrays, and those of another device', () => {
    const freed = zeros(4, { ...rec, dtype: 'float32' });
    freed.dispose();
    expect(refusalOf(pointer(), freed)).toBeInstanceOf(FreedError);
    using elsewhere = zeros(4, { device: 'sim', dtype: 'float32' });
    using here = zeros(4, { ...rec, dtype: 'float32' });
    const error = refusalOf(kernel([8, 8], 'float* x, float* y'), here, elsewhere);
    expect(error).toBeInstanceOf(DeviceError);
    expect(error.message).toContain(
      'argument 2 (float* y): the array is on sim:0 (simulated), but the launch on rec:0'
    );
    expect(() => pointer().launch(ONE, elsewhere)).toThrow(/sim:0.*cannot run CUDA kernels/);
  });

  test.each([
    [1, 'not 1'],
    ['x', 'not "x"'],
    [undefined, 'not undefined'],
    [{}, 'not an object'],
    [[1, 2], 'not a list']
  ])('refuse %p', (value, message) => {
    expect(refusalOf(pointer(), value).message).toBe(
      `k: argument 1 (float* x): expected an array, null or an address as a bigint, ${message}`
    );
  });

  test('refuse values in host memory, whose bytes could be taken for an address', () => {
    for (const values of [new Float32Array(2), new Float32Array(100), new DataView(new ArrayBuffer(8))])
      expect(refusalOf(pointer(), values).message).toContain('copy them to the device with array(values)');
  });

  test('of empty arrays are passed but count as no use', () => {
    using nothing = zeros(0, { ...rec, dtype: 'float32' });
    expect(passed(() => pointer().launch(ONE, nothing))).toHaveLength(1);
    expect(nothing.storage.uses()).toEqual([]);
  });
});

describe('lists of arguments', () => {
  const add = kernel([8, 8, 8, 4], 'const float* x, const float* y, float* out, int n');

  test('of another length are refused with the declared list', () => {
    using a: NDArray = zeros(4, { ...rec, dtype: 'float32' });
    const error = refusalOf(add, a, a, a);
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error.message).toBe(
      'k: expected 4 arguments, not 3: (const float* x, const float* y, float* out, int n)'
    );
    expect(refusalOf(kernel([8, 4]), a).message).toBe('k: expected 2 arguments, not 1');
    expect(refusalOf(kernel([]), a).message).toBe('k: expected 0 arguments, not 1');
    expect(passed(() => kernel([]).launch(ONE))).toEqual(['']);
  });

  test('declared for another function of the name are ignored', () => {
    using a = zeros(4, { ...rec, dtype: 'float32' });
    for (const list of ['float* x', 'float* x, double y', 'int n, float* x']) {
      expect(passed(() => kernel([8, 4], list).launch(ONE, a, cuda.int32(5)))).toEqual([
        `${logged(a.pointer)}, 5`
      ]);
    }
  });

  test('place pairs of floats between other values', () => {
    const k = kernel([4, 8, 4], 'int n, float2 z, int m');
    expect(passed(() => k.launch(ONE, 1, { re: 1, im: 0 }, 2))).toEqual(['1, 0x3f800000, 2']);
    // Eight bytes of unknown type at an offset that cannot hold a pointer: a struct of two floats.
    const pair = new ParameterSlot('k', 1, 4, 8, undefined);
    const view = new DataView(new ArrayBuffer(12));
    expect(pair.takesArray).toBe(false);
    pair.write(view, Float32Array.of(1, 2));
    expect([view.getFloat32(4, true), view.getFloat32(8, true)]).toEqual([1, 2]);
    expect(() => pair.write(view, 5n)).toThrow('its type is unknown');
  });

  test('a refused launch does not affect the next', () => {
    using a = zeros(4, { ...rec, dtype: 'float32' });
    refusalOf(add, a, a, a, 'n');
    expect(passed(() => add.launch(ONE, a, null, a, 4))).toEqual([
      `${logged(a.pointer)}, 0, ${logged(a.pointer)}, 4`
    ]);
    expect(String(add)).toBe('__global__ void k(const float* x, const float* y, float* out, int n)');
  });
});

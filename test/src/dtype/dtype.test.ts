import { dtypes, type DType } from '../../../src/dtype/dtype.ts';
import { formatScalar, readScalar, writeScalar } from '../../../src/dtype/elements.ts';
import { dtypeNameOfView, hostArray } from '../../../src/dtype/host-array.ts';
import { parseTypestr, toDType } from '../../../src/dtype/resolve.ts';
import { DTypeError, ValueError } from '../../../src/base/errors.ts';

describe('dtype names', () => {
  test('every array API name, its typestr and the dtype itself give the same object', () => {
    for (const dtype of Object.values<DType>(dtypes)) {
      expect(toDType(dtype.name)).toBe(dtype);
      if (dtype.typestr !== null) expect(toDType(dtype.typestr)).toBe(dtype);
      expect(toDType(dtype)).toBe(dtype);
      expect(toDType({ ...dtype })).toBe(dtype);
    }
  });

  test.each(['float33', '', 'toString', '__proto__', 'constructor', 'f4', '<f4 ', '<4f', '<f'])(
    'an unknown dtype %j is named in the error',
    name => {
      expect(() => toDType(name)).toThrow(DTypeError);
      expect(() => toDType(name)).toThrow(`'${name}'`);
    }
  );

  test.each([undefined, null, 3, {}])('%p is not a dtype', value => {
    expect(() => toDType(value as string)).toThrow(DTypeError);
  });
});

describe('typestr', () => {
  test.each([
    ['>f4', 'big-endian'],
    ['=f4', "'='"],
    ['|f4', 'byte order'],
    ['<f3', 'no device type'],
    ['<f16', 'no device type'],
    ['<i16', 'no device type'],
    ['|O8', 'object pointers'],
    ['|t8', 'bit fields'],
    ['<M8[parsec]', 'parsec']
  ])('rules 32 to 43: %s is refused with its reason', (typestr, reason) => {
    expect(() => parseTypestr(typestr)).toThrow(DTypeError);
    expect(() => parseTypestr(typestr)).toThrow(reason);
  });

  test('rule 43: byte order of one byte has no meaning', () => {
    expect(parseTypestr('<u1')).toBe(dtypes.uint8);
    expect(parseTypestr('|b1')).toBe(dtypes.bool);
  });
});

describe('elements', () => {
  test.each([
    ['bool', [true, false]],
    ['int8', [-128, 127]],
    ['uint16', [0, 65535]],
    ['int64', [-(2n ** 63n), 2n ** 63n - 1n]],
    ['uint64', [2n ** 64n - 1n]],
    ['float16', [0.5, -65504]],
    ['float32', [1.5, Infinity]],
    ['float64', [Math.PI, NaN]],
    ['complex64', [{ re: 1.5, im: -2 }]],
    ['complex128', [{ re: Math.E, im: Math.PI }]]
  ] as const)('%s keeps its values', (name, values) => {
    const dtype: DType = dtypes[name];
    const host = hostArray(dtype, values.length);
    for (const [i, value] of values.entries()) writeScalar(host, dtype, i, value);
    expect(values.map((_, i) => readScalar(host, dtype, i))).toEqual(values);
  });

  test.each([
    ['int8', 128],
    ['int8', 1.5],
    ['uint8', -1],
    ['uint64', -1n],
    ['int64', 2n ** 63n],
    ['int32', NaN],
    ['bool', 2],
    ['float32', { re: 1, im: 1 }]
  ] as const)('%s refuses %p', (name, value) => {
    const dtype: DType = dtypes[name];
    expect(() => writeScalar(hostArray(dtype, 1), dtype, 0, value)).toThrow(ValueError);
  });

  test('a typed array of another realm is recognized by its tag, a DataView is not accepted', () => {
    expect(dtypeNameOfView(new Float32Array(1))).toBe('float32');
    expect(dtypeNameOfView(new Uint8ClampedArray(1))).toBe('uint8');
    expect(dtypeNameOfView(new DataView(new ArrayBuffer(1)))).toBeUndefined();
  });

  test('text keeps six significant digits and the sign of imaginary parts', () => {
    expect([0.1 + 0.2, -0, 12345678, 5n, true, NaN].map(formatScalar)).toEqual([
      '0.3',
      '0',
      '12345678',
      '5',
      'true',
      'NaN'
    ]);
    expect(formatScalar({ re: 1, im: -0.5 })).toBe('1-0.5j');
    expect(formatScalar({ re: 0, im: 2 })).toBe('0+2j');
  });
});

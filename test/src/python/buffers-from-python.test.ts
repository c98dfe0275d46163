/** Python objects that export their memory as a buffer. */

import { BufferError, python, PythonError, type NDArray, type PyObject } from '../../../src/index.ts';
import { parseBufferFormat } from '../../../src/python/arrays/buffer-format.ts';
import { native } from '../../../src/native/load.ts';
import { thrown } from './asking.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';

if (obstacle === null) {
  python.start({ python: pythonOfTests });
  python.run('import array, ctypes');
}

function arrayOf(expression: string): NDArray {
  return python.asArray(python.evaluate(expression) as PyObject);
}

const evaluate = (expression: string): unknown => python.toJS(python.evaluate(expression));

describeWith([], 'a buffer', () => {
  test.each([
    ['b"abc"', 'uint8', [97, 98, 99], true],
    ['bytearray(b"abc")', 'uint8', [97, 98, 99], false],
    ['array.array("h", [1, -2])', 'int16', [1, -2], false],
    ['array.array("L", [3])', 'uint64', [3n], false],
    ['memoryview(array.array("i", [1, 2, 3, 4]))[::-2]', 'int32', [4, 2], false],
    [
      'memoryview(b"abcd").cast("B", (2, 2))',
      'uint8',
      [
        [97, 98],
        [99, 100]
      ],
      true
    ],
    [
      '(ctypes.c_int16 * 3 * 2)()',
      'int16',
      [
        [0, 0, 0],
        [0, 0, 0]
      ],
      false
    ],
    ['ctypes.c_double(2.5)', 'float64', 2.5, false],
    ['b""', 'uint8', [], true]
  ])('of %s is %s', (expression, dtype, values, readOnly) => {
    const array = arrayOf(expression);
    expect([array.dtype.name, array.toNested(), array.readOnly]).toEqual([dtype, values, readOnly]);
  });

  test('of ctypes structures is a record', () => {
    python.run(`
class Point(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_byte), ("x", ctypes.c_double), ("pair", ctypes.c_int * 2)]
points = (Point * 2)()
points[1].x = 1.5
points[1].pair[1] = 7
`);
    expect(arrayOf('points').toNested()).toEqual([
      { kind: 0, x: 0, pair: [0, 0] },
      { kind: 0, x: 1.5, pair: [0, 7] }
    ]);
  });

  test('pins its object until the array is disposed, and is held by arrays only', () => {
    python.run('growing = bytearray(b"abc")');
    const object = python.evaluate('growing') as PyObject;
    const one = python.asArray(object);
    const other = python.asArray(object);
    one.dispose();
    native().drainReleases(true);
    expect(() => python.run('growing.append(1)')).toThrow(PythonError);
    other.dispose();
    native().drainReleases(true);
    python.run('growing.append(1)');
    expect(evaluate('len(growing)')).toBe(4);
  });

  test.each(['(ctypes.py_object * 2)()', '(ctypes.c_void_p * 2)()', '(ctypes.c_longdouble * 2)()'])(
    'of elements without a dtype is refused: %s',
    expression => expect(thrown(() => arrayOf(expression))).toBeInstanceOf(BufferError)
  );
});

describe('a buffer format', () => {
  test.each([
    ['d', 8, '<f8', null],
    ['>i', 4, '>i4', null],
    ['=l', 4, '<i4', null],
    ['l', 8, '<i8', null],
    ['Zf', 8, '<c8', null],
    ['3s', 3, '|S3', null],
    ['2w', 8, '<U2', null],
    ['?', 1, '|b1', null],
    [
      'T{b:a:3x=f:b:}',
      8,
      '|V8',
      [
        ['a', '|i1'],
        ['', '|V3'],
        ['b', '<f4']
      ]
    ],
    [
      'T{b:a:f:b:}',
      8,
      '|V8',
      [
        ['a', '|i1'],
        ['', '|V3'],
        ['b', '<f4']
      ]
    ],
    [
      'T{<b:a:<d:b:}',
      16,
      '|V16',
      [
        ['a', '|i1'],
        ['', '|V7'],
        ['b', '<f8']
      ]
    ],
    [
      'T{(2,3)<h:grid:T{<i:x:}:inner:}',
      16,
      '|V16',
      [
        ['grid', '<i2', [2, 3]],
        ['inner', [['x', '<i4']]]
      ]
    ],
    [
      'T{4x:v:3x=i:n:(2)2x:w:}',
      15,
      '|V15',
      [
        ['v', '|V4'],
        ['', '|V3'],
        ['n', '<i4'],
        ['w', '|V2', [2]]
      ]
    ],
    [
      '<ih',
      6,
      '|V6',
      [
        ['f0', '<i4'],
        ['f1', '<i2']
      ]
    ]
  ])('%s of %i bytes', (format, itemsize, typestr, descr) => {
    expect(parseBufferFormat(format, itemsize)).toEqual({ typestr, descr, bytes: itemsize });
  });

  test.each(['O', 'P', 'g', 'Zg', 'T{i', 'Tx', '(a)i', '3', ''])("'%s' is refused", format => {
    expect(() => parseBufferFormat(format, 8)).toThrow(BufferError);
  });
});

/* eslint-disable @typescript-eslint/no-unsafe-argument -- what Python gives has no static type */
/** Python's arrays as arrays of this library, over the same memory: each library by each protocol that it has. */

import {
  ArgumentError,
  python,
  type ArrayProtocol,
  type AsArrayOptions,
  type NDArray
} from '../../../src/index.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';

if (obstacle === null) python.start({ python: pythonOfTests });

/** The array of an expression in `__main__`, after statements. */
function arrayOf(expression: string, options?: AsArrayOptions, statements = ''): NDArray {
  python.run(statements);
  return python.asArray(python.evaluate(expression), options);
}

const values = (array: NDArray): unknown => array.toNested();

function thrown(body: () => unknown): Error {
  try {
    body();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

describeWith(['numpy'], 'NumPy', () => {
  beforeAll(() => python.run('import numpy as np'));
  const HOST_PROTOCOLS: readonly ArrayProtocol[] = ['dlpack', 'array-interface', 'buffer'];

  test.each(HOST_PROTOCOLS)('by %s: the same memory, seen by both sides', via => {
    using array = arrayOf('shared', { via }, 'shared = np.arange(6, dtype="f4").reshape(2, 3)');
    expect([array.dtype.name, array.shape, array.readOnly]).toEqual(['float32', [2, 3], false]);
    array.fill(7);
    expect(python.evaluate('shared.tolist() == [[7.0] * 3] * 2')).toBe(true);
    python.run('shared[1, 2] = -1');
    expect(values(array)).toEqual([
      [7, 7, 7],
      [7, 7, -1]
    ]);
  });

  test.each(HOST_PROTOCOLS)(
    'by %s: negative, broadcast and transposed strides, 0-d, empty (rules 20 to 28)',
    via => {
      expect(values(arrayOf('np.arange(6.).reshape(2, 3)[::-1, ::-2]', { via }))).toEqual([
        [5, 3],
        [2, 0]
      ]);
      expect(values(arrayOf('np.arange(6).reshape(2, 3).T.astype("i4")', { via }))).toEqual([
        [0, 3],
        [1, 4],
        [2, 5]
      ]);
      const broadcast = arrayOf('np.broadcast_to(np.arange(3, dtype="f4"), (2, 3))', { via });
      expect([values(broadcast), broadcast.readOnly]).toEqual([
        [
          [0, 1, 2],
          [0, 1, 2]
        ],
        true
      ]);
      expect([values(arrayOf('np.array(3.5)', { via })), arrayOf('np.array(3.5)', { via }).shape]).toEqual([
        3.5,
        []
      ]);
      const empty = arrayOf('np.zeros((0, 3), dtype="c8")', { via });
      expect([empty.shape, empty.dtype.name]).toEqual([[0, 3], 'complex64']);
    }
  );
});

describeWith([], 'an object', () => {
  test('without any protocol is refused with what was looked for', () => {
    const error = thrown(() => arrayOf('object()'));
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error.message).toContain('__dlpack__');
    expect(error.message).toContain('a buffer');
  });

  test('is asked by the one protocol that is named, and an unknown one is refused', () => {
    expect(thrown(() => arrayOf('b"abc"', { via: 'dlpack' })).message).toContain('it lacks __dlpack__');
    expect(thrown(() => arrayOf('b"abc"', { via: 'arrow' as ArrayProtocol }))).toBeInstanceOf(ArgumentError);
  });
});

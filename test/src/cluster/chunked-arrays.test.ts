/* eslint-disable @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-member-access -- what Python gives has no static type */
/** Dask arrays as blocks for tasks in TypeScript, and back: blocks stay where they are. */

import type { Remote } from '../../../src/cluster.ts';
import { python, PythonError, type NDArray, type PyObject } from '../../../src/index.ts';
import { clusterOfTests, rejection } from './environment.ts';

const cluster = clusterOfTests();

/** Evaluates an expression with `da`, dask.array, and `client`. */
function evaluate(expression: string): PyObject {
  const make = python.evaluate(
    `lambda client: (lambda da, np: ${expression})(__import__("dask.array").array, __import__("numpy"))`
  );
  return make(cluster().client) as PyObject;
}

describe('fromDask', () => {
  test('gives shape, chunks, dtype and blocks in row-major order, where they are', async () => {
    const collection = evaluate(
      'client.persist(da.arange(24, chunks=8, dtype="float32").reshape(4, 6).rechunk((2, 4)))'
    );
    const found = await cluster().fromDask(collection);
    expect(found.shape).toEqual([4, 6]);
    expect(found.chunks).toEqual([
      [2, 2],
      [4, 2]
    ]);
    expect(found.dtype.name).toBe('float32');
    const [first, second, third] = await cluster().gather([...found.blocks]);
    expect(first?.toNested()).toEqual([
      [0, 1, 2, 3],
      [6, 7, 8, 9]
    ]);
    expect(second?.toNested()).toEqual([
      [4, 5],
      [10, 11]
    ]);
    expect(third?.toNested()).toEqual([
      [12, 13, 14, 15],
      [18, 19, 20, 21]
    ]);
  });

  test('takes computations that are not done, records, and arrays without elements', async () => {
    const lazy = await cluster().fromDask(evaluate('da.ones((3, 0), chunks=(2, 1)) + 1'));
    expect(lazy.shape).toEqual([3, 0]);
    expect((await (lazy.blocks[0] as Remote<NDArray>)).shape).toEqual([2, 0]);
    const record = await cluster().fromDask(
      evaluate('da.from_array(np.array([(1, 2.5)], dtype=[("a", "<i4"), ("b", "<f8")]))')
    );
    expect(record.dtype.descr).toEqual([
      ['a', '<i4'],
      ['b', '<f8']
    ]);
  });

  test('measures blocks of unknown length', async () => {
    const found = await cluster().fromDask(evaluate('(lambda x: x[x % 2 == 0])(da.arange(9, chunks=3))'));
    expect(found.chunks).toEqual([[2, 1, 2]]);
  });

  test('refuses what is no collection, and elements that are Python objects', async () => {
    expect(await rejection(cluster().fromDask(evaluate('np.ones(3)')))).toMatchObject({ type: 'TypeError' });
    const objects = evaluate('da.from_array(np.array([{}], dtype=object), chunks=1)');
    expect(await rejection(cluster().fromDask(objects))).toBeInstanceOf(PythonError);
  });
});

describe('toDask', () => {
  test('makes an array of results, whose blocks stay; Dask computes with them', async () => {
    const source = await cluster().fromDask(evaluate('da.arange(10, chunks=4)'));
    const square = cluster().fn(async (x: NDArray) => {
      const { multiply } = await import('stridelab');
      return multiply(x, x);
    });
    const squares = await cluster().map(square, [...source.blocks]);
    await Promise.all(squares.map(each => each.ended()));
    const places = await Promise.all(squares.map(each => each.where()));
    const collection = cluster().toDask(squares, { chunks: source.chunks, dtype: source.dtype });
    expect(Number(await python.callAsync(collection['sum']().compute))).toBe(285);
    expect(python.toJS(collection['chunks'])).toEqual([[4, 4, 2]]);
    for (const [index, each] of squares.entries())
      expect(await each.where()).toEqual(expect.arrayContaining(places[index] as string[]));
  });

  test('refuses a number of blocks that does not match, and names a block of another shape', async () => {
    const [block] = (await cluster().scatter([1])) as unknown as [Remote<NDArray>];
    expect(() => cluster().toDask([block], { chunks: [[1, 1]], dtype: 'int64' })).toThrow('expected 2');
    const make = cluster().fn(async () => (await import('stridelab')).zeros([3]));
    const wrong = cluster().toDask([make()], { chunks: [[4]], dtype: 'float64' });
    expect((await rejection(python.callAsync(wrong['compute']))).message).toContain(
      'the block has shape (3,), expected (4,)'
    );
  });
});

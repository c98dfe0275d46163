/** What native code tells cuBLASLt of a product: that it is the product of the arrays, element by element. */

import { multiplyByCublas } from '../../../src/compute/cuda/cublas.ts';
import { hostBackend } from '../../../src/compute/host.ts';
import { toDevice } from '../../../src/core/device.ts';
import { empty, matmul, type NDArray, Stream } from '../../../src/index.ts';
import type { MatmulRun } from '../../../src/compute/program/runs.ts';
import type { NativeBinding } from '../../../src/native/binding.ts';
import { native } from '../../../src/native/load.ts';

const ITEM = 4;
const device = toDevice('rec:0');
const stream = new Stream({ device });
const floats = (...shape: number[]): NDArray => empty(shape, { dtype: 'float32', stream });

const { cublas, recording } = native();
const real = { cublas: { ...cublas }, matmul: hostBackend.matmul };
let specification: number[] = [];
let supported = false;

beforeAll(() => {
  const standIn: Pick<NativeBinding['cublas'], 'open' | 'matmul'> = {
    open: () => ({ path: '', version: 0 }),
    matmul: (_stream, words) => {
      specification = [...words];
      return true;
    }
  };
  Object.assign(cublas, standIn);
  // The recording device runs host code, as simulated ones do.
  Object.assign(hostBackend, {
    matmul: (run: MatmulRun) => {
      supported = multiplyByCublas(run);
    }
  });
});
afterAll(() => {
  Object.assign(cublas, real.cublas);
  Object.assign(hostBackend, { matmul: real.matmul });
  recording.reset();
});

/** The value of an element, by its place in memory. */
const left = (byte: number): number => (byte / ITEM) * 7 + 1;
const right = (byte: number): number => (byte / ITEM) * 3 + 2;

type Results = Record<number, number>;

/** The results by their bytes, as cuBLASLt computes them: matrices are column-major, and its first operand is the right one. */
function computed(words: readonly number[]): Results {
  const matrix = (at: number, offset: number) => {
    const [rows, columns, leading, batchStride, transposed] = words.slice(at, at + 5) as [number, number, number, number, number]; // prettier-ignore
    return {
      rows: transposed === 1 ? columns : rows,
      columns: transposed === 1 ? rows : columns,
      byte: (batch: number, i: number, j: number) =>
        offset + ITEM * (batch * batchStride + (transposed === 1 ? j + i * leading : i + j * leading))
    };
  };
  const [a, b, d] = [matrix(4, words[19]!), matrix(9, words[20]!), matrix(14, words[21]!)];
  expect([a.columns, a.rows, b.columns]).toEqual([b.rows, d.rows, d.columns]);
  const results: Results = {};
  for (let batch = 0; batch < words[3]!; batch++)
    for (let i = 0; i < d.rows; i++)
      for (let j = 0; j < d.columns; j++) {
        let sum = 0;
        for (let k = 0; k < a.columns; k++) sum += right(a.byte(batch, i, k)) * left(b.byte(batch, k, j));
        results[d.byte(batch, i, j)] = sum;
      }
  return results;
}

/** The results by their bytes, from the layouts of the arrays, as matrices in a batch. */
function expected(a: NDArray, b: NDArray, out: NDArray): Results {
  const batched = (array: NDArray): readonly [number, number, number] =>
    array.ndim > 2 ? [array.strides[0]!, array.strides[1]!, array.strides[2]!] : [0, array.strides[0]!, array.strides[1]!]; // prettier-ignore
  const [sa, sb, sd] = [batched(a), batched(b), batched(out)];
  const results: Results = {};
  const [m, k, n] = [a.shape.at(-2)!, a.shape.at(-1)!, b.shape.at(-1)!];
  for (let batch = 0; batch < (out.ndim > 2 ? out.shape[0]! : 1); batch++)
    for (let row = 0; row < m; row++)
      for (let column = 0; column < n; column++) {
        let sum = 0;
        for (let depth = 0; depth < k; depth++)
          sum +=
            left(a.offset + batch * sa[0] + row * sa[1] + depth * sa[2]) *
            right(b.offset + batch * sb[0] + depth * sb[1] + column * sb[2]);
        results[out.offset + batch * sd[0] + row * sd[1] + column * sd[2]] = sum;
      }
  return results;
}

/** Multiplies into `out`; returns whether cuBLASLt was asked, with the right product. */
function asked(a: NDArray, b: NDArray, out: NDArray): boolean {
  matmul(a, b, { out, stream });
  if (supported) expect(computed(specification)).toEqual(expected(a, b, out));
  return supported;
}

test.each([
  ['matrices', () => [floats(2, 3), floats(3, 4), floats(2, 4)]],
  ['a transposed left operand', () => [floats(3, 2).T, floats(3, 4), floats(2, 4)]],
  ['transposed operands', () => [floats(3, 2).T, floats(4, 3).T, floats(2, 4)]],
  ['one row', () => [floats(1, 3), floats(3, 4), floats(1, 4)]],
  ['one column', () => [floats(2, 3), floats(3, 1), floats(2, 1)]],
  ['one column of a wider matrix', () => [floats(2, 3), floats(3, 5).slice(null, '2:3'), floats(2, 1)]],
  ['single elements', () => [floats(1, 1), floats(1, 1), floats(1, 1)]],
  ['an outer product', () => [floats(3, 1), floats(1, 4), floats(3, 4)]],
  ['parts of matrices', () => [floats(5, 7).slice('1:3', '2:5'), floats(4, 6).slice('1:', '1:5'), floats(3, 9).slice('1:', '2:6')]], // prettier-ignore
  ['part of a transposed matrix', () => [floats(7, 5).T.slice('1:3', '2:5'), floats(3, 4), floats(2, 4)]],
  ['batches', () => [floats(5, 2, 3), floats(5, 3, 4), floats(5, 2, 4)]],
  ['a batch with one matrix', () => [floats(5, 2, 3), floats(3, 4), floats(5, 2, 4)]],
  ['a batch of one', () => [floats(1, 2, 3), floats(1, 3, 4), floats(1, 2, 4)]],
  ['every second matrix of a batch', () => [floats(6, 2, 3).slice('::2'), floats(3, 3, 4), floats(3, 2, 4)]]
] as const)('cuBLASLt gets the product of %s', (_, make) => {
  const [a, b, out] = make() as unknown as [NDArray, NDArray, NDArray];
  expect(asked(a, b, out)).toBe(true);
});

test('a vector is a row on the left and a column on the right', () => {
  const [matrix, three, two] = [floats(2, 3), floats(3), floats(2)];
  matmul(matrix, three, { out: two, stream });
  expect(computed(specification)).toEqual(expected(matrix, three.reshape(3, 1), two.reshape(2, 1)));
  matmul(two, matrix, { out: three, stream });
  expect(computed(specification)).toEqual(expected(two.reshape(1, 2), matrix, three.reshape(1, 3)));
});

test.each([
  ['rows and columns with gaps', () => [floats(4, 6).slice('::2', '::2'), floats(3, 4), floats(2, 4)]],
  ['reversed rows', () => [floats(2, 3).slice('::-1'), floats(3, 4), floats(2, 4)]],
  ['a transposed result', () => [floats(2, 3), floats(3, 4), floats(4, 2).T]],
  ['two axes of batches', () => [floats(2, 2, 2, 3), floats(2, 2, 3, 4), floats(2, 2, 2, 4)]]
] as const)('cuBLASLt does not get the product of %s', (_, make) => {
  const [a, b, out] = make() as unknown as [NDArray, NDArray, NDArray];
  expect(asked(a, b, out)).toBe(false);
});

test('a product keeps nothing of the one before', () => {
  expect(asked(floats(5, 2, 3), floats(5, 3, 4), floats(5, 2, 4))).toBe(true);
  expect(asked(floats(3, 2).T, floats(3, 4).slice(null, '1:3'), floats(2, 2))).toBe(true);
  expect(asked(floats(2, 3), floats(3, 4), floats(2, 4))).toBe(true);
});

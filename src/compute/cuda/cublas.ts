/** Matrix products through cuBLASLt, if it is installed and supports the case. */

import { dtypes } from '../../dtype/dtype.ts';
import { DriverUnavailableError } from '../../base/errors.ts';
import { candidates, CUBLAS_LT } from '../../core/search.ts';
import { Storage } from '../../memory/storage.ts';
import { submit } from '../../memory/submission.ts';
import { native } from '../../native/load.ts';
import type { Stream } from '../../core/stream.ts';
import type { MatmulRun } from '../program/runs.ts';
import type { ElementTypeName } from '../program/element-types.ts';

/** cudaDataType, cublasComputeType_t and the type of the scale. */
const TYPES: Readonly<
  Partial<Record<ElementTypeName, readonly [type: number, compute: number, scale: number]>>
> = {
  float16: [2, 68, 0],
  bfloat16: [14, 68, 0],
  float32: [0, 68, 0],
  float64: [1, 70, 1],
  complex64: [4, 68, 4],
  complex128: [5, 70, 5]
};
const COMPUTE_TF32 = 77;

/** The workspace size that NVIDIA recommends for Hopper. */
const WORKSPACE_BYTES = 32 * 2 ** 20;

let available: boolean | undefined;

function isAvailable(): boolean {
  if (available !== undefined) return available;
  try {
    native().cublas.open(candidates(CUBLAS_LT));
    available = true;
  } catch (error) {
    if (!(error instanceof DriverUnavailableError)) throw error;
    available = false;
  }
  return available;
}

const workspaces = new WeakMap<Stream, Storage>();

/** Returns the workspace of a stream; its products run one after another and can share it. */
function workspaceOf(stream: Stream): Storage {
  const known = workspaces.get(stream);
  if (known !== undefined && !known.freed) return known;
  const made = Storage.allocate(stream.device, WORKSPACE_BYTES, 'device', stream);
  workspaces.set(stream, made);
  return made;
}

/** Rows, columns, stride of the columns, stride of the batch, and whether it is transposed, as native code reads them. */
type Matrix = readonly [
  rows: number,
  columns: number,
  stride: number,
  batchStride: number,
  transposed: 0 | 1
];

/** Describes a row-major matrix as its transpose, since cuBLASLt is column-major; null for unsupported strides. */
function matrixOf(
  rows: number,
  columns: number,
  strides: readonly number[],
  itemsize: number
): Matrix | null {
  const [rowStride, columnStride] = strides.slice(-2).map(stride => stride / itemsize) as [number, number];
  const batchStride = strides.length > 2 ? strides[0]! / itemsize : 0;
  if (![rowStride, columnStride, batchStride].every(Number.isInteger)) return null;
  const dense = (stride: number, length: number): boolean => stride === 1 || length === 1;
  if (dense(columnStride, columns) && (rows === 1 || rowStride >= columns))
    return [columns, rows, Math.max(rows === 1 ? columns : rowStride, 1), batchStride, 0];
  if (dense(rowStride, rows) && (columns === 1 || columnStride >= rows))
    return [rows, columns, Math.max(columns === 1 ? rows : columnStride, 1), batchStride, 1];
  return null;
}

/** Submits a product; false if cuBLASLt is missing or does not support it, and nothing was submitted. */
export function multiplyByCublas(run: MatmulRun): boolean {
  const { type, batch, m, n, k, output, a, b, strides, stream, tf32 } = run;
  const types = TYPES[type];
  if (types === undefined || batch.length > 1 || !isAvailable()) return false;
  const { itemsize } = dtypes[type];
  // Complex elements may be aligned to their parts only, which cuBLASLt does not promise to support.
  if ([a, b, output].some(({ pointer }) => pointer % BigInt(itemsize) !== 0n)) return false;
  const left = matrixOf(m, k, strides.a, itemsize);
  const right = matrixOf(k, n, strides.b, itemsize);
  const result = matrixOf(m, n, strides.output, itemsize);
  if (left === null || right === null || result === null) return false;
  const [, , , resultBatchStride, resultTransposed] = result;
  const count = batch[0] ?? 1;
  if (resultTransposed === 1 || (batch.length > 0 && resultBatchStride === 0 && count > 1)) return false;
  const [dataType, compute, scale] = types;
  const computeType = tf32 && type === 'float32' ? COMPUTE_TF32 : compute;
  const workspace = workspaceOf(stream);
  // A row-major out = a b is out' = b' a' in column-major order.
  const product = [dataType, computeType, scale, count];
  const offsets = [b.offset, a.offset, output.offset];
  const specification = Float64Array.from([...product, ...right, ...left, ...result, ...offsets]);
  const work = (): boolean =>
    native().cublas.matmul(
      stream.native,
      specification,
      b.storage.native,
      a.storage.native,
      output.storage.native,
      workspace.native
    );
  return submit(stream, work, [output], [a, b]);
}

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

/** Positions in the specification of a product, as native code reads it. */
const AT = { type: 0, b: 4, a: 9, output: 14, offsets: 19, length: 22 } as const;
/** Positions in a matrix of it. */
const MATRIX = { rows: 0, columns: 1, stride: 2, batchStride: 3, transposed: 4 } as const;
/** Used again, because native code reads it before it returns, and a new typed array takes longer than the rest of a call. */
const specification = new Float64Array(AT.length);

/** Describes a row-major matrix as its transpose, since cuBLASLt is column-major; returns false for unsupported strides. */
function describe(
  at: number,
  rows: number,
  columns: number,
  strides: readonly number[],
  itemsize: number
): boolean {
  const rowStride = strides[strides.length - 2]! / itemsize;
  const columnStride = strides[strides.length - 1]! / itemsize;
  const batchStride = strides.length > 2 ? strides[0]! / itemsize : 0;
  if (!Number.isInteger(rowStride) || !Number.isInteger(columnStride) || !Number.isInteger(batchStride))
    return false;
  const straight = (columnStride === 1 || columns === 1) && (rows === 1 || rowStride >= columns);
  const turned = (rowStride === 1 || rows === 1) && (columns === 1 || columnStride >= rows);
  if (!straight && !turned) return false;
  const [inner, outer, stride] = straight ? [columns, rows, rowStride] : [rows, columns, columnStride];
  specification[at + MATRIX.rows] = inner;
  specification[at + MATRIX.columns] = outer;
  specification[at + MATRIX.stride] = Math.max(outer === 1 ? inner : stride, 1);
  specification[at + MATRIX.batchStride] = batchStride;
  specification[at + MATRIX.transposed] = straight ? 0 : 1;
  return true;
}

/** Submits a product; false if cuBLASLt is missing or does not support it, and nothing was submitted. */
export function multiplyByCublas(run: MatmulRun): boolean {
  const { type, batch, m, n, k, output, a, b, strides, stream, tf32 } = run;
  const types = TYPES[type];
  if (types === undefined || batch.length > 1 || !isAvailable()) return false;
  const { itemsize } = dtypes[type];
  // Complex elements may be aligned to their parts only, which cuBLASLt does not promise to support.
  if (dtypes[type].kind === 'c' && [a, b, output].some(({ pointer }) => pointer % BigInt(itemsize) !== 0n))
    return false;
  const workspace = workspaceOf(stream); // may run a memory manager, and that other products
  // A row-major out = a b is out' = b' a' in column-major order.
  if (
    !describe(AT.b, k, n, strides.b, itemsize) ||
    !describe(AT.a, m, k, strides.a, itemsize) ||
    !describe(AT.output, m, n, strides.output, itemsize)
  )
    return false;
  const count = batch.length > 0 ? batch[0]! : 1;
  if (specification[AT.output + MATRIX.transposed] === 1) return false;
  if (count > 1 && specification[AT.output + MATRIX.batchStride] === 0) return false;
  const [dataType, compute, scale] = types;
  const computeType = tf32 && type === 'float32' ? COMPUTE_TF32 : compute;
  specification[AT.type] = dataType;
  specification[AT.type + 1] = computeType;
  specification[AT.type + 2] = scale;
  specification[AT.type + 3] = count;
  specification[AT.offsets] = b.offset;
  specification[AT.offsets + 1] = a.offset;
  specification[AT.offsets + 2] = output.offset;
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

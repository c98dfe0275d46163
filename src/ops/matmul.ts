/** Matrix products. */

import type { NDArray } from '../array/array.ts';
import { dtypes, type DTypeName } from '../dtype/dtype.ts';
import { ShapeError } from '../base/errors.ts';
import { formatShape, type Shape } from '../layout/shape.ts';
import { broadcastView, type View } from '../layout/slice.ts';
import type { Strides } from '../layout/strides.ts';
import type { Stream } from '../core/stream.ts';
import { astype } from './convert.ts';
import { resultOf, streamFor, type OutOption } from './evaluate.ts';
import type { ElementTypeName } from '../compute/program/element-types.ts';
import { elementTypeOf, promote, type Promoted } from '../compute/program/promotion.ts';
import { backendOf } from '../compute/run.ts';
import { broadcastShapes } from '../compute/program/space.ts';

/** Options of `matmul`. */
export interface MatmulOptions extends OutOption {
  /** On a GPU, multiplies float32 on the tensor cores with 10 bits of mantissa (TF32). Default false. */
  readonly tf32?: boolean | undefined;
}

/**
 * Returns the matrix product of `(…, m, k)` and `(…, k, n)` with broadcast batches, and of vectors as NumPy's `matmul` does. Uses
 * cuBLASLt if it is installed, otherwise a kernel of this library. float16, bfloat16 and fp8 accumulate in float32, integers wrap
 * around, and bool gives whether any pair is true.
 * @throws ShapeError if the inner lengths differ, DTypeError
 */
export function matmul<A extends DTypeName, B extends DTypeName>(
  a: NDArray<A>,
  b: NDArray<B>,
  options: MatmulOptions = {}
): NDArray<Promoted<A, B>> {
  const stream = streamFor([a, b], options);
  const type = promote(elementTypeOf(a.dtype), elementTypeOf(b.dtype));
  if (a.ndim === 0 || b.ndim === 0) throw new ShapeError('matmul: a 0-d array has no rows: use multiply');
  const made =
    a.dtype.name === type && b.dtype.name === type
      ? product(a, b, type, stream, options)
      : convertedProduct(a, b, type, stream, options);
  return made as NDArray<Promoted<A, B>>;
}

/** Multiplies arrays of other dtypes than `type`. Its `using` would slow down its caller. */
function convertedProduct(
  a: NDArray,
  b: NDArray,
  type: ElementTypeName,
  stream: Stream,
  options: MatmulOptions
): NDArray {
  using converted = new DisposableStack();
  const [left, right] = [a, b].map(array =>
    array.dtype.name === type ? array : converted.use(astype(array, dtypes[type], { stream }) as NDArray)
  ) as [NDArray, NDArray];
  return product(left, right, type, stream, options);
}

type Matrices = Pick<View, 'shape' | 'strides'>;

/** Returns the layout as matrices: a vector is a row on the left and a column on the right. */
function matricesOf({ shape, strides }: NDArray, left: boolean): Matrices {
  if (shape.length > 1) return { shape, strides };
  return left
    ? { shape: [1, ...shape], strides: [0, ...strides] }
    : { shape: [...shape, 1], strides: [...strides, 0] };
}

function broadcastStrides({ shape, strides }: Matrices, batch: Shape): Strides {
  if (batch.length === 0) return strides;
  const view = broadcastView(shape.slice(0, -2), strides.slice(0, -2), batch);
  return [...view.strides, ...strides.slice(-2)];
}

const SINGLE: Shape = Object.freeze([]);

/** Returns the lengths of the axes before the last two, with broadcasting. */
function batchOf(left: Shape, right: Shape): Shape {
  if (left.length === 2 && right.length === 2) return SINGLE;
  return broadcastShapes([left.slice(0, -2), right.slice(0, -2)]);
}

/** Returns the strides of a result as those of matrices: an axis that a vector lacks has stride 0. */
function resultStrides({ strides }: NDArray, a: NDArray, b: NDArray, batch: Shape): Strides {
  if (a.ndim > 1 && b.ndim > 1) return strides;
  const row = a.ndim > 1 ? strides[batch.length]! : 0;
  return [...strides.slice(0, batch.length), row, b.ndim > 1 ? strides.at(-1)! : 0];
}

function product(
  a: NDArray,
  b: NDArray,
  type: ElementTypeName,
  stream: Stream,
  options: MatmulOptions
): NDArray {
  const [left, right] = [matricesOf(a, true), matricesOf(b, false)];
  const m = left.shape.at(-2)!;
  const k = left.shape.at(-1)!;
  const rows = right.shape.at(-2)!;
  const n = right.shape.at(-1)!;
  if (k !== rows)
    throw new ShapeError(
      `matmul: ${formatShape(a.shape)} by ${formatShape(b.shape)}: inner dimensions differ (${k} and ${rows})`
    );
  const batch = batchOf(left.shape, right.shape);
  const shape = [...batch];
  if (a.ndim > 1) shape.push(m);
  if (b.ndim > 1) shape.push(n);
  return resultOf({ shape, dtype: dtypes[type], stream, inputs: [a, b], out: options.out }, output => {
    if (k === 0) {
      output.fill(type === 'bool' ? false : 0, { stream });
      return;
    }
    backendOf(stream).matmul({
      type,
      batch,
      m,
      n,
      k,
      output,
      a,
      b,
      strides: {
        output: resultStrides(output, a, b, batch),
        a: broadcastStrides(left, batch),
        b: broadcastStrides(right, batch)
      },
      stream,
      tf32: options.tf32 ?? false
    });
  });
}

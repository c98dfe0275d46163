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
  using converted = new DisposableStack();
  const [left, right] = [a, b].map((array: NDArray) =>
    array.dtype.name === type ? array : converted.use(astype(array, dtypes[type], { stream }) as NDArray)
  ) as [NDArray, NDArray];
  return product(left, right, type, stream, options) as NDArray<Promoted<A, B>>;
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
  const view = broadcastView(shape.slice(0, -2), strides.slice(0, -2), batch);
  return [...view.strides, ...strides.slice(-2)];
}

function product(
  a: NDArray,
  b: NDArray,
  type: ElementTypeName,
  stream: Stream,
  options: MatmulOptions
): NDArray {
  const [left, right] = [matricesOf(a, true), matricesOf(b, false)];
  const [m, k] = left.shape.slice(-2) as [number, number];
  const [rows, n] = right.shape.slice(-2) as [number, number];
  if (k !== rows)
    throw new ShapeError(
      `matmul: ${formatShape(a.shape)} by ${formatShape(b.shape)}: inner dimensions differ (${k} and ${rows})`
    );
  const batch = broadcastShapes([left.shape.slice(0, -2), right.shape.slice(0, -2)]);
  const shape = [...batch, ...(a.ndim > 1 ? [m] : []), ...(b.ndim > 1 ? [n] : [])];
  return resultOf({ ...options, shape, dtype: dtypes[type], stream, inputs: [a, b] }, output => {
    if (k === 0) {
      output.fill(type === 'bool' ? false : 0, { stream });
      return;
    }
    const outStrides = [
      ...output.strides.slice(0, batch.length),
      a.ndim > 1 ? output.strides[batch.length]! : 0,
      b.ndim > 1 ? output.strides.at(-1)! : 0
    ];
    backendOf(stream).matmul({
      type,
      batch,
      m,
      n,
      k,
      output,
      a,
      b,
      strides: { output: outStrides, a: broadcastStrides(left, batch), b: broadcastStrides(right, batch) },
      stream,
      tf32: options.tf32 ?? false
    });
  });
}

/** `cuda.scan`: the results of combining each element with all before it. */

import { NDArray } from '../../array/array.ts';
import { IndexError } from '../../base/errors.ts';
import type { Stream } from '../../core/stream.ts';
import { toAxis } from '../../compute/program/axes.ts';
import { resultOf, streamFor, type OutOption } from '../../ops/evaluate.ts';
import { ELEMENTS, type ElementType } from '../program/types.ts';
import type { Body } from '../launch/kernel.ts';
import { PatternBody, dtypeOf } from './body.ts';

/** Options of a scan. */
export interface ScanOptions extends OutOption {
  /** The axis to run along, negative ones counted from the last. An array with one axis needs none. */
  readonly axis?: number | undefined;
}

/** A scan of arrays, from `cuda.scan`. */
export type Scan = (array: NDArray, options?: ScanOptions) => NDArray;

const BLOCK = 256;

/**
 * Makes a scan of a function of two elements, in the language of kernels: element i of the result combines the elements 0 to i, in their
 * order. The function must be associative.
 * @throws ArgumentError if it is no function of two elements
 * @example const running = cuda.scan((a: f32, b: f32) => Math.max(a, b)); running(x);
 */
export function scan(body: Body): Scan {
  const pattern = new PatternBody('cuda.scan', body, 2);
  return (array, options = {}) => {
    if (options.axis === undefined && array.ndim !== 1)
      throw new IndexError(`cuda.scan: the array has ${array.ndim} axes; name one with { axis }`);
    const axis = toAxis(options.axis ?? 0, array.ndim);
    const stream = streamFor([array], options);
    const element = pattern.elementOf(array, 0);
    const { element: result } = pattern.resultFor([element, element]);
    return resultOf(
      { ...options, shape: array.shape, dtype: dtypeOf(result), stream, inputs: [array] },
      out => {
        const last = [...array.shape.keys()].filter(each => each !== axis);
        const length = array.shape[axis]!;
        using source: NDArray = array
          .transpose(...last, axis)
          .copy({ stream })
          .reshape(-1, length);
        const moved = out.transpose(...last, axis);
        using draft: NDArray = NDArray.allocate(source.shape, out.dtype, stream);
        scanRows(pattern, source, draft, [element, result], stream);
        moved.copyFrom(draft.reshape(...moved.shape), { stream });
      }
    );
  };
}

/** Scans rows in chunks of a block; then the last results of the chunks, which are combined with the chunks behind. */
export function scanRows(
  pattern: PatternBody,
  source: NDArray,
  out: NDArray,
  [element, result]: readonly [ElementType, ElementType],
  stream: Stream
): void {
  const [rows, length] = source.shape as readonly [number, number];
  const chunks = Math.ceil(length / BLOCK);
  const value = ELEMENTS[result].value;
  using totals: NDArray = NDArray.allocate([rows, chunks], dtypeOf(value), stream);
  const shape = { grid: [chunks, Math.min(rows, 65535)] as const, block: BLOCK, stream };
  pattern.kernel(chunkText(element, result), 3).launch(shape, source, out, totals);
  if (chunks === 1) return;
  using before: NDArray = NDArray.allocate([rows, chunks], dtypeOf(value), stream);
  scanRows(pattern, totals, before, [value, value], stream);
  pattern.kernel(joinText(result, value), 2).launch(shape, before, out);
}

/** Doubles the distance at each step; two halves of shared memory take turns. */
function chunkText(element: ElementType, result: ElementType): string {
  const { value } = ELEMENTS[result];
  return `(x: Readonly<DeviceArray<${element}, 2>>, out: DeviceArray<${result}, 2>, totals: DeviceArray<${value}, 2>) => {
  const shared = cuda.shared(${value}, 2, ${BLOCK});
  const t = cuda.threadIdx.x;
  const length = x.shape[1];
  const j = cuda.blockIdx.x * ${BLOCK} + t;
  const count = Math.min(length - cuda.blockIdx.x * ${BLOCK}, ${BLOCK});
  for (let row = cuda.blockIdx.y; row < x.shape[0]; row += cuda.gridDim.y) {
    let side = 0;
    if (t < count) shared[0][t] = ${value}(x[row][j]);
    cuda.syncThreads();
    for (let distance = 1; distance < ${BLOCK}; distance = distance * 2) {
      if (t < count) shared[1 - side][t] = t >= distance ? body(shared[side][t - distance], shared[side][t]) : shared[side][t];
      side = 1 - side;
      cuda.syncThreads();
    }
    if (t < count) out[row][j] = shared[side][t];
    if (t === count - 1) totals[row][cuda.blockIdx.x] = shared[side][t];
    cuda.syncThreads();
  }
}`;
}

function joinText(result: ElementType, value: ElementType): string {
  return `(before: Readonly<DeviceArray<${value}, 2>>, out: DeviceArray<${result}, 2>) => {
  const chunk = cuda.blockIdx.x;
  const j = chunk * ${BLOCK} + cuda.threadIdx.x;
  if (chunk === 0 || j >= out.shape[1]) return;
  for (let row = cuda.blockIdx.y; row < out.shape[0]; row += cuda.gridDim.y) out[row][j] = body(before[row][chunk - 1], out[row][j]);
}`;
}

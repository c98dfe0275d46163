/** `cuda.map`: a function of elements over whole arrays, in one pass. */

import { NDArray } from '../../array/array.ts';
import { broadcastShapes } from '../../compute/program/space.ts';
import { formatShape, sizeOf, type Shape } from '../../layout/shape.ts';
import { ReadOnlyError, ShapeError } from '../../base/errors.ts';
import { clashes } from '../../compute/overlap.ts';
import { Computation, compute, filled, streamFor, type OutOption } from '../../ops/evaluate.ts';
import type { Stream } from '../../core/stream.ts';
import type { Body } from '../launch/kernel.ts';
import { isContiguous } from '../launch/arguments.ts';
import { ELEMENTS, type ElementType } from '../program/types.ts';
import { PatternBody, dtypeOf } from './body.ts';

const ALL_ELEMENTS = Object.keys(ELEMENTS) as readonly ElementType[];

/** A function of arrays, from `cuda.map`: takes an array for each parameter of the body, and perhaps options. */
export type Mapped = (...operands: (NDArray | OutOption)[]) => NDArray;

/**
 * Makes a function of arrays of a function of elements, in the language of kernels: ordinary operators, Math, `if`, loops, captured values
 * and helpers. The arrays are broadcast together. Bodies without loops, integer division and shifts run as array
 * operations do, in one pass; they may have complex numbers. The dtype of the result is that of the body's value; elements of small floats
 * and integers keep their dtype if all operands have it.
 * @throws ArgumentError if it is no function of elements
 * @example const wave = cuda.map((a: f32, b: f32) => Math.sin(a) * b + (a > 0 ? 1 : -1)); wave(x, y, { out: z });
 */
export function map(body: Body): Mapped {
  const pattern = new PatternBody('cuda.map', body);
  return (...values) => {
    const { arrays, options } = pattern.split<OutOption>(values);
    const elements = arrays.map((array, index) => pattern.elementOf(array, index, ALL_ELEMENTS));
    const result = pattern.resultFor(elements);
    const { computation, element } = result;
    if (computation instanceof Computation) return compute(computation, arrays, options);
    pattern.requireKernel(result, elements);
    const stream = streamFor(arrays, options);
    const shape = broadcastShapes(arrays.map(array => array.shape));
    const { out } = options;
    if (out === undefined) {
      const dtype = dtypeOf(element);
      return filled<NDArray>(NDArray.allocate(shape, dtype, stream), made =>
        run(pattern, made, arrays, elements, stream)
      );
    }
    requireOut(out, shape);
    if (!arrays.some(array => clashes(out, array))) run(pattern, out, arrays, elements, stream);
    else {
      using draft: NDArray = NDArray.allocate(shape, out.dtype, stream);
      run(pattern, draft, arrays, elements, stream);
      out.copyFrom(draft, { stream });
    }
    return out;
  };
}

function requireOut(out: NDArray, shape: Shape): void {
  if (out.readOnly) throw new ReadOnlyError('out is read-only (rule 59)');
  if (formatShape(out.shape) !== formatShape(shape))
    throw new ShapeError(
      `out has shape ${formatShape(out.shape)}, expected ${formatShape(shape)}, that of the result`
    );
}

const BLOCK = 256;
/** More blocks than any GPU holds at once; each thread then takes several elements. */
const MOST_BLOCKS = 16384;
const MOST_AXES = 4;

function run(
  pattern: PatternBody,
  out: NDArray,
  arrays: readonly NDArray[],
  elements: readonly ElementType[],
  stream: Stream
): void {
  const size = sizeOf(out.shape);
  if (size === 0) return;
  const stored = pattern.elementOf(out, arrays.length);
  const flat =
    isContiguous(out) && arrays.every(array => isContiguous(array) && sizeOf(array.shape) === size);
  const rank = flat ? 1 : out.shape.length;
  const views = [out, ...arrays].map((array, which) => viewOf(array, out.shape, flat, which === 0, stream));
  const kernel = pattern.kernel(textFor([stored, ...elements], Math.min(rank, MOST_AXES)), views.length);
  const grid = Math.min(Math.ceil(size / BLOCK), MOST_BLOCKS);
  try {
    kernel.launch({ grid, block: BLOCK, stream }, ...views);
  } finally {
    for (const view of views) if (view !== out && !arrays.includes(view)) view.dispose();
  }
}

/** Returns the array in the form that the kernel indexes: flat, or broadcast, with at most four axes. */
function viewOf(array: NDArray, shape: Shape, flat: boolean, written: boolean, stream: Stream): NDArray {
  if (flat) return array.reshape(-1);
  const view = written ? array : array.broadcastTo(shape);
  if (shape.length <= MOST_AXES) return view;
  const merged = [...shape.slice(0, MOST_AXES - 1), sizeOf(shape.slice(MOST_AXES - 1))];
  return written || isContiguous(view) ? view.reshape(...merged) : view.copy({ stream }).reshape(...merged);
}

/** Returns the source of the kernel: the body at each element, by its row-major number. */
function textFor(elements: readonly ElementType[], rank: number): string {
  const names = elements.map((_, index) => (index === 0 ? 'out' : `a${index}`));
  const parameters = names.map((name, index) => {
    const type = `DeviceArray<${elements[index]!}, ${rank}>`;
    return `${name}: ${index === 0 ? type : `Readonly<${type}>`}`;
  });
  const axes = Array.from({ length: rank }, (_, axis) => axis);
  const index = axes.map(axis => `[i${axis}]`).join('');
  // The innermost axis first: the number is divided by each length in turn.
  const steps = axes
    .toReversed()
    .map(axis =>
      axis === 0
        ? 'const i0 = n0;'
        : `const i${axis} = n${axis} % out.shape[${axis}]; const n${axis - 1} = Math.trunc(n${axis} / out.shape[${axis}]);`
    );
  const call = `body(${names
    .slice(1)
    .map(name => name + index)
    .join(', ')})`;
  return `(${parameters.join(', ')}) => {
  const size = out.size;
  const step = cuda.gridSize(1);
  for (let n = cuda.grid(1); n < size; n += step) {
    const n${rank - 1} = n;
    ${steps.join('\n    ')}
    out${index} = ${call};
  }
}`;
}

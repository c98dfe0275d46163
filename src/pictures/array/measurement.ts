/** Measures an array on its device: extremes, sum and counts, of which a few hundred bytes are copied to the host. Not recorded. */

import { NDArray } from '../../array/array.ts';
import { arange } from '../../array/creation.ts';
import { dtypes } from '../../dtype/dtype.ts';
import { readScalar } from '../../dtype/elements.ts';
import type { HostArray, Scalar } from '../../dtype/host-array.ts';
import type { Shape } from '../../layout/shape.ts';
import { look } from '../../core/look.ts';
import { astype } from '../../ops/convert.ts';
import { Expression } from '../../compute/program/expression.ts';
import * as element from '../../ops/functions.ts';
import { fuse } from '../../ops/fuse.ts';
import type { ElementTypeName } from '../../compute/program/element-types.ts';
import { elementTypeOf, isFloat, isComplex } from '../../compute/program/promotion.ts';
import { max, min, sum } from '../../ops/reductions.ts';
import { takeOutOfScopes } from '../../base/scope.ts';
import type { Stream } from '../../core/stream.ts';

/** Results from the device. Extremes and sum cover the finite, valid elements; if there are none, the extremes are meaningless. */
export interface Measured {
  readonly minimum: Scalar;
  readonly maximum: Scalar;
  readonly sum: number;
  /** Elements in each bin, then below, above, NaN, +∞ and -∞. */
  readonly counts: readonly number[];
  readonly copiedBytes: number;
}

export interface MeasureOptions {
  readonly bins: number;
  /** Lower and upper end of the bins, both inclusive; the extremes if omitted. */
  readonly range?: readonly [low: number, high: number] | undefined;
  readonly stream: Stream;
}

/** Submitted work; its results are read once. */
export interface Measurement {
  read(): Measured;
  readAsync(): Promise<Measured>;
}

/** Counters that follow the bins in `counts`. */
export const APART = ['below', 'above', 'nan', 'positiveInfinity', 'negativeInfinity'] as const;
/** Code of a masked element, which no row counts. */
const MASKED = 255;

/** Maximum number of elements processed at once, which limits temporary memory to some tens of MiB. */
const PIECE = 2 ** 20;
/** Smaller on the simulated device, whose memory is host memory. */
const SIMULATED_PIECE = 2 ** 17;

/** Submits the work without waiting. There must be elements, and no capture. @throws DTypeError for types without arithmetic, FreedError */
export function submitMeasurement(array: NDArray, options: MeasureOptions): Measurement {
  return look(() => submit(array, options));
}

function submit(array: NDArray, { bins, range, stream }: MeasureOptions): Measurement {
  const to = { stream };
  const plan = planFor(elementTypeOf(array.dtype), bins, range);
  const pieces = piecesOf(array, stream.device.simulated ? SIMULATED_PIECE : PIECE);
  const rows = bins + APART.length;
  const results: NDArray[] = [];
  const result = (shape: Shape, type: ElementTypeName): NDArray => {
    const made: NDArray = NDArray.allocate(shape, dtypes[type], stream);
    // Results may be read after the current scope closes.
    takeOutOfScopes(made);
    results.push(made);
    return made;
  };
  const dispose = (): void =>
    look(() => {
      for (const made of results) made.dispose();
    });
  try {
    const partial = {
      low: result([pieces.length], plan.type),
      high: result([pieces.length], plan.type),
      sum: result([pieces.length], 'float64'),
      counts: result([pieces.length, rows], 'int64')
    };
    for (const [index, piece] of pieces.entries()) {
      const extremes = [
        [plan.low, min, partial.low],
        [plan.high, max, partial.high]
      ] as const;
      for (const [plane, reduce, into] of extremes) {
        using values = plane(...maskedOperands(piece), to);
        using out = into.slice(index);
        reduce(values, { out, stream });
      }
      using values = plan.addend(...maskedOperands(piece), to);
      using out = partial.sum.slice(index);
      sum(values, { out, stream, dtype: 'float64' });
    }
    const low = min(partial.low, { ...to, out: result([], plan.type) });
    const high = max(partial.high, { ...to, out: result([], plan.type) });
    const total = sum(partial.sum, { ...to, out: result([], 'float64') });
    using lowNumber = astype(low, 'float64', to);
    using highNumber = astype(high, 'float64', to);
    using codes = arange(0, rows, 1, { dtype: 'uint8', stream });
    using column = codes.reshape(rows, 1);
    for (const [index, piece] of pieces.entries()) {
      using coded = plan.code(piece, lowNumber, highNumber, ...maskedOperands(piece).slice(1), to);
      using row = coded.reshape(1, piece.size);
      using equal = element.equal(column, row, to);
      using out = partial.counts.slice(index);
      sum(equal, { out, stream, axis: 1 });
    }
    const counts = sum(partial.counts, { ...to, axis: 0, out: result([rows], 'int64') });
    return measurementOf([low, high, total, counts], stream, dispose);
  } catch (error) {
    dispose();
    throw error;
  } finally {
    for (const piece of pieces) piece.dispose();
  }
}

type Results = readonly [low: NDArray, high: NDArray, total: NDArray, counts: NDArray];

function measurementOf(results: Results, stream: Stream, dispose: () => void): Measurement {
  const [low, high] = results;
  const measured = (hosts: readonly HostArray[]): Measured => {
    const [lows, highs, totals, numbers] = hosts as [HostArray, HostArray, HostArray, HostArray];
    return {
      minimum: readScalar(lows, low.dtype, 0),
      maximum: readScalar(highs, high.dtype, 0),
      sum: Number(totals[0]),
      counts: Array.from(numbers, Number),
      copiedBytes: results.reduce((bytes, { nbytes }) => bytes + nbytes, 0)
    };
  };
  return {
    read() {
      try {
        return measured(look(() => results.map(each => each.toTypedArray({ stream }))));
      } finally {
        dispose();
      }
    },
    async readAsync() {
      try {
        const reads = look(() => results.map(each => each.toTypedArrayAsync({ stream })));
        return measured(await Promise.all(reads));
      } finally {
        dispose();
      }
    }
  };
}

const maskedOperands = (array: NDArray): NDArray[] => (array.mask === null ? [array] : [array, array.mask]);

/** Splits the array into views of at most `limit` elements. */
function piecesOf(array: NDArray, limit: number): NDArray[] {
  if (array.size <= limit) return [array.slice()];
  const axis = array.shape.indexOf(Math.max(...array.shape));
  const length = array.shape[axis]!;
  const step = Math.max(1, Math.floor(limit / (array.size / length)));
  const pieces: NDArray[] = [];
  for (let at = 0; at < length; at += step) {
    const before = Array.from({ length: axis }, () => null);
    using part = array.slice(...before, `${at}:${Math.min(at + step, length)}`);
    pieces.push(...piecesOf(part, limit));
  }
  return pieces;
}

type Fused = ReturnType<typeof fuse>;

interface Plan {
  readonly type: ElementTypeName;
  /** Operands: the array and its mask, if any. Excluded elements become the largest or smallest value, and 0 in the sum. */
  readonly low: Fused;
  readonly high: Fused;
  readonly addend: Fused;
  /** Operands: the array, the extremes as float64, the mask. Computes the index of the counter of each element. */
  readonly code: Fused;
}

function planFor(type: ElementTypeName, bins: number, range: MeasureOptions['range']): Plan {
  const { kind, bits } = dtypes[type];
  const real = isFloat(type) || isComplex(type);
  const extreme = real ? 'float64' : kind === 'b' ? 'uint8' : type;
  const unsigned = kind !== 'i';
  const most = real ? Infinity : 2n ** BigInt(kind === 'b' ? 8 : unsigned ? bits : bits - 1) - 1n;
  const least = real ? -Infinity : unsigned ? 0n : -(2n ** BigInt(bits - 1));
  const value = (x: Expression): Expression => astype(isComplex(type) ? element.abs(x) : x, extreme);
  const unless = (replacement: Scalar): Fused =>
    fuse((x, mask) => {
      const own = value(x);
      const counted = real ? valid(mask, element.isfinite(own)) : mask && element.notEqual(mask, 0);
      return counted === undefined ? own : element.where(counted, own, replacement as number);
    });
  return {
    type: extreme,
    low: unless(most),
    high: unless(least),
    addend: unless(real ? 0 : 0n),
    code: fuse((x, leastFound, mostFound, mask) => {
      const own = astype(value(x), 'float64');
      const low = range === undefined ? leastFound : Expression.value(range[0], 'float64');
      const high = range === undefined ? mostFound : Expression.value(range[1], 'float64');
      const bin = real ? binOf(own, low, high, bins) : wholeBinOf(own, low, high, bins);
      const bounded = element.minimum(bin, bins - 1);
      const inRange = element.where(
        element.less(own, low),
        bins,
        element.where(element.greater(own, high), bins + 1, bounded)
      );
      const infinite = element.where(element.greater(own, 0), bins + 3, bins + 4);
      const special = element.where(element.isnan(own), bins + 2, infinite);
      const code = element.where(element.isfinite(own), inRange, special);
      const counted = mask === undefined ? code : element.where(element.notEqual(mask, 0), code, MASKED);
      return astype(counted, 'uint8');
    })
  };
}

function valid(mask: Expression | undefined, own: Expression): Expression {
  return mask === undefined ? own : element.logicalAnd(own, element.notEqual(mask, 0));
}

/** Computes bins from halved values, so that no difference of two finite numbers is infinite. */
function binOf(own: Expression, low: Expression, high: Expression, bins: number): Expression {
  const half = (end: Expression): Expression => element.multiply(end, 0.5);
  const span = element.subtract(half(high), half(low));
  const from = element.subtract(half(own), half(low));
  const bin = element.floor(element.multiply(element.divide(from, span), bins));
  return element.where(element.greater(span, 0), bin, 0);
}

/** Computes bins of whole numbers, all equally wide. */
function wholeBinOf(own: Expression, low: Expression, high: Expression, bins: number): Expression {
  const span = element.add(element.subtract(high, low), 1);
  const width = element.maximum(element.ceil(element.divide(span, bins)), 1);
  return element.floor(element.divide(element.subtract(own, low), width));
}

/** Measures an array on its device: extremes, sum and counts, of which a few hundred bytes are copied to the host. Not recorded. */

import { NDArray } from '../../array/array.ts';
import { arange } from '../../array/creation.ts';
import { dtypes } from '../../dtype/dtype.ts';
import { readScalar } from '../../dtype/elements.ts';
import type { HostArray, Scalar } from '../../dtype/host-array.ts';
import type { Shape } from '../../layout/shape.ts';
import { look } from '../../core/look.ts';
import type { Opcode } from '../../compute/program/instructions.ts';
import { astype } from '../../ops/convert.ts';
import { evaluate } from '../../ops/evaluate.ts';
import { Expression } from '../../compute/program/expression.ts';
import { equal } from '../../ops/functions.ts';
import { cast } from '../../ops/rules.ts';
import type { ElementTypeName } from '../../compute/program/element-types.ts';
import { elementTypeOf, isFloat, isComplex, partOf } from '../../compute/program/promotion.ts';
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
  const mask = array.mask === null ? undefined : elementTypeOf(array.mask.dtype);
  const plan = planFor(elementTypeOf(array.dtype), mask, bins, range);
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
        using values = evaluate(plane, maskedOperands(piece), to);
        using out = into.slice(index);
        reduce(values, { out, stream });
      }
      using values = evaluate(plan.addend, maskedOperands(piece), to);
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
      const [, ...masks] = maskedOperands(piece);
      using coded = evaluate(plan.code, [piece, lowNumber, highNumber, ...masks], to);
      using row = coded.reshape(1, piece.size);
      using hits = equal(column, row, to);
      using out = partial.counts.slice(index);
      sum(hits, { out, stream, axis: 1 });
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

interface Plan {
  readonly type: ElementTypeName;
  /** Inputs: the array and its mask, if any. Excluded elements become the largest or smallest value, and 0 in the sum. */
  readonly low: Expression;
  readonly high: Expression;
  readonly addend: Expression;
  /** Inputs: the array, the extremes as float64, the mask. Computes the index of the counter of each element. */
  readonly code: Expression;
}

type Term = Expression | number;

const term = (value: Term): Expression =>
  typeof value === 'number' ? Expression.value(value, 'float64') : value;
/** Makes an operation on float64. */
const number = (opcode: Opcode, ...operands: readonly Term[]): Expression =>
  Expression.operation(opcode, 'float64', ...operands.map(term));
/** Makes a test of float64. */
const test = (opcode: Opcode, ...operands: readonly Term[]): Expression =>
  Expression.operation(opcode, 'bool', ...operands.map(term));

function planFor(
  type: ElementTypeName,
  mask: ElementTypeName | undefined,
  bins: number,
  range: MeasureOptions['range']
): Plan {
  const { kind, bits } = dtypes[type];
  const real = isFloat(type) || isComplex(type);
  const extreme = real ? 'float64' : kind === 'b' ? 'uint8' : type;
  const unsigned = kind !== 'i';
  const most = real ? Infinity : 2n ** BigInt(kind === 'b' ? 8 : unsigned ? bits : bits - 1) - 1n;
  const least = real ? -Infinity : unsigned ? 0n : -(2n ** BigInt(bits - 1));
  const given = Expression.input(0, type);
  const size = isComplex(type) ? Expression.operation('abs', partOf(type), given) : given;
  const value = cast(size, extreme);
  const own = cast(value, 'float64');
  const counts = (at: number): Expression | undefined =>
    mask === undefined ? undefined : cast(Expression.input(at, mask), 'bool');
  const counted = real ? bothOf(counts(1), test('isfinite', own)) : counts(1);
  const unless = (replacement: Scalar): Expression =>
    counted === undefined
      ? value
      : Expression.operation('where', extreme, counted, value, Expression.value(replacement, extreme));
  const low = range === undefined ? Expression.input(1, 'float64') : term(range[0]);
  const high = range === undefined ? Expression.input(2, 'float64') : term(range[1]);
  const bin = real ? binOf(own, low, high, bins) : wholeBinOf(own, low, high, bins);
  const bounded = number('minimum', bin, bins - 1);
  const atMost = number('where', test('greater', own, high), bins + 1, bounded);
  const inRange = number('where', test('less', own, low), bins, atMost);
  const infinite = number('where', test('greater', own, 0), bins + 3, bins + 4);
  const special = number('where', test('isnan', own), bins + 2, infinite);
  const code = number('where', test('isfinite', own), inRange, special);
  const shown = counts(3);
  return {
    type: extreme,
    low: unless(most),
    high: unless(least),
    addend: unless(real ? 0 : 0n),
    code: cast(shown === undefined ? code : number('where', shown, code, MASKED), 'uint8')
  };
}

function bothOf(mask: Expression | undefined, condition: Expression): Expression {
  return mask === undefined ? condition : test('logical_and', condition, mask);
}

/** Computes bins from halved values, so that no difference of two finite numbers is infinite. */
function binOf(own: Expression, low: Expression, high: Expression, bins: number): Expression {
  const half = (end: Expression): Expression => number('multiply', end, 0.5);
  const span = number('subtract', half(high), half(low));
  const from = number('subtract', half(own), half(low));
  const bin = number('floor', number('multiply', number('divide', from, span), bins));
  return number('where', test('greater', span, 0), bin, 0);
}

/** Computes bins of whole numbers, all equally wide. */
function wholeBinOf(own: Expression, low: Expression, high: Expression, bins: number): Expression {
  const span = number('add', number('subtract', high, low), 1);
  const width = number('maximum', number('ceil', number('divide', span, bins)), 1);
  return number('floor', number('divide', number('subtract', own, low), width));
}

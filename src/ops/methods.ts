/** The commonest operations as methods of arrays and of the expressions inside `fuse`. Imported for its effect. */

import { NDArray } from '../array.ts';
import type { DTypeLike, DTypeName, NameOf } from '../dtype/dtype.ts';
import type { Scalar } from '../dtype/host-array.ts';
import { astype, type AstypeOptions } from './convert.ts';
import type { OutOption } from './evaluate.ts';
import { Expression } from './expression.ts';
import * as functions from './functions.ts';
import { take, type TakeOptions } from './joining.ts';
import { matmul, type MatmulOptions } from './matmul.ts';
import type { Promoted } from './promotion.ts';
import * as reductions from './reductions.ts';
import type { Term } from './rules.ts';

const ELEMENTWISE = {
  add: functions.add,
  subtract: functions.subtract,
  multiply: functions.multiply,
  divide: functions.divide,
  floorDivide: functions.floorDivide,
  remainder: functions.remainder,
  pow: functions.pow,
  negative: functions.negative,
  abs: functions.abs,
  equal: functions.equal,
  notEqual: functions.notEqual,
  less: functions.less,
  lessEqual: functions.lessEqual,
  greater: functions.greater,
  greaterEqual: functions.greaterEqual,
  astype
};

const WHOLE = {
  sum: reductions.sum,
  prod: reductions.prod,
  mean: reductions.mean,
  min: reductions.min,
  max: reductions.max,
  any: reductions.any,
  all: reductions.all,
  argmin: reductions.argmin,
  argmax: reductions.argmax,
  cumsum: reductions.cumsum,
  matmul,
  take
};

type BesideValue<D extends DTypeName> = functions.BesideValue<D>;

declare module '../array.ts' {
  interface NDArray<D extends DTypeName = DTypeName> {
    /** Elementwise, with broadcasting; see the functions of the same names. */
    add<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<Promoted<D, B>>;
    add(other: Scalar, options?: OutOption): NDArray<BesideValue<D>>;
    subtract<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<Promoted<D, B>>;
    subtract(other: Scalar, options?: OutOption): NDArray<BesideValue<D>>;
    multiply<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<Promoted<D, B>>;
    multiply(other: Scalar, options?: OutOption): NDArray<BesideValue<D>>;
    /** True division: of integers it is float64. */
    divide(other: NDArray | Scalar, options?: OutOption): NDArray<functions.Floating<D>>;
    floorDivide<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<Promoted<D, B>>;
    floorDivide(other: Scalar, options?: OutOption): NDArray<BesideValue<D>>;
    /** Of the sign of the divisor. */
    remainder<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<Promoted<D, B>>;
    remainder(other: Scalar, options?: OutOption): NDArray<BesideValue<D>>;
    pow<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<Promoted<D, B>>;
    pow(other: Scalar, options?: OutOption): NDArray<BesideValue<D>>;
    negative(options?: OutOption): NDArray<D>;
    abs(options?: OutOption): NDArray<functions.Part<D>>;
    equal(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    notEqual(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    less(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    lessEqual(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    greater(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    greaterEqual(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    /** The elements as another dtype, as C converts them. */
    astype<L extends DTypeLike>(dtype: L, options?: AstypeOptions): NDArray<NameOf<L>>;
    /** Over one axis, several, or all of them. */
    sum(options?: reductions.SumOptions): NDArray<reductions.Summed<D>>;
    prod(options?: reductions.SumOptions): NDArray<reductions.Summed<D>>;
    mean(options?: reductions.ReductionOptions): NDArray<reductions.Summed<D>>;
    min(options?: reductions.ReductionOptions): NDArray<D>;
    max(options?: reductions.ReductionOptions): NDArray<D>;
    any(options?: reductions.ReductionOptions): NDArray<'bool'>;
    all(options?: reductions.ReductionOptions): NDArray<'bool'>;
    argmin(options?: reductions.PositionOptions): NDArray<'int64'>;
    argmax(options?: reductions.PositionOptions): NDArray<'int64'>;
    cumsum(options?: reductions.CumulationOptions): NDArray<reductions.Summed<D>>;
    matmul<B extends DTypeName>(other: NDArray<B>, options?: MatmulOptions): NDArray<Promoted<D, B>>;
    take(indices: NDArray, options?: TakeOptions): NDArray<D>;
  }
}

declare module './expression.ts' {
  interface Expression {
    /** Elementwise; see the functions of the same names. */
    add(other: Term): Expression;
    subtract(other: Term): Expression;
    multiply(other: Term): Expression;
    divide(other: Term): Expression;
    floorDivide(other: Term): Expression;
    remainder(other: Term): Expression;
    pow(other: Term): Expression;
    negative(): Expression;
    abs(): Expression;
    equal(other: Term): Expression;
    notEqual(other: Term): Expression;
    less(other: Term): Expression;
    lessEqual(other: Term): Expression;
    greater(other: Term): Expression;
    greaterEqual(other: Term): Expression;
    astype(dtype: DTypeLike): Expression;
  }
}

function install(prototype: object, methods: Readonly<Record<string, unknown>>): void {
  for (const [name, method] of Object.entries(methods)) {
    const call = method as (...operands: unknown[]) => unknown;
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value(this: unknown, ...operands: unknown[]) {
        return call(this, ...operands);
      }
    });
  }
}

install(NDArray.prototype, { ...ELEMENTWISE, ...WHOLE });
install(Expression.prototype, ELEMENTWISE);

/** The types of what `methods.ts` puts on arrays and expressions. */

import type { NDArray } from '../array/array.ts';
import type { DTypeLike, DTypeName, NameOf } from '../dtype/dtype.ts';
import type { Scalar } from '../dtype/host-array.ts';
import type { AstypeOptions } from './convert.ts';
import type { OutOption } from './evaluate.ts';
import type { Expression } from '../compute/program/expression.ts';
import type { BesideValue, Counted, FloatOf, Part, RealValue } from './signatures.ts';
import type { TakeOptions } from './joining.ts';
import type { MatmulOptions } from './matmul.ts';
import type { Promoted } from '../compute/program/promotion.ts';
import type {
  CumulationOptions,
  PositionOptions,
  ReductionOptions,
  Summed,
  SummedAs,
  SumOptions
} from './reductions.ts';
import type { Term } from './rules.ts';

declare module '../array/array-methods.ts' {
  interface ArrayMethods<D extends DTypeName> {
    /** Elementwise, with broadcasting; see the functions of the same names. */
    add<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<Promoted<D, B>>;
    add(other: RealValue, options?: OutOption): NDArray<BesideValue<D>>;
    add(other: Scalar, options?: OutOption): NDArray;
    subtract<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<Promoted<D, B>>;
    subtract(other: RealValue, options?: OutOption): NDArray<BesideValue<D>>;
    subtract(other: Scalar, options?: OutOption): NDArray;
    multiply<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<Promoted<D, B>>;
    multiply(other: RealValue, options?: OutOption): NDArray<BesideValue<D>>;
    multiply(other: Scalar, options?: OutOption): NDArray;
    /** True division: of integers it is float64. */
    divide<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<FloatOf<D, B>>;
    divide(other: RealValue, options?: OutOption): NDArray<BesideValue<D>>;
    divide(other: Scalar, options?: OutOption): NDArray;
    floorDivide<B extends DTypeName>(
      other: NDArray<B>,
      options?: OutOption
    ): NDArray<Counted<Promoted<D, B>>>;
    floorDivide(other: RealValue, options?: OutOption): NDArray<BesideValue<D>>;
    floorDivide(other: Scalar, options?: OutOption): NDArray;
    /** Of the sign of the divisor. */
    remainder<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<Counted<Promoted<D, B>>>;
    remainder(other: RealValue, options?: OutOption): NDArray<BesideValue<D>>;
    remainder(other: Scalar, options?: OutOption): NDArray;
    pow<B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<Counted<Promoted<D, B>>>;
    pow(other: RealValue, options?: OutOption): NDArray<BesideValue<D>>;
    pow(other: Scalar, options?: OutOption): NDArray;
    negative(options?: OutOption): NDArray<D>;
    abs(options?: OutOption): NDArray<Part<D>>;
    equal(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    notEqual(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    less(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    lessEqual(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    greater(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    greaterEqual(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    /** The elements as another dtype, as C converts them. */
    astype<L extends DTypeLike>(dtype: L, options?: AstypeOptions): NDArray<NameOf<L>>;
    /** Over one axis, several, or all of them. */
    sum<O extends SumOptions>(options?: O): NDArray<SummedAs<D, O>>;
    prod<O extends SumOptions>(options?: O): NDArray<SummedAs<D, O>>;
    mean(options?: ReductionOptions): NDArray<Summed<D>>;
    min(options?: ReductionOptions): NDArray<D>;
    max(options?: ReductionOptions): NDArray<D>;
    any(options?: ReductionOptions): NDArray<'bool'>;
    all(options?: ReductionOptions): NDArray<'bool'>;
    argmin(options?: PositionOptions): NDArray<'int64'>;
    argmax(options?: PositionOptions): NDArray<'int64'>;
    cumsum<O extends CumulationOptions>(options?: O): NDArray<SummedAs<D, O>>;
    matmul<B extends DTypeName>(other: NDArray<B>, options?: MatmulOptions): NDArray<Promoted<D, B>>;
    take(indices: NDArray, options?: TakeOptions): NDArray<D>;
  }
}

declare module '../compute/program/expression.ts' {
  interface ExpressionMethods {
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

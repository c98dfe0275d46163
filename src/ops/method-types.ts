/** Types of the methods that `methods.ts` adds to arrays. */

import type { NDArray } from '../array/array.ts';
import type { DTypeLike, DTypeName, NameOf } from '../dtype/dtype.ts';
import type { Scalar } from '../dtype/host-array.ts';
import type { AstypeOptions } from './convert.ts';
import type { OutOption } from './evaluate.ts';
import type { BinaryMethod, Part } from './signatures.ts';
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

declare module '../array/array.ts' {
  interface ArrayMethods<D extends DTypeName> {
    /** Returns `this + other`, element by element, with broadcasting; the result has the promoted dtype. */
    readonly add: BinaryMethod<D>;
    /** Returns `this - other`, element by element, with broadcasting; the result has the promoted dtype. */
    readonly subtract: BinaryMethod<D>;
    /** Returns `this * other`, element by element, with broadcasting; the result has the promoted dtype. */
    readonly multiply: BinaryMethod<D>;
    /** Returns `this / other`, element by element, with broadcasting; integers become float64. */
    readonly divide: BinaryMethod<D, 'float'>;
    /** Returns `this / other` rounded down, element by element, with broadcasting. */
    readonly floorDivide: BinaryMethod<D, 'counted'>;
    /** Returns the remainder of `this / other`, which has the sign of `other`, element by element, with broadcasting. */
    readonly remainder: BinaryMethod<D, 'counted'>;
    /** Returns `this` raised to the power `other`, element by element, with broadcasting. */
    readonly pow: BinaryMethod<D, 'counted'>;
    negative(options?: OutOption): NDArray<D>;
    abs(options?: OutOption): NDArray<Part<D>>;
    equal(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    notEqual(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    less(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    lessEqual(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    greater(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    greaterEqual(other: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
    /** Converts the elements to another dtype by C's rules. */
    astype<L extends DTypeLike>(dtype: L, options?: AstypeOptions): NDArray<NameOf<L>>;
    /** Returns the sum over one axis, several, or all of them. */
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

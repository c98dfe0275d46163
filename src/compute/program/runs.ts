/** What reductions, cumulations and products run on, for both backends. */

import type { Stream } from '../../core/stream.ts';
import type { Shape } from '../../layout/shape.ts';
import type { Strides } from '../../layout/strides.ts';
import type { Region } from '../../memory/region.ts';
import type { SplitAxes } from './axes.ts';
import type { ElementTypeName } from './element-types.ts';

/** An array, as far as a backend needs it. */
export interface Operand extends Region {
  /** Address of the first logical element; 0n when there is none. */
  readonly pointer: bigint;
  /** Number of elements. */
  readonly size: number;
}

export type ReductionName = 'sum' | 'prod' | 'min' | 'max' | 'any' | 'all' | 'argmin' | 'argmax';

export interface ReductionRun extends SplitAxes {
  readonly name: ReductionName;
  readonly input: Operand;
  readonly output: Operand;
  /** Of the output. */
  readonly result: ElementTypeName;
  readonly stream: Stream;
  /** Of the output over the kept axes. */
  readonly outStrides: readonly number[];
}

export interface CumulationRun {
  readonly name: 'sum' | 'prod';
  readonly input: Operand;
  readonly output: Operand;
  readonly result: ElementTypeName;
  readonly stream: Stream;
  readonly axis: number;
}

/** A product of matrices; the batches of `a` and `b` are broadcast to `batch`. Strides in bytes, over the batch, rows, columns. */
export interface MatmulRun {
  readonly type: ElementTypeName;
  readonly batch: Shape;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly output: Operand;
  readonly a: Operand;
  readonly b: Operand;
  readonly strides: { readonly output: Strides; readonly a: Strides; readonly b: Strides };
  readonly stream: Stream;
  readonly tf32: boolean;
}

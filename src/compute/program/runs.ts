/** What each kind of array operation runs on, and the interface of the two backends that run it. */

import type { Stream } from '../../core/stream.ts';
import type { Shape } from '../../layout/shape.ts';
import type { Strides } from '../../layout/strides.ts';
import type { Region } from '../../memory/region.ts';
import type { SplitAxes } from './axes.ts';
import type { ElementTypeName } from './element-types.ts';
import type { BuiltProgram } from './expression.ts';
import type { Space } from './space.ts';

/** Strided elements in a block of memory, of whatever type an operation takes them for. */
export type Elements = Omit<Region, 'dtype'>;

/** An array, as far as a backend needs it. */
export interface Operand extends Region {
  /** Address of the first logical element; 0n when there is none. */
  readonly pointer: bigint;
  /** Number of elements. */
  readonly size: number;
}

/** An elementwise program over a space, which has the places of the outputs and then of the inputs. */
export interface ElementwiseRun {
  readonly built: BuiltProgram;
  readonly space: Space;
  readonly outputs: readonly Elements[];
  readonly inputs: readonly Elements[];
  readonly stream: Stream;
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

/** Elements of `input` at `positions` along an axis. Positions are of one axis and wrap around the input's length. */
export interface TakeRun {
  readonly input: Operand;
  readonly positions: Operand;
  /** Has the input's shape, but for the axis, which is as long as `positions`. */
  readonly output: Operand;
  readonly axis: number;
  readonly stream: Stream;
}

export type Distribution = 'bits' | 'uniform' | 'normal' | 'integers';

/** Random numbers into an array without gaps: those of the seed from block `position` on. */
export interface RandomRun {
  readonly distribution: Distribution;
  readonly type: 'float32' | 'float64' | 'int32' | 'int64' | 'uint32' | 'uint64';
  readonly output: Operand;
  readonly seed: bigint;
  readonly position: bigint;
  /** For `integers`: the least, and how many there are; 0n stands for 2^64. */
  readonly low: bigint;
  readonly span: bigint;
  readonly stream: Stream;
}

/** Submits array operations to streams of one kind of device. Outputs have elements, and operands are on the stream's device. */
export interface Backend {
  elementwise(run: ElementwiseRun): void;
  reduce(run: ReductionRun): void;
  cumulate(run: CumulationRun): void;
  matmul(run: MatmulRun): void;
  take(run: TakeRun): void;
  random(run: RandomRun): void;
  /** Copies words with a kernel made for copies that transpose; false where it gains nothing, and nothing was submitted. */
  transpose(target: Elements, source: Elements, word: number, stream: Stream): boolean;
}

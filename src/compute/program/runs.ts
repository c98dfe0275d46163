/** Operations that backends run, and the interface of the two backends. */

import type { Stream } from '../../core/stream.ts';
import type { Shape } from '../../layout/shape.ts';
import type { Strides } from '../../layout/strides.ts';
import type { Region } from '../../memory/region.ts';
import type { SplitAxes } from './axes.ts';
import type { ElementTypeName } from './element-types.ts';
import type { BuiltProgram } from './expression.ts';

/** Strided elements in a block of memory, whose type the operation gives. */
export type Elements = Omit<Region, 'dtype'>;

/** An array in the form that backends need. */
export interface Operand extends Region {
  /** The address of the first logical element; 0n if there is none. */
  readonly pointer: bigint;
  readonly size: number;
}

/** An elementwise program; its inputs broadcast to the shape, which is that of the outputs. */
export interface ElementwiseRun {
  readonly built: BuiltProgram;
  readonly shape: Shape;
  readonly outputs: readonly Elements[];
  readonly inputs: readonly Elements[];
  readonly stream: Stream;
}

export type ReductionName = 'sum' | 'prod' | 'min' | 'max' | 'any' | 'all' | 'argmin' | 'argmax';

export interface ReductionRun {
  readonly name: ReductionName;
  readonly input: Operand;
  readonly output: Operand;
  /** The element type of the output. */
  readonly result: ElementTypeName;
  readonly stream: Stream;
  readonly split: SplitAxes;
  /** Strides of the output over the kept axes. */
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

/** Takes elements of `input` at `positions` along an axis. Positions are one-dimensional and taken modulo the input's length. */
export interface TakeRun {
  readonly input: Operand;
  readonly positions: Operand;
  /** The input's shape, with `positions`' length along the axis. */
  readonly output: Operand;
  readonly axis: number;
  readonly stream: Stream;
}

export type Distribution = 'bits' | 'uniform' | 'normal' | 'integers';

/** Random numbers for a contiguous array: those of the seed from block `position` on. */
export interface RandomRun {
  readonly distribution: Distribution;
  readonly type: 'float32' | 'float64' | 'int32' | 'int64' | 'uint32' | 'uint64';
  readonly output: Operand;
  readonly seed: bigint;
  readonly position: bigint;
  /** For `integers`: the least value and the number of values; a span of 0n means 2^64. */
  readonly low: bigint;
  readonly span: bigint;
  readonly stream: Stream;
}

/** Evenly spaced numbers `first` + index * `step`, computed in float64, for a contiguous array of float32 or float64. */
export interface SpacedRun {
  readonly output: Elements;
  readonly type: 'float32' | 'float64';
  readonly size: number;
  readonly first: number;
  readonly step: number;
  readonly stream: Stream;
}

/** Submits array operations to streams of one kind of device. Outputs are not empty, and operands are on the stream's device. */
export interface Backend {
  elementwise(run: ElementwiseRun): void;
  reduce(run: ReductionRun): void;
  cumulate(run: CumulationRun): void;
  matmul(run: MatmulRun): void;
  take(run: TakeRun): void;
  random(run: RandomRun): void;
  /** Returns false, without submitting anything, if numbers made on the host are as fast. */
  spaced(run: SpacedRun): boolean;
  /** Copies words with a transposing kernel; returns false, without submitting anything, if that would not be faster. */
  transpose(target: Elements, source: Elements, word: number, stream: Stream): boolean;
}

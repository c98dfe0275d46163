/** Runs reductions and cumulations: in host code on a simulated device, as generated CUDA C++ on a GPU. */

import type { NDArray } from '../array.ts';
import { sizeOf } from '../layout/shape.ts';
import { submitNoted } from '../memory/submission.ts';
import { native } from '../native/load.ts';
import type { Stream } from '../stream.ts';
import type { SplitAxes } from './axes.ts';
import { cumulateOnGpu } from './cuda/run-scan.ts';
import { reduceOnGpu } from './cuda/run-reduce.ts';
import { ELEMENT_TYPES, type ElementTypeName } from './opcodes.ts';
import { layoutOf } from './run.ts';

export type ReductionName = 'sum' | 'prod' | 'min' | 'max' | 'any' | 'all' | 'argmin' | 'argmax';

export interface ReductionRun extends SplitAxes {
  readonly name: ReductionName;
  readonly input: NDArray;
  readonly output: NDArray;
  /** Of the output. */
  readonly result: ElementTypeName;
  readonly stream: Stream;
  /** Of the output over the kept axes. */
  readonly outStrides: readonly number[];
}

export interface CumulationRun {
  readonly name: 'sum' | 'prod';
  readonly input: NDArray;
  readonly output: NDArray;
  readonly result: ElementTypeName;
  readonly stream: Stream;
  readonly axis: number;
}

/** Notes for people what native code noted for order. */
export function noteUses(stream: Stream, output: NDArray, ...inputs: readonly NDArray[]): void {
  const { sequence } = stream.native;
  output.storage.noteUse(stream, 'write', sequence);
  for (const input of inputs) input.storage.noteUse(stream, 'read', sequence);
}

const typeNumber = (array: NDArray): number => ELEMENT_TYPES.indexOf(array.dtype.name as ElementTypeName);

export function runReduction(run: ReductionRun): void {
  if (sizeOf(run.keptShape) === 0) return;
  if (!run.stream.device.simulated) return reduceOnGpu(run);
  const { name, input, output, stream, keptShape, keptStrides, reducedShape, reducedStrides, outStrides } =
    run;
  const layout = layoutOf(
    keptShape.length,
    keptShape,
    reducedShape.length,
    reducedShape,
    output.offset,
    outStrides,
    input.offset,
    keptStrides,
    reducedStrides
  );
  const storages = [output.storage.native, input.storage.native] as const;
  const submit = (): void =>
    native().compute.reduce(stream.native, name, typeNumber(input), typeNumber(output), layout, storages);
  submitNoted(submit, () => noteUses(stream, output, input));
}

export function runCumulation(run: CumulationRun): void {
  if (run.input.size === 0) return;
  if (!run.stream.device.simulated) return cumulateOnGpu(run);
  const { name, input, output, stream, axis } = run;
  const layout = layoutOf(
    input.ndim,
    input.shape,
    axis,
    output.offset,
    output.strides,
    input.offset,
    input.strides
  );
  const storages = [output.storage.native, input.storage.native] as const;
  const submit = (): void =>
    native().compute.cumulate(stream.native, name, typeNumber(input), typeNumber(output), layout, storages);
  submitNoted(submit, () => noteUses(stream, output, input));
}

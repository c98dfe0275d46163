/** Runs reductions and cumulations: in host code on a simulated device, as generated CUDA C++ on a GPU. */

import { sizeOf } from '../layout/shape.ts';
import { submit } from '../memory/submission.ts';
import { native } from '../native/load.ts';
import { cumulateOnGpu } from './cuda/run-scan.ts';
import { reduceOnGpu } from './cuda/run-reduce.ts';
import { ELEMENT_TYPES, type ElementTypeName } from './program/element-types.ts';
import type { CumulationRun, Operand, ReductionRun } from './program/runs.ts';
import { layoutOf } from './run.ts';

const typeNumber = (array: Operand): number => ELEMENT_TYPES.indexOf(array.dtype.name as ElementTypeName);

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
  const work = (): void =>
    native().compute.reduce(stream.native, name, typeNumber(input), typeNumber(output), layout, storages);
  submit(stream, work, [output], [input]);
}

export function runCumulation(run: CumulationRun): void {
  if (run.input.size === 0) return;
  if (!run.stream.device.simulated) return cumulateOnGpu(run);
  const { name, input, output, stream, axis } = run;
  const layout = layoutOf(
    input.shape.length,
    input.shape,
    axis,
    output.offset,
    output.strides,
    input.offset,
    input.strides
  );
  const storages = [output.storage.native, input.storage.native] as const;
  const work = (): void =>
    native().compute.cumulate(stream.native, name, typeNumber(input), typeNumber(output), layout, storages);
  submit(stream, work, [output], [input]);
}

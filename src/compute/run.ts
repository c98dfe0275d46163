/** Runs array operations on the backend of their stream's device. */

import { broadcastView } from '../layout/slice.ts';
import { sizeOf, type Shape } from '../layout/shape.ts';
import type { Stream } from '../core/stream.ts';
import { matmul } from './cuda/matmul.ts';
import { random } from './cuda/random.ts';
import { elementwise } from './cuda/run-elementwise.ts';
import { reduce } from './cuda/run-reduce.ts';
import { cumulate } from './cuda/scan.ts';
import { take } from './cuda/take.ts';
import { transpose } from './cuda/transpose.ts';
import { hostBackend } from './host.ts';
import type { Backend, Elements, ElementwiseRun } from './program/runs.ts';
import { equalShapes, type Place } from './program/space.ts';

const gpuBackend: Backend = { elementwise, reduce, cumulate, matmul, take, random, transpose };

/** Returns the backend of a stream: host code on a simulated device, CUDA C++ on a GPU. */
export const backendOf = (stream: Stream): Backend => (stream.device.simulated ? hostBackend : gpuBackend);

/** A run whose inputs broadcast to the outputs' shape. */
interface ProgramRun extends Omit<ElementwiseRun, 'space'> {
  readonly shape: Shape;
}

function placeOf(elements: Elements, shape: Shape): Place {
  const { strides } = equalShapes(elements.shape, shape)
    ? elements
    : broadcastView(elements.shape, elements.strides, shape);
  return { offset: elements.offset, strides };
}

/** Submits the program for every element; the arrays are on the stream's device. */
export function runProgram({ built, shape, outputs, inputs, stream }: ProgramRun): void {
  if (sizeOf(shape) === 0) return;
  const places: Place[] = [];
  for (let which = 0; which < outputs.length; which++) places.push(placeOf(outputs[which]!, shape));
  for (let which = 0; which < inputs.length; which++) places.push(placeOf(inputs[which]!, shape));
  backendOf(stream).elementwise({ built, space: { shape, places }, outputs, inputs, stream });
}

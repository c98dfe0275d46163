/** Runs array operations on the backend of their stream's device. */

import { broadcastView } from '../layout/slice.ts';
import { sizeOf, type Shape } from '../layout/shape.ts';
import type { Stream } from '../core/stream.ts';
import { gpuBackend } from './cuda/gpu.ts';
import { hostBackend } from './host.ts';
import type { BuiltProgram } from './program/expression.ts';
import type { Backend, Elements } from './program/runs.ts';
import { equalShapes, type Place } from './program/space.ts';

/** Returns the backend of a stream: host code on a simulated device, CUDA C++ on a GPU. */
export function backendOf(stream: Stream): Backend {
  return stream.device.simulated ? hostBackend : gpuBackend;
}

/** The arrays of a program; inputs broadcast to the outputs' shape. */
interface ProgramRun {
  readonly built: BuiltProgram;
  readonly shape: Shape;
  readonly outputs: readonly Elements[];
  readonly inputs: readonly Elements[];
  readonly stream: Stream;
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
  for (let which = 0; which < outputs.length; which++)
    places.push(placeOf(outputs[which] as Elements, shape));
  for (let which = 0; which < inputs.length; which++) places.push(placeOf(inputs[which] as Elements, shape));
  backendOf(stream).elementwise({ built, space: { shape, places }, outputs, inputs, stream });
}

/** Runs array operations on the backend of their stream's device. */

import { sizeOf } from '../layout/shape.ts';
import type { Stream } from '../core/stream.ts';
import { matmul } from './cuda/matmul.ts';
import { random } from './cuda/random.ts';
import { elementwise } from './cuda/run-elementwise.ts';
import { reduce } from './cuda/run-reduce.ts';
import { cumulate } from './cuda/run-scan.ts';
import { take } from './cuda/take.ts';
import { transpose } from './cuda/transpose.ts';
import { hostBackend } from './host.ts';
import type { Backend, ElementwiseRun } from './program/runs.ts';

const gpuBackend: Backend = {
  elementwise,
  reduce,
  cumulate,
  matmul,
  take,
  random,
  spaced: () => false,
  transpose
};

/** Returns the backend of a stream: host code on a simulated device, CUDA C++ on a GPU. */
export const backendOf = (stream: Stream): Backend => (stream.device.simulated ? hostBackend : gpuBackend);

/** Submits the program for every element; the arrays are on the stream's device. */
export function runProgram(run: ElementwiseRun): void {
  if (sizeOf(run.shape) > 0) backendOf(run.stream).elementwise(run);
}

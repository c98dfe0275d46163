/** What a launch needs on a GPU, and how long it takes there. */

import { Event } from '../../core/event.ts';
import type { Stream } from '../../core/stream.ts';
import type { KernelAttributes, Occupancy } from '../../jit/kernel-function.ts';
import type { LaunchShape } from '../../jit/launch-shape.ts';
import type { Program } from '../program/program.ts';
import { visit } from '../program/visit.ts';
import { ArgumentCopies } from './copies.ts';
import { resourcesOf } from './inspection.ts';
import type { Specialization } from './specialization.ts';

/** A launch on a GPU. */
export interface LaunchOnGpu {
  readonly attributes: KernelAttributes;
  readonly occupancy: Occupancy;
  /** The median of the launches, in microseconds; null for a kernel that has faults, which would break the context, or prints. */
  readonly time: number | null;
}

/** The first one loads the kernel and the arrays' memory, and does not count. */
const LAUNCHES = 6;

/** Launches a kernel on copies of its arrays, and times that; `faultless` tells whether a check found no fault. */
export function measureLaunch(
  specialization: Specialization,
  stream: Stream,
  shape: LaunchShape,
  values: readonly unknown[],
  faultless: boolean
): LaunchOnGpu {
  const prepared = specialization.on(stream.device);
  if (prepared.kind !== 'gpu') throw new TypeError('a simulated device has no GPU to measure');
  const resources = resourcesOf(prepared, shape);
  if (!faultless || prints(specialization.lowered.program)) return { ...resources, time: null };
  using copies = new ArgumentCopies(values, stream.device);
  const times = Array.from({ length: LAUNCHES }, () => timed(specialization, stream, shape, copies.values));
  const counted = times.slice(1).sort((one, other) => one - other);
  return { ...resources, time: counted[counted.length >> 1]! };
}

function timed(
  specialization: Specialization,
  stream: Stream,
  shape: LaunchShape,
  values: readonly unknown[]
): number {
  const { device } = stream;
  using begin = new Event({ device, timing: true });
  using end = new Event({ device, timing: true });
  stream.record(begin);
  specialization.launch(stream, shape, values);
  stream.record(end);
  end.synchronize();
  return 1000 * end.elapsedSince(begin);
}

function prints({ body }: Program): boolean {
  let found = false;
  visit(body, ({ kind }) => {
    if (kind === 'print') found = true;
  });
  return found;
}

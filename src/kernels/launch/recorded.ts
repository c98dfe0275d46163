/** The record of a checked launch, for its picture. */

import { NDArray } from '../../array/array.ts';
import { toDevice, type Device } from '../../core/device.ts';
import { Stream } from '../../core/stream.ts';
import type { LaunchShape } from '../../jit/launch-shape.ts';
import type { NativeKernelRecord } from '../../native/kernels-binding.ts';
import type { DISPLAY_METHOD, MimeBundle } from '../../notebook/host.ts';
import type { Program } from '../program/program.ts';
import type { FunctionSource } from '../source/function-source.ts';
import { runChecked, type KernelCheck } from './check.ts';
import { ArgumentCopies } from './copies.ts';
import { measureLaunch, type LaunchOnGpu } from './on-gpu.ts';
import { valueAt, type Specialization } from './specialization.ts';

/** How much of a launch is recorded. */
const RECORDED = { recordBlocks: 4, recordWords: 1_000_000 };
/** Bytes of a cache line: addresses matter modulo this. */
const LINE = 128;

/** What a recorded launch knows of an array argument. */
export interface RecordedArray {
  readonly shape: readonly number[];
  /** The address of its first element, modulo the bytes of a cache line. */
  readonly base: number;
}

interface LaunchFacts {
  /** The kernel, then its helpers. */
  readonly sources: readonly FunctionSource[];
  readonly program: Program;
  readonly device: Device;
  readonly shape: LaunchShape;
  /** One for each parameter of the program; null for a number. */
  readonly arrays: readonly (RecordedArray | null)[];
  readonly check: KernelCheck;
  readonly record: NativeKernelRecord;
  /** Null on a simulated device. */
  readonly gpu: LaunchOnGpu | null;
}

/** A launch that ran with all checks on copies of its arrays, from `kernel.picture`: a notebook shows the memory that each line accesses. */
export class RecordedLaunch {
  /** Internal: what the picture shows. */
  readonly facts: LaunchFacts;
  /** Returns the picture of the launch in a notebook: Stridelab's MIME type, HTML and text. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;

  constructor(facts: LaunchFacts) {
    this.facts = facts;
  }
}

/** Runs a launch with all checks on copies of its arrays, and records its first blocks. */
export function recordLaunch(
  specialization: Specialization,
  stream: Stream,
  shape: LaunchShape,
  values: readonly unknown[]
): RecordedLaunch {
  const { device } = stream;
  const { lowered } = specialization;
  const target = device.kind === 'simulated' ? device : toDevice('sim:0');
  using copies = new ArgumentCopies(values, target);
  const run = runChecked(specialization, Stream.legacyDefault(target), shape, copies.values, RECORDED);
  const faultless = run.check.faults.length === 0;
  return new RecordedLaunch({
    sources: lowered.sources,
    program: lowered.program,
    device,
    shape,
    arrays: lowered.paths.map(path => recordedArray(valueAt(values, path))),
    ...run,
    gpu: device.kind === 'simulated' ? null : measureLaunch(specialization, stream, shape, values, faultless)
  });
}

function recordedArray(value: unknown): RecordedArray | null {
  if (!(value instanceof NDArray)) return null;
  return { shape: value.shape, base: Number(value.pointer % BigInt(LINE)) };
}

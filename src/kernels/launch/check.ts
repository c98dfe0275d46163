/** The exact form of a launch: with all checks, at once. */

import { toDevice } from '../../core/device.ts';
import { Stream } from '../../core/stream.ts';
import type { LaunchShape } from '../../jit/launch-shape.ts';
import type {
  NativeKernelCheck,
  NativeKernelFault,
  NativeKernelRecord
} from '../../native/kernels-binding.ts';
import { native } from '../../native/load.ts';
import { ArgumentCopies } from './copies.ts';
import { faultText, writeLines } from './faults.ts';
import { isDebugged } from './kernel-debugger.ts';
import type { Specialization } from './specialization.ts';

/** A fault that a check found. */
export interface KernelFault {
  /** `bounds`, `misaligned`, `race`, `uninitialized`, `divergentBarrier`, `warpMask`, `shuffle`, `divisionByZero`, `assert`, `unsupported` or `interrupted`. */
  readonly kind: NativeKernelFault['kind'];
  /** What happened, where, and in which thread. */
  readonly message: string;
  /** The cell or file, as messages name it. */
  readonly file: string;
  /** The line in the cell or file, from 1. */
  readonly line: number;
  /** The block of the thread, x, y and z. */
  readonly block: readonly [number, number, number];
  /** The thread in its block, x, y and z. */
  readonly thread: readonly [number, number, number];
  /** How often it happened at this place. */
  readonly count: number;
}

/** What `kernel.check` found. */
export class KernelCheck {
  /** The faults, at most 20, each kind once at a place. */
  readonly faults: readonly KernelFault[];

  constructor(faults: readonly KernelFault[]) {
    this.faults = faults;
  }

  /** Returns the messages, a line each; `no faults` if there are none. */
  toString(): string {
    return this.faults.length === 0 ? 'no faults' : this.faults.map(({ message }) => message).join('\n');
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** How much of a checked run is recorded for a picture. */
interface RecordOptions {
  readonly recordBlocks: number;
  readonly recordWords: number;
}

const NO_RECORD: RecordOptions = { recordBlocks: 0, recordWords: 0 };

/** A checked run with its record. */
export interface RecordedRun {
  readonly check: KernelCheck;
  readonly record: NativeKernelRecord;
}

export function checkLaunch(
  specialization: Specialization,
  stream: Stream,
  shape: LaunchShape,
  values: readonly unknown[]
): KernelCheck {
  if (isDebugged(stream)) specialization.debug(stream, shape, values, true);
  return runChecked(specialization, stream, shape, values, NO_RECORD).check;
}

/** Runs a launch with all checks and records its first blocks. Arrays of a GPU are copied to a simulated device, and stay as they are. */
export function runChecked(
  specialization: Specialization,
  stream: Stream,
  shape: LaunchShape,
  values: readonly unknown[],
  options: RecordOptions
): RecordedRun {
  if (stream.device.kind === 'simulated') return run(specialization, stream, shape, values, options);
  const device = toDevice('sim:0');
  using copies = new ArgumentCopies(values, device);
  return run(specialization, Stream.legacyDefault(device), shape, copies.values, options);
}

function run(
  specialization: Specialization,
  stream: Stream,
  shape: LaunchShape,
  values: readonly unknown[],
  options: RecordOptions
): RecordedRun {
  const prepared = specialization.on(stream.device);
  if (prepared.kind !== 'simulated') throw new TypeError('a simulated device has simulated programs');
  const { storages } = specialization.prepare(prepared, stream, shape, values);
  stream.device.synchronize();
  const used = storages.map(storage => storage.native);
  const text = native().kernels.check(prepared.program, prepared.words, prepared.bytes, used, options);
  const { faults, output, record } = JSON.parse(text) as NativeKernelCheck;
  writeLines(output);
  const told = faults.map(fault => {
    const { kind, fileName: file, place, block, thread, count } = fault;
    return { kind, message: faultText(fault), file, line: place.line, block, thread, count };
  });
  return { check: new KernelCheck(told), record };
}

/** The debugger of kernels on simulated devices: it runs launches itself that have a breakpoint. Without it this costs a comparison. */

import type { Stream } from '../../core/stream.ts';
import type { LaunchShape } from '../../jit/launch-shape.ts';
import type { Lowered } from '../language/lower.ts';

/** A launch that a debugger may run. */
export interface DebuggableLaunch {
  readonly lowered: Lowered;
  readonly stream: Stream;
  readonly shape: LaunchShape;
  readonly values: readonly unknown[];
  /** Of `kernel.check`: the arrays stay as they are, because the checked run follows. */
  readonly isCheck: boolean;
}

/** Runs a launch and returns true; false if it has no breakpoint. */
export type KernelDebugger = (launch: DebuggableLaunch) => boolean;

let attached: KernelDebugger | null = null;

/** Attaches the debugger; null detaches it. */
export function setKernelDebugger(kernelDebugger: KernelDebugger | null): void {
  attached = kernelDebugger;
}

/** Returns true if a debugger is attached. */
export const isDebugged = (stream: Stream): boolean =>
  attached !== null && stream.device.kind === 'simulated';

/** Offers a launch to the debugger; returns whether it ran. */
export function runDebugged(launch: DebuggableLaunch): boolean {
  return attached?.(launch) ?? false;
}

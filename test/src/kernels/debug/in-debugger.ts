/** Runs launches of kernels in their debug form, without a debugger. */

import { runInThisContext } from 'node:vm';
import { emitDebugForm } from '../../../../src/kernels/debug/emit.ts';
import { debugLaunch, type ThreadCode } from '../../../../src/kernels/debug/run.ts';
import { setKernelDebugger } from '../../../../src/kernels/launch/kernel-debugger.ts';

/** Runs `work`; launches inside run in their debug form. Returns what the code was. */
export function inDebugger(work: () => void): string[] {
  const codes: string[] = [];
  setKernelDebugger(launch => {
    const form = emitDebugForm(launch.lowered.program);
    codes.push(form.code);
    const code = runInThisContext(form.code) as ThreadCode;
    debugLaunch(launch, form, { stopping: code, running: code });
    return true;
  });
  try {
    work();
  } finally {
    setKernelDebugger(null);
  }
  return codes;
}

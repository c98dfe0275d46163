/** Explains a lost device: the whole process loses it, and the notebook loses its variables. */

import type { ErrorContent } from '../../protocol/messages.ts';

const MAX_CAUSES = 8;

const NOTE =
  'The kernel replaces the process that runs the cells: all variables, and the contents of arrays on every device, are lost. ' +
  'Run the cells again that later cells need. Devices report faults late: this call or work submitted before it caused the fault.';

/** Returns whether the error or one of its causes is a DeviceLostError, identified by its code: the library may not be loaded. */
export function isDeviceLoss(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if ((current as { code?: unknown }).code === 'ERR_DEVICE_LOST') return true;
    current = current.cause;
  }
  return false;
}

export function withRestart(content: ErrorContent): ErrorContent & { readonly restart: true } {
  const { ename, evalue, traceback } = content;
  return { ename, evalue: `${evalue}\n${NOTE}`, traceback: [...traceback, NOTE], restart: true };
}

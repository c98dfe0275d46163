/** Explains a lost device: it is lost to the whole process, which affects the notebook. */

import type { ErrorContent } from '../../protocol/messages.ts';

const MAX_CAUSES = 8;

const NOTE =
  'The process that runs the cells is replaced: all variables are lost, with what arrays held on every device. ' +
  'Run the cells again that the next one needs. A fault on the device is noticed late: it is of this call or of work submitted before it.';

/** Returns whether a DeviceLostError ended the cell or is a cause. By code: the library may not be loaded. */
export function isDeviceLoss(error: unknown): boolean {
  let current = error;
  for (let depth = 0; depth < MAX_CAUSES && current instanceof Error; depth += 1) {
    if ((current as { code?: unknown }).code === 'ERR_DEVICE_LOST') return true;
    current = current.cause;
  }
  return false;
}

export function withLossTold(content: ErrorContent): ErrorContent & { readonly restart: true } {
  const { ename, evalue, traceback } = content;
  return { ename, evalue: `${evalue}\n${NOTE}`, traceback: [...traceback, NOTE], restart: true };
}

/** While the debugger is attached, a cell waits, compiled, until the front has set its breakpoints. */

import { sendToFront } from '../front/front-link.ts';

const waiting = new Map<string, () => void>();

/** `file` is the name of the cell's script, `id` its request. */
export function breakpointsSet(id: string, file: string): Promise<void> {
  return new Promise(resolve => {
    waiting.set(id, resolve);
    sendToFront({ kind: 'compiled', id, file });
  });
}

/** Lets the cell go. Does nothing for one that does not wait. */
export function openGate(id: string): void {
  waiting.get(id)?.();
  waiting.delete(id);
}

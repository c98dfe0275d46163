/** While the debugger is attached, a compiled cell waits until the front has set its breakpoints. */

import { sendToFront } from '../front/front-link.ts';

const waiting = new Map<string, () => void>();

/** Resolves when the breakpoints are set. `file` is the name of the cell's script, `id` its request. */
export function breakpointsSet(id: string, file: string): Promise<void> {
  return new Promise(resolve => {
    waiting.set(id, resolve);
    sendToFront({ kind: 'compiled', id, file });
  });
}

/** Releases the cell if it waits; otherwise does nothing. */
export function openGate(id: string): void {
  waiting.get(id)?.();
  waiting.delete(id);
}

/** Wraps calls that may end the process, so that printed text is sent before them. */

import { sendHeldText, sendTextPromptly } from './front-link.ts';

/** The kernel's own addons, which run no code of cells: the compiler's, and the one that interrupts JavaScript. */
const OWN = /[\\/]@oxc-(parser|transform)[\\/]|[\\/]interrupts\.node$/;

export function keepOutputOfSuddenEnds(): void {
  const { kill, abort, dlopen } = process;
  process.kill = (pid, signal) => {
    sendHeldText();
    return kill.call(process, pid, signal);
  };
  process.abort = () => {
    sendHeldText();
    return abort.call(process);
  };
  // From here on any call may enter native code, which can end the process at any instruction.
  process.dlopen = (...values: Parameters<typeof dlopen>) => {
    if (!OWN.test(values[1])) sendTextPromptly();
    return dlopen.apply(process, values);
  };
}

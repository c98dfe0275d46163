/** Calls after which the process may be gone: what cells printed leaves before them. */

import { sendHeldText, sendTextPromptly } from './front-link.ts';

/** Native code that runs before a cell does, and never while it does. */
const COMPILER = /[\\/]@oxc-(parser|transform)[\\/]/;

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
  // From here on any call may be one into native code, which can end the process between two instructions.
  process.dlopen = (...values: Parameters<typeof dlopen>) => {
    if (!COMPILER.test(values[1])) sendTextPromptly();
    return dlopen.apply(process, values);
  };
}

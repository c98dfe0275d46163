/** Interrupts the child processes of cells: all processes of this process's group except itself. */

import { readdirSync, readFileSync } from 'node:fs';

/** Sends SIGINT to each, not to the group: while NVRTC compiles, its own SIGINT handler would end this process. */
export function interruptPrograms(): void {
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid || groupOf(pid) !== process.pid) continue;
    try {
      process.kill(pid, 'SIGINT');
    } catch {
      // It exited in the meantime.
    }
  }
}

/** Returns the process group of `pid`; undefined if it has exited. */
function groupOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // `pid (name) state parent group ...`; the name may contain anything.
    return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[3]);
  } catch {
    return undefined;
  }
}

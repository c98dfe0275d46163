/** The programs that cells started: all processes of this process's group but itself. */

import { readdirSync, readFileSync } from 'node:fs';

/**
 * Sends SIGINT to each of them. Not to the whole group: while NVRTC compiles, its own handler of SIGINT is in place and ends the
 * process that it is in.
 */
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

/** The process group of `pid`; undefined after it exited. */
function groupOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // `pid (name) state parent group ...`, and the name may hold anything.
    return Number(stat.slice(stat.lastIndexOf(')')).split(' ')[3]);
  } catch {
    return undefined;
  }
}

/** Interrupts the child processes of cells: all processes of this process's group except itself. */

import { readdirSync, readFileSync } from 'node:fs';

/** A process, identified even if its number is used again. */
export interface CellProgram {
  readonly pid: number;
  /** Time of its start, in ticks since the system's. */
  readonly start: string;
}

/** Sends SIGINT to each, not to the group: while NVRTC compiles, its own SIGINT handler would end this process. */
export function interruptPrograms(): CellProgram[] {
  const programs: CellProgram[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const stat = statOf(pid);
    if (stat?.group !== process.pid) continue;
    programs.push({ pid, start: stat.start });
    try {
      process.kill(pid, 'SIGINT');
    } catch {
      // It exited in the meantime.
    }
  }
  return programs;
}

export function isRunning({ pid, start }: CellProgram): boolean {
  const stat = statOf(pid);
  return stat?.start === start && stat.state !== 'Z';
}

/** Returns the command line, with spaces between its words. */
export function commandOf({ pid }: CellProgram): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replace(/\0+$/, '').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** Returns the state, process group and start time of `pid`; undefined if it has exited. */
function statOf(pid: number): { state: string; group: number; start: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // `pid (name) state parent group ...`; the name may contain anything.
    const fields = stat.slice(stat.lastIndexOf(')')).split(' ');
    return { state: fields[1]!, group: Number(fields[3]), start: fields[20]! };
  } catch {
    return undefined;
  }
}

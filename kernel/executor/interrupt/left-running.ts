/** Finds what an interrupt could not end: child processes that ignore SIGINT, and native code on threads, such as a query of a database. */

import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandOf, isRunning, type CellProgram } from './cell-programs.ts';

/** Time that processes and threads have to end after an interrupt; a shell command is killed sooner. */
const GRACE_MS = 1_500;
/** A thread that is never found waiting at this many moments is busy. */
const MOMENTS = 6;
const MOMENT_MS = 50;
/** Threads of Node and V8, and those of workers, whose JavaScript the kernel ends itself. */
const OTHER_THREADS = new Set(['DelayedTaskSche', 'V8Worker', 'SignalInspector', 'WorkerThread']);

interface LeftRunning {
  readonly programs: readonly { readonly pid: number; readonly command: string }[];
  /** Number of busy threads. */
  readonly threads: number;
}

/** Processes that were reported, so that a server which ignores SIGINT is reported once. */
const reported = new Set<string>();

/** Returns what still runs some time after these processes were interrupted. */
export async function leftRunning(interrupted: readonly CellProgram[]): Promise<LeftRunning> {
  await sleep(GRACE_MS);
  let busy = busyThreads();
  for (let moment = 1; moment < MOMENTS && busy.length > 0; moment += 1) {
    await sleep(MOMENT_MS);
    const now = new Set(busyThreads());
    busy = busy.filter(thread => now.has(thread));
  }
  const left = interrupted.filter(isRunning).filter(({ pid, start }) => !reported.has(`${pid} ${start}`));
  for (const { pid, start } of left) reported.add(`${pid} ${start}`);
  return {
    programs: left.map(program => ({ pid: program.pid, command: commandOf(program) })),
    threads: busy.length
  };
}

/** Returns the threads that run, or wait for a disk, except for the main thread. */
function busyThreads(): string[] {
  return readdirSync('/proc/self/task').filter(thread => {
    try {
      const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
      const [before, state] = [stat.lastIndexOf(')'), stat.charAt(stat.lastIndexOf(')') + 2)];
      const name = stat.slice(stat.indexOf('(') + 1, before);
      return Number(thread) !== process.pid && /[RD]/.test(state) && !OTHER_THREADS.has(name);
    } catch {
      // It ended in the meantime.
      return false;
    }
  });
}

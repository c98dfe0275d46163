/** Resource usage of the machine, under psutil's names, which clients know. */

import { cpus, freemem, totalmem } from 'node:os';

interface CpuTimes {
  readonly busy: number;
  readonly all: number;
}

export function virtualMemory(): object {
  const total = totalmem();
  // Memory available without swapping, caches included.
  const available = freemem();
  const used = total - available;
  return { total, available, used, percent: percentOf(used, total) };
}

let before: CpuTimes | undefined;

/** Returns the usage in percent since the last call, over all processors; undefined at the first call. */
export function hostCpuPercent(): number | undefined {
  const last = before;
  const now = cpuTimes();
  before = now;
  return last === undefined || now.all === last.all
    ? undefined
    : percentOf(now.busy - last.busy, now.all - last.all);
}

export function percentOf(part: number, whole: number): number {
  return Math.round((part / whole) * 1_000) / 10;
}

function cpuTimes(): CpuTimes {
  let all = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    all += times.user + times.nice + times.sys + times.idle + times.irq;
    idle += times.idle;
  }
  return { busy: all - idle, all };
}

/** What the whole machine uses, in the words of psutil, whose names clients know. */

import { cpus, freemem, totalmem } from 'node:os';

interface CpuTimes {
  readonly busy: number;
  readonly all: number;
}

export function virtualMemory(): object {
  const total = totalmem();
  // What can be had without swapping, caches among it.
  const available = freemem();
  const used = total - available;
  return { total, available, used, percent: percentOf(used, total) };
}

let before: CpuTimes | undefined;

/** Percent since the last call, over all processors; undefined at the first. */
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

/** Resource usage of a process and all its descendants, from Linux's /proc. */

import { readdir, readFile } from 'node:fs/promises';

export interface ProcessUsage {
  readonly pid: number;
  /** Processor time since its start, in milliseconds. */
  readonly cpu: number;
  /** Bytes; the proportional share of pages that several processes share. */
  readonly memory: number;
}

/** The unit of times in /proc, equal on all Linux platforms. */
const TICK_MS = 10;
const PARENT_FIELD = 1;
const USER_TIME_FIELD = 11;
const SYSTEM_TIME_FIELD = 12;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly cpu: number;
}

export async function processTree(root: number): Promise<readonly ProcessUsage[]> {
  const names = await readdir('/proc');
  const pids = names.filter(name => /^\d+$/.test(name)).map(Number);
  const stats = (await Promise.all(pids.map(readStat))).filter(stat => stat !== undefined);
  const tree = descendants(stats, root);
  return Promise.all(tree.map(async ({ pid, cpu }) => ({ pid, cpu, memory: await readMemory(pid) })));
}

function descendants(stats: readonly Stat[], root: number): Stat[] {
  const found = stats.filter(({ pid }) => pid === root);
  // The list grows during the iteration.
  for (const { pid } of found) found.push(...stats.filter(({ parent }) => parent === pid));
  return found;
}

/** Reads a process's statistics; returns undefined if it has exited in the meantime. */
async function readStat(pid: number): Promise<Stat | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name in parentheses before them may contain any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields.length <= SYSTEM_TIME_FIELD) return undefined;
  const ticks = Number(fields[USER_TIME_FIELD]) + Number(fields[SYSTEM_TIME_FIELD]);
  return { pid, parent: Number(fields[PARENT_FIELD]), cpu: ticks * TICK_MS };
}

async function readMemory(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '');
  const proportional = /^Pss:\s+(\d+) kB/m.exec(rollup);
  if (proportional !== null) return Number(proportional[1]) * 1024;
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

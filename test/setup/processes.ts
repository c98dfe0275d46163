/** Processes of tests. */

import { existsSync, readFileSync } from 'node:fs';

/** Returns whether a process runs; one that has exited and waits to be reaped does not. */
export function runs(pid: number): boolean {
  try {
    return existsSync(`/proc/${pid}`) && !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

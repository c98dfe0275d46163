/** A lock between processes, which the system releases when its holder exits, however that happens. */

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

const SQLITE_BUSY = 5;
const RETRY_MS = 50;

/** Runs `work` while no other process, and no other cell, holds the lock `file`. Calls `waiting` if it must wait. */
export async function withLock<Result>(
  file: string,
  signal: AbortSignal,
  waiting: () => void,
  work: () => Promise<Result>
): Promise<Result> {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    while (!isTaken(database)) {
      waiting();
      await delay(RETRY_MS, undefined, { signal });
    }
    return await work();
  } finally {
    database.close();
  }
}

/** Tries to take the lock: a transaction that excludes all others. */
function isTaken(database: DatabaseSync): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

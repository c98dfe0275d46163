/** The lockfile of remote imports beside the notebooks of a folder: a part for each scheme. */

import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const LOCK_FILE = 'stridelab.lock.json';
const VERSION = 1;

/** The parts of the file, by scheme. */
export type LockParts = Readonly<Record<string, unknown>>;

/** Returns the parts; undefined if the folder has no lockfile. @throws SyntaxError if the file is malformed */
export function readLockFile(folder: string): LockParts | undefined {
  let text;
  try {
    text = readFileSync(join(folder, LOCK_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const parsed = asObject(text);
  if (parsed?.['version'] !== VERSION) {
    throw new SyntaxError(
      `${LOCK_FILE} is not a lockfile of version ${VERSION}: restore it, or delete it and lock again with %imports lock`
    );
  }
  return parsed;
}

/** Replaces the part of one scheme, in one step. */
export function writeLockPart(folder: string, scheme: string, part: unknown): void {
  const parts = { ...readLockFile(folder), version: VERSION, [scheme]: part };
  const draft = join(folder, `.${LOCK_FILE}.${process.pid}`);
  writeFileSync(draft, `${JSON.stringify(parts, null, 2)}\n`);
  renameSync(draft, join(folder, LOCK_FILE));
}

function asObject(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}

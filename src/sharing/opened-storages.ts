/** Storages over memory of other processes, which cannot be shared once more. */

import type { Storage } from '../memory/storage.ts';

const opened = new WeakSet<Storage>();

export function noteOpened(storage: Storage): void {
  opened.add(storage);
}

export function isOpened(storage: Storage): boolean {
  return opened.has(storage);
}

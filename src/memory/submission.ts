/** Submissions to streams, and what storages remember of them for people. */

import { HazardError } from '../base/errors.ts';
import type { Stream } from '../core/stream.ts';
import type { Storage } from './storage.ts';

/** What an operation writes or reads: an array, or any other object with a storage. */
export interface Used {
  readonly storage: Storage;
}

/**
 * Runs `work`, which submits one operation of a stream, and notes the uses. `work` may return false, where nothing was submitted, or
 * the number of the operation. Uses are also noted where hazard detection throws: it does so after the operation was submitted.
 */
export function submit<Result extends boolean | number | void>(
  stream: Stream,
  work: () => Result,
  writes: readonly Used[],
  reads: readonly Used[]
): Result {
  let result: Result;
  try {
    result = work();
  } catch (error) {
    if (error instanceof HazardError) noteUses(stream, stream.native.sequence, writes, reads);
    throw error;
  }
  if (result !== false)
    noteUses(stream, typeof result === 'number' ? result : stream.native.sequence, writes, reads);
  return result;
}

function noteUses(stream: Stream, sequence: number, writes: readonly Used[], reads: readonly Used[]): void {
  for (let index = 0; index < writes.length; index++)
    (writes[index] as Used).storage.noteUse(stream, 'write', sequence);
  for (let index = 0; index < reads.length; index++)
    (reads[index] as Used).storage.noteUse(stream, 'read', sequence);
}

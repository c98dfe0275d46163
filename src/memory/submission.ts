/** Submits operations to streams, and notes their uses on storages for pictures. */

import { HazardError } from '../base/errors.ts';
import type { Stream } from '../core/stream.ts';
import type { Storage } from './storage.ts';

/** An operand of an operation: an array, or any other object with a storage. */
export interface Used {
  readonly storage: Storage;
}

/** Runs `work`, which submits one operation of a stream, and notes the uses, as `submitNoted` does. */
export function submit<Result extends boolean | number | void>(
  stream: Stream,
  work: () => Result,
  writes: readonly Used[],
  reads: readonly Used[]
): Result {
  return submitNoted(stream, work, sequence => noteUses(stream, sequence, writes, reads));
}

/**
 * Runs `work`, which submits one operation of a stream, and `note` with its number. `work` may return that number, or false
 * if nothing was submitted. Uses are noted even if hazard detection throws, because the operation was submitted by then.
 */
export function submitNoted<Result extends boolean | number | void>(
  stream: Stream,
  work: () => Result,
  note: (sequence: number) => void
): Result {
  let result: Result;
  try {
    result = work();
  } catch (error) {
    if (error instanceof HazardError) note(stream.native.sequence);
    throw error;
  }
  if (result !== false) note(typeof result === 'number' ? result : stream.native.sequence);
  return result;
}

function noteUses(stream: Stream, sequence: number, writes: readonly Used[], reads: readonly Used[]): void {
  for (let index = 0; index < writes.length; index++)
    (writes[index] as Used).storage.noteUse(stream, 'write', sequence);
  for (let index = 0; index < reads.length; index++)
    (reads[index] as Used).storage.noteUse(stream, 'read', sequence);
}

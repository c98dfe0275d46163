/** Submits operations to streams, and notes their uses on storages for pictures. */

import { HazardError } from '../base/errors.ts';
import type { Stream } from '../core/stream.ts';
import type { NativeKernel } from '../native/compiler-binding.ts';
import { keyed } from '../native/keyed.ts';
import type { NativeKey } from '../native/keyed-binding.ts';
import type { Storage } from './storage.ts';

/** An operand of an operation: an array, or any other object with a storage. */
export interface Used {
  readonly storage: Storage;
}

/**
 * Runs `work`, which submits one operation of a stream, and notes the uses. `work` may return the number of the operation, or false
 * if nothing was submitted. Uses are noted even if hazard detection throws, because the operation was submitted by then.
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

/** Launches a kernel with the operands that were written to it, and notes the uses as `submit` does, without making closures. */
export function submitLaunch(
  stream: Stream,
  kernel: NativeKey<NativeKernel>,
  writes: readonly Used[],
  reads: readonly Used[]
): void {
  let sequence: number;
  try {
    sequence = keyed().launch(kernel, stream.key, writes.length + reads.length);
  } catch (error) {
    if (error instanceof HazardError) noteUses(stream, stream.native.sequence, writes, reads);
    throw error;
  }
  noteUses(stream, sequence, writes, reads);
}

function noteUses(stream: Stream, sequence: number, writes: readonly Used[], reads: readonly Used[]): void {
  for (let index = 0; index < writes.length; index++)
    (writes[index] as Used).storage.noteUse(stream, 'write', sequence);
  for (let index = 0; index < reads.length; index++)
    (reads[index] as Used).storage.noteUse(stream, 'read', sequence);
}

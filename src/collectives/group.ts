/** Groups of calls that are submitted together, as NCCL requires of a thread that drives several ranks. */

import { ArgumentError } from '../base/errors.ts';
import type { Storage } from '../memory/storage.ts';
import type { NativeCommunicator } from '../native/collectives-binding.ts';
import { submit as submitNoted } from '../memory/submission.ts';
import { native } from '../native/load.ts';
import type { Stream } from '../core/stream.ts';
import { ended } from '../base/unwind.ts';
import { checkCliques, OPERATIONS, type RankCall } from './clique.ts';

/** A range of bytes of a storage, from `offset`. */
export interface Part {
  readonly storage: Storage;
  readonly offset: number;
}

export interface CollectiveCall extends RankCall {
  readonly communicator: NativeCommunicator;
  readonly stream: Stream;
  /** Null if the rank has none. */
  readonly source: Part | null;
  readonly target: Part | null;
}

/** Calls of the open group; undefined outside a group. */
let pending: CollectiveCall[] | undefined;

/** Submits a call, or queues it until the end of the group. */
export function submit(call: CollectiveCall): void {
  if (pending === undefined) {
    submitAll([call]);
    return;
  }
  // The arrays may be disposed before the group ends.
  call.source?.storage.retain();
  call.target?.storage.retain();
  pending.push(call);
}

/**
 * Runs `make` and submits the calls that it makes together; a nested group joins the outer one. Nothing is submitted if `make`
 * throws. @throws ArgumentError for an asynchronous function, CollectiveError, and what `make` throws
 */
export function group<Result>(make: () => Result): Result {
  if (pending !== undefined) return make();
  const calls: CollectiveCall[] = [];
  const end = (): void => {
    pending = undefined;
    for (let call = calls.pop(); call !== undefined; call = calls.pop()) {
      call.source?.storage.release();
      call.target?.storage.release();
    }
  };
  return ended(end, () => {
    pending = calls;
    const result = make();
    pending = undefined;
    if (result instanceof Promise)
      throw new ArgumentError('group: the function returned a promise, expected a synchronous function');
    submitAll(calls);
    return result;
  });
}

function submitAll(calls: readonly CollectiveCall[]): void {
  checkCliques(calls);
  const work = (): void =>
    native().collectives.submit(
      calls.map(call => ({
        kind: OPERATIONS.indexOf(call.operation),
        communicator: call.communicator,
        stream: call.stream.native,
        source: call.source?.storage.native ?? null,
        sourceOffset: call.source?.offset ?? 0,
        target: call.target?.storage.native ?? null,
        targetOffset: call.target?.offset ?? 0,
        count: call.count,
        type: call.type,
        op: call.op,
        peer: call.peer
      }))
    );
  // Each call records its uses of memory around the joint submission.
  const noted = calls.reduce<() => void>(
    (inner, { stream, source, target }) =>
      () =>
        submitNoted(stream, inner, target === null ? [] : [target], source === null ? [] : [source]),
    work
  );
  noted();
}

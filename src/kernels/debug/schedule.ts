/** Runs the threads of a block, or of all blocks of a kernel that waits for the whole grid: each until it waits, the picked one first. */

import { barrierResult, compare, WARP, warpResult, type Request } from './groups.ts';
import type { BarrierName, WarpName } from '../program/program.ts';
import type { Held } from './operations.ts';
import type { Index, Waiting } from './shown.ts';
import type { DebuggedThread } from './thread.ts';

/** A thread with its code, which starts when it first runs. */
export interface Running {
  readonly thread: DebuggedThread;
  /** The threads that wait, as its block shows them. */
  readonly waiting: Waiting;
  readonly start: () => Iterator<Request, void, Held | undefined>;
  /** The thread's index in its block. */
  readonly index: Index;
}

interface State {
  readonly running: Running;
  code: Iterator<Request, void, Held | undefined> | undefined;
  /** Null while the thread may run. */
  request: Request | null;
  result: Held | undefined;
  ended: boolean;
}

export interface Scheduling {
  /** Returns the thread that runs before the others. */
  readonly picked: () => DebuggedThread | null;
  /** Describes a place where threads wait. */
  readonly placeText: (request: Request) => string;
}

/** Runs all threads to their ends. */
export function schedule(threads: readonly Running[], scheduling: Scheduling): void {
  const states = threads.map((running): State => ({
    running,
    code: undefined,
    request: null,
    result: undefined,
    ended: false
  }));
  for (;;) {
    const picked = scheduling.picked();
    const first = states.find(({ running }) => running.thread === picked);
    if (first !== undefined) advance(first, scheduling);
    for (const state of states) advance(state, scheduling);
    const waiting = states.filter(({ ended }) => !ended);
    if (waiting.length === 0) return;
    release(waiting, scheduling);
  }
}

function advance(state: State, { placeText }: Scheduling): void {
  if (state.ended || state.request !== null) return;
  state.code ??= state.running.start();
  const { done, value } = state.code.next(state.result);
  if (done === true) {
    state.ended = true;
    return;
  }
  state.request = value;
  const { waiting, index } = state.running;
  (waiting[placeText(state.request)] ??= []).push(index);
}

/** Lets the threads go on that are the least far: those of the same round of all loops, at the same operation. */
function release(waiting: readonly State[], { placeText }: Scheduling): void {
  const least = waiting.map(({ request }) => request!.at).reduce((a, b) => (compare(a, b) <= 0 ? a : b));
  const meeting = waiting.filter(({ request }) => compare(request!.at, least) === 0);
  const groups = Map.groupBy(meeting, groupOf);
  for (const group of groups.values()) {
    const lanes = group.map(({ running, request }) => ({
      lane: running.thread.specials.laneId,
      values: request!.values
    }));
    for (const [index, state] of group.entries()) {
      const { kind, name } = state.request!;
      state.result =
        kind === 'warp'
          ? warpResult(name as WarpName, lanes[index]!, lanes)
          : barrierResult(
              name as BarrierName,
              lanes.map(({ values }) => values)
            );
    }
  }
  for (const state of meeting) {
    delete state.running.waiting[placeText(state.request!)];
    state.request = null;
  }
}

/** Names the block, or the warp, in which a thread meets others. */
function groupOf({ running: { thread }, request }: State): string {
  const { block, index } = thread.identity;
  return request!.kind === 'warp' ? `${block.join(' ')} ${Math.floor(index / WARP)}` : block.join(' ');
}

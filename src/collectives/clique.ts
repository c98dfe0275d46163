/** Checks that the calls of ranks in one process match; NCCL would wait forever for a missing call. Pure. */

import { CollectiveError } from '../base/errors.ts';

/** The operations, in the order of native/collectives/call.h. */
export const OPERATIONS = [
  'allReduce',
  'broadcast',
  'reduce',
  'reduceScatter',
  'allGather',
  'send',
  'recv'
] as const;

export type Operation = (typeof OPERATIONS)[number];

/** The ranks of a communicator in one process. */
export interface Clique {
  readonly size: number;
  /** The cliques of the communicators without some ranks, by those ranks. */
  readonly shrunk: Map<string, Clique>;
}

/** The properties of a call that must match those of the other ranks. */
export interface RankCall {
  readonly operation: Operation;
  /** Null for a rank whose peers are in other processes. */
  readonly clique: Clique | null;
  readonly rank: number;
  readonly count: number;
  readonly type: number;
  readonly op: number;
  readonly peer: number;
}

const TOGETHER =
  'one thread must submit the calls of all its ranks together: put them into one Communicator.group(() => ...)';

/** Checks the calls of a group. @throws CollectiveError if calls of a rank are missing or differ */
export function checkCliques(calls: readonly RankCall[]): void {
  for (const [clique, own] of Map.groupBy(calls, call => call.clique)) {
    if (clique === null) continue;
    checkCollectives(
      clique,
      own.filter(({ operation }) => operation !== 'send' && operation !== 'recv')
    );
    checkPairs(own);
  }
}

function checkCollectives(clique: Clique, calls: readonly RankCall[]): void {
  const byRank = Map.groupBy(calls, call => call.rank);
  const rounds = Math.max(0, ...[...byRank.values()].map(own => own.length));
  for (let round = 0; round < rounds; round++) {
    const made = [...byRank.values()].flatMap(own => own[round] ?? []);
    const first = made[0] as RankCall;
    if (made.length < clique.size) {
      const ranks = new Set(made.map(({ rank }) => rank));
      const missing = Array.from({ length: clique.size }, (_, rank) => rank).filter(rank => !ranks.has(rank));
      throw new CollectiveError(
        `${first.operation}: rank ${missing.join(', ')} of ${clique.size} did not call; ${TOGETHER}`
      );
    }
    for (const call of made) {
      const difference = differenceOf(first, call);
      if (difference !== undefined)
        throw new CollectiveError(
          `${first.operation}: rank ${first.rank} and rank ${call.rank} differ in ${difference}`
        );
    }
  }
}

function differenceOf(one: RankCall, other: RankCall): string | undefined {
  if (one.operation !== other.operation) return `the operation (${one.operation}, ${other.operation})`;
  if (one.count !== other.count) return `the number of elements (${one.count}, ${other.count})`;
  if (one.type !== other.type) return 'the dtype';
  if (one.op !== other.op) return 'op';
  if (one.peer !== other.peer) return `root (${one.peer}, ${other.peer})`;
  return undefined;
}

/** Checks that every send has a matching receive, in the order of the calls between two ranks. */
function checkPairs(calls: readonly RankCall[]): void {
  const between = (from: number, to: number): string => `${from} to ${to}`;
  const receives = Map.groupBy(
    calls.filter(({ operation }) => operation === 'recv'),
    ({ rank, peer }) => between(peer, rank)
  );
  for (const send of calls) {
    if (send.operation !== 'send') continue;
    const receive = receives.get(between(send.rank, send.peer))?.shift();
    if (receive === undefined)
      throw new CollectiveError(
        `send: rank ${send.peer} does not receive from rank ${send.rank}; ${TOGETHER}`
      );
    if (receive.count !== send.count || receive.type !== send.type)
      throw new CollectiveError(
        `send: rank ${send.rank} sends ${send.count} elements, but rank ${send.peer} receives ${receive.count}, or another dtype`
      );
  }
  for (const [left] of receives.values()) {
    if (left !== undefined)
      throw new CollectiveError(`recv: rank ${left.peer} does not send to rank ${left.rank}; ${TOGETHER}`);
  }
}

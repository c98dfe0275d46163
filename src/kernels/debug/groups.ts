/** What the threads that meet at a barrier or an operation of a warp get. Pure. */

import type { BarrierName, WarpName } from '../program/program.ts';
import type { Held } from './operations.ts';

export const WARP = 32;

/** What a thread asks for when it waits. */
export interface Request {
  readonly kind: 'warp' | 'barrier';
  readonly name: WarpName | BarrierName;
  /** The number of its place. */
  readonly place: number;
  /** Where the thread is: loops and their rounds, then the operation. Threads with equal positions meet; the lowest goes first. */
  readonly at: readonly number[];
  readonly values: readonly Held[];
}

/** Returns less than 0 if the first position is before the second. */
export function compare(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < a.length && index < b.length; index++)
    if (a[index] !== b[index]) return a[index]! - b[index]!;
  return a.length - b.length;
}

/** Returns the result of a barrier for the threads of a block that wait at it. */
export function barrierResult(name: BarrierName, given: readonly (readonly Held[])[]): Held {
  const count = given.filter(([value]) => value === true).length;
  if (name === 'syncThreadsCount') return count;
  return name === 'syncThreadsAnd' ? count === given.length : count > 0;
}

/** Returns the lane whose value a lane gets; its own if there is none in its part of the warp. */
function sourceOf(name: WarpName, lane: number, by: number, width: number): number {
  const part = width > 0 && width <= WARP && (width & (width - 1)) === 0 ? width : WARP;
  const start = lane & ~(part - 1);
  const distance = by >>> 0;
  if (name === 'shfl') return start | (distance & (part - 1));
  if (name === 'shflUp') return distance <= lane - start ? lane - distance : lane;
  if (name === 'shflDown') return distance < start + part - lane ? lane + distance : lane;
  const source = (lane ^ distance) >>> 0;
  return source < start + part ? source : lane;
}

/** A lane at an operation of its warp. */
interface Lane {
  readonly lane: number;
  readonly values: readonly Held[];
}

const bitsOf = (lanes: readonly Lane[]): number =>
  lanes.reduce((bits, { lane }) => bits | (1 << lane), 0) >>> 0;

/** Returns the result of an operation of a warp for one of the lanes that take part. */
export function warpResult(name: WarpName, own: Lane, lanes: readonly Lane[]): Held {
  const { lane, values } = own;
  if (name === 'activeMask' || name === 'syncWarp') return bitsOf(lanes);
  if (name.startsWith('shfl')) {
    const source = sourceOf(name, lane, values[2] as number, values[3] as number);
    return (lanes.find(each => each.lane === source) ?? own).values[1]!;
  }
  const members = lanes.filter(each => ((values[0] as number) >>> each.lane) & 1);
  const wanted = name.startsWith('match') ? values[1]! : true;
  const found = members.filter(each => Object.is(each.values[1], wanted));
  if (name === 'any') return found.length > 0;
  if (name === 'all') return found.length === members.length;
  return name === 'matchAll' && found.length !== members.length ? 0 : bitsOf(found);
}

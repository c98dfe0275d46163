/** What atomic operations leave in memory. Pure. */

import type { AtomicName } from '../program/program.ts';
import type { ElementType } from '../program/types.ts';
import type { Held } from './operations.ts';

type Number_ = number | bigint;
type Combine = (old: number, value: number) => Number_;

// Written for numbers: JavaScript has the same operators for bigints, and both operands are of one type.
const COMBINED: Partial<Readonly<Record<AtomicName, Combine>>> = {
  atomicAdd: (old, value) => old + value,
  atomicSub: (old, value) => old - value,
  atomicMin: (old, value) => (value < old ? value : old),
  atomicMax: (old, value) => (value > old ? value : old),
  atomicExch: (_, value) => value,
  atomicAnd: (old, value) => old & value,
  atomicOr: (old, value) => old | value,
  atomicXor: (old, value) => old ^ value,

  atomicInc: (old, value) => (old >= value ? value - value : ++old),
  // eslint-disable-next-line eqeqeq -- of numbers and bigints
  atomicDec: (old, value) => (old == 0 || old > value ? value : --old)
};

/** Returns the new value; typed arrays wrap and round it. */
export function combined(name: AtomicName, element: ElementType, old: Held, values: readonly Held[]): Held {
  const [first, second] = values as [Held, Held];
  if (name === 'atomicCas') return same(element, old, first) ? second : old;
  return COMBINED[name]!(old as number, first as number);
}

/** Compares bits, as the instruction does. */
function same(element: ElementType, a: Held, b: Held): boolean {
  return element === 'f32' || element === 'f64' ? Object.is(a, b) : a === b;
}

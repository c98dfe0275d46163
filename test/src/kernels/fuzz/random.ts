/** Random choices that a seed repeats. */

export interface Choices {
  /** Returns a whole number from 0, below `count`. */
  below(count: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
}

export function choices(seed: number): Choices {
  let state = (seed * 0x9e37_79b9) | 0;
  const next = (): number => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return { below, chance: probability => next() < probability, pick: list => list[below(list.length)]! };
}

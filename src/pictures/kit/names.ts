/** Finds the names of the notebook's variables that hold an array. */

import type { NDArray } from '../../array/array.ts';

const MOST_NAMES = 4;

/** Returns the names of variables that hold exactly this array. Runs none of the notebook's code. */
export function variableNames(array: NDArray, variables: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(variables)
    .filter(name => variables[name] === array)
    .slice(0, MOST_NAMES);
}

/** What the notebook's variables call an array. */

import type { NDArray } from '../../array/array.ts';

/** Most names that are listed for one array. */
const MOST_NAMES = 4;

/** Runs none of the notebook's code: a variable is that array, or it is something else. */
export function variableNames(array: NDArray, variables: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(variables)
    .filter(name => variables[name] === array)
    .slice(0, MOST_NAMES);
}

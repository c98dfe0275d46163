/** Expressions for an array: a variable, or a path inside one. */

import type { NDArray } from '../../../../src/array/array.ts';
import { variableNames } from '../../../../src/pictures/kit/names.ts';
import { walkArrays } from '../kit/walk.ts';
import { widgetHost } from '../../model/host.ts';

/** Returns the names. Searches containers, which may be large, only if no variable is the array itself. */
export function namesOf(array: NDArray): readonly string[] {
  const names = variableNames(array, widgetHost().variables());
  if (names.length > 0) return names;
  for (const found of walkArrays(widgetHost().eachVariable(), { truncated: false }))
    if (found?.array === array) return [found.name];
  return [];
}

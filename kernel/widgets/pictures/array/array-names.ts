/** How code reaches an array: by a variable, or by what a variable holds. */

import type { NDArray } from '../../../../src/array/array.ts';
import { variableNames } from '../../../../src/pictures/kit/names.ts';
import { walkArrays } from '../kit/walk.ts';
import { widgetHost } from '../../model/host.ts';

/** Looks into containers only where no variable is the array itself: they may be large. */
export function namesOf(array: NDArray): readonly string[] {
  const names = variableNames(array, widgetHost().variables());
  if (names.length > 0) return names;
  for (const found of walkArrays(widgetHost().eachVariable(), { truncated: false }))
    if (found?.array === array) return [found.name];
  return [];
}

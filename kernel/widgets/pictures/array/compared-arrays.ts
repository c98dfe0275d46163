/** Answers an inspector's comparison requests: which arrays exist, and the description of one. Stores nothing. */

import type { NDArray } from '../../../../src/array/array.ts';
import { describeArray } from '../../../../src/pictures/array/describe.ts';
import type { Parameters } from '../../../../src/pictures/kit/live-messages.ts';
import { headline } from '../../../../src/pictures/array/render.ts';
import { isNDArray } from '../kit/walk.ts';
import { widgetHost } from '../../model/host.ts';
import type { Reply } from '../kit/requests.ts';

/** Maximum number of names; more would not be read. */
const MOST_NAMES = 200;

function arrays(): (readonly [name: string, array: NDArray])[] {
  return Object.entries(widgetHost().variables()).filter(
    (entry): entry is [string, NDArray] => isNDArray(entry[1]) && !entry[1].freed
  );
}

/** Answers `arrays` with the variables that hold an array, and `describe` with the array in `name`. @throws Error if there is none */
export function answerComparison(method: string, { name }: Parameters): Reply | undefined {
  if (method === 'arrays')
    return {
      content: {
        arrays: arrays()
          .slice(0, MOST_NAMES)
          .map(([variable, array]) => ({
            name: variable,
            summary: headline(describeArray(array, { preview: false }))
          }))
      }
    };
  if (method !== 'describe') return undefined;
  const found = arrays().find(([variable]) => variable === name);
  if (found === undefined) throw new Error(`The variable ${String(name)} no longer holds an array.`);
  return { content: { description: describeArray(found[1], { preview: false }) } };
}

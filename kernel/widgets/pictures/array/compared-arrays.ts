/** What an inspector's comparison asks of the notebook: which arrays there are, and what one of them is. Nothing is kept. */

import type { NDArray } from '../../../../src/array/array.ts';
import { describeArray } from '../../../../src/pictures/array/describe.ts';
import type { Parameters } from '../../../../src/pictures/kit/live-messages.ts';
import { headline } from '../../../../src/pictures/array/render.ts';
import { isNDArray } from '../kit/is-array.ts';
import { widgetHost } from '../../model/host.ts';
import type { Reply } from '../kit/requests.ts';

/** More names than this would not be read. */
const MOST_NAMES = 200;

function arrays(): (readonly [name: string, array: NDArray])[] {
  return Object.entries(widgetHost().variables()).filter(
    (entry): entry is [string, NDArray] => isNDArray(entry[1]) && !entry[1].freed
  );
}

/**
 * `arrays`: the notebook's variables that hold one. `describe`: the description of one by its `name`. Undefined for other methods.
 * @throws Error with a sentence, for a name that holds no array any more
 */
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
  if (found === undefined) throw new Error(`The variable ${String(name)} holds no array now.`);
  return { content: { description: describeArray(found[1], { preview: false }) } };
}

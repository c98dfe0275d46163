/** Items of an output area, in the notebook format (nbformat 4, section "output types"). */

import type { JsonObject } from '../../protocol/messages.ts';
import { trait, type Trait } from '../model/traits.ts';
import { isPlainObject } from '../model/values.ts';

/** One output in an output area, as in a notebook file. */
export type OutputItem =
  | { readonly output_type: 'stream'; readonly name: string; readonly text: string }
  | { readonly output_type: 'display_data'; readonly data: JsonObject; readonly metadata: JsonObject }
  | {
      readonly output_type: 'error';
      readonly ename: string;
      readonly evalue: string;
      readonly traceback: readonly string[];
    };

export function outputItem(): Trait<OutputItem> {
  return trait<OutputItem>(
    () => ({ output_type: 'stream', name: 'stdout', text: '' }),
    (value, what) => {
      if (isPlainObject(value) && typeof value['output_type'] === 'string') return value as OutputItem;
      throw new TypeError(`${what} must be an output of the notebook format, with an output_type`);
    }
  );
}

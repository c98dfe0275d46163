/** The package `display` of deno.land/x, which notebooks used before Deno's kernel could display. */

import { isPlainObject } from '../../src/notebook/duck-types.ts';
import * as jupyter from '../../src/notebook/jupyter.ts';
import { unescaped } from '../../src/notebook/jupyter.ts';

export {
  $display,
  format,
  html,
  md,
  svg,
  type Displayable,
  type MediaBundle
} from '../../src/notebook/jupyter.ts';

/** A template tag for text. */
export const plain = unescaped('text/plain');

/** A template tag for JavaScript that the page runs. */
export const js = unescaped('application/javascript');

/** Shows a value in the running cell. An object whose keys are MIME types is a bundle of them, with or without `raw`. */
export function display(value: unknown, options: jupyter.DisplayOptions = {}): Promise<void> {
  return jupyter.display(value, { raw: isBundle(value), ...options });
}

function isBundle(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || !isPlainObject(value)) return false;
  const types = Object.keys(value);
  return types.length > 0 && types.every(type => /^[a-z]+\/[\w.+-]+$/.test(type));
}

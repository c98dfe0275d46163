/** `display`: in a notebook it shows pictures, in a plain program it prints text. */

import { inspect as inspectValue } from 'node:util';

import { DISPLAY_METHOD, notebookHost, type Displayable, type MimeBundle } from './host.ts';

function isDisplayable(value: unknown): value is Displayable {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<Displayable>)[DISPLAY_METHOD] === 'function'
  );
}

function show(text: string, bundle: MimeBundle): void {
  const host = notebookHost();
  const plain = bundle['text/plain'];
  if (host !== undefined) host.display({ 'text/plain': text, ...bundle });
  else process.stdout.write(`${typeof plain === 'string' ? plain : text}\n`);
}

/**
 * Shows `value` in the running cell, with every MIME type it offers; prints text outside a notebook.
 * Shown at once unless the value renders itself asynchronously, which the promise then waits for.
 */
export async function display(value: unknown): Promise<void> {
  const text = inspectValue(value);
  const bundle = isDisplayable(value) ? value[DISPLAY_METHOD]() : {};
  show(text, bundle instanceof Promise ? await bundle : bundle);
}

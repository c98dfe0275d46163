/** `display` and `inspect`: in a notebook they show pictures and widgets, in a plain program they print text. */

import { inspect as inspectValue } from 'node:util';

import { NDArray } from './array.ts';
import { ArgumentError } from './errors.ts';
import { DISPLAY_METHOD, notebookHost, type Displayable, type MimeBundle } from './notebook.ts';

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

/**
 * Opens the live widget of an array in the running cell: descriptor, DLPack device, streams, values. Prints text outside a notebook.
 * @throws ArgumentError for anything but an array of this library
 */
export function inspect(array: NDArray): void {
  if (!(array instanceof NDArray))
    throw new ArgumentError(`inspect: ${inspectValue(array)} is not an array of this library`);
  const host = notebookHost();
  if (host !== undefined) host.inspect(array);
  else process.stdout.write(`${String(array[DISPLAY_METHOD]()['text/plain'])}\n`);
}

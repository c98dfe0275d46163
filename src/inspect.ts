/** `inspect`: in a notebook it opens the live widget of an array, in a plain program it prints text. */

import { inspect as inspectValue } from 'node:util';

import { NDArray } from './array.ts';
import { ArgumentError } from './errors.ts';
import { DISPLAY_METHOD, notebookHost } from './notebook/host.ts';

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

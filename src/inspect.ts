/** `inspect`: in a notebook it opens the live picture of a value, in a plain program it prints text. */

import { NDArray } from './array.ts';
import { Device } from './device.ts';
import { ArgumentError } from './errors.ts';
import { Exchanges } from './exchanges.ts';
import { MemoryLog } from './memory/memory-log.ts';
import { DISPLAY_METHOD, notebookHost } from './notebook/host.ts';
import { Stream } from './stream.ts';
import { Trace } from './trace.ts';
import { textOf } from './value-text.ts';

/** What has a live picture. */
export type Inspectable = NDArray | Device | Stream | Exchanges | MemoryLog | Trace;

/** What each of them is an instance of. */
const INSPECTABLE: readonly (abstract new (...parameters: never[]) => Inspectable)[] = [
  NDArray,
  Device,
  Stream,
  Exchanges,
  MemoryLog,
  Trace
];

/**
 * Opens a live picture in the running cell: of an array its descriptor, DLPack device, streams and values; of a device its memory and
 * facts; of a stream what it does; of `exchanges` who waited for whom; of `memoryLog` who has which
 * memory; of the trace what ran where. Prints text outside a notebook.
 * @throws ArgumentError for anything that has no live picture
 */
export function inspect(value: Inspectable): void {
  if (!INSPECTABLE.some(type => value instanceof type))
    throw new ArgumentError(`inspect: ${refusalOf(value)}`);
  const host = notebookHost();
  if (host !== undefined) host.inspect(value);
  else process.stdout.write(`${String(value[DISPLAY_METHOD]()['text/plain'])}\n`);
}

/** What arrays of other libraries say of themselves by. */
const PROTOCOLS = ['__cuda_array_interface__', '__dlpack__', '__array_interface__'];

/** What was given, and how to get from it to something that has a picture: values and others' arrays are one call away. */
function refusalOf(value: unknown): string {
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return 'plain values have no live picture: make an array of them first, by array()';
  if (Object(value) === value && PROTOCOLS.some(name => name in (value as object)))
    return "another library's array has no live picture: make one of ours of it first, by asCudaArray(), fromDlpack() or, from Python, python.asArray()";
  return `${textOf(value)} has no live picture: give it an array, a device, a stream, exchanges, memoryLog or the trace of this library`;
}

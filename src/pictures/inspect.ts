/** `inspect`: opens the live picture of a value in a notebook, prints text elsewhere. */

import { NDArray } from '../array/array.ts';
import { ObservedCluster } from '../cluster/observed-cluster.ts';
import { Device } from '../core/device.ts';
import { ArgumentError } from '../base/errors.ts';
import { ARRAY_TABS, EXCHANGES_TABS, TRACE_TABS } from './kit/tabs.ts';
import { Exchanges } from '../recording/exchanges/exchanges.ts';
import { Inspection } from './inspection.ts';
import type { LaunchShape } from '../jit/launch-shape.ts';
import { Kernel, type Body } from '../kernels/launch/kernel.ts';
import type { Passed } from '../kernels/launch/passed.ts';
import { RecordedLaunch } from '../kernels/launch/recorded.ts';
import { MemoryLog } from '../recording/memory/memory-log.ts';
import { DISPLAY_METHOD, notebookHost, type MimeBundle } from '../notebook/host.ts';
import { Stream } from '../core/stream.ts';
import { Trace } from '../recording/trace/trace.ts';
import { textOf } from '../base/value-text.ts';

/** Values that have a live picture. */
export type Inspectable =
  NDArray | Device | Stream | Exchanges | MemoryLog | ObservedCluster | RecordedLaunch | Trace;

/** The tabs of a value's picture. */
export type TabOf<Value> = Value extends NDArray
  ? (typeof ARRAY_TABS)[number]
  : Value extends Trace
    ? (typeof TRACE_TABS)[number]
    : Value extends Exchanges
      ? (typeof EXCHANGES_TABS)[number]
      : never;

/** Type and tabs of each inspectable value. */
const INSPECTABLE: readonly (readonly [
  type: abstract new (...parameters: never[]) => Inspectable,
  tabs: readonly string[]
])[] = [
  [NDArray, ARRAY_TABS],
  [Device, []],
  [Stream, []],
  [Exchanges, EXCHANGES_TABS],
  [MemoryLog, []],
  [ObservedCluster, []],
  [RecordedLaunch, []],
  [Trace, TRACE_TABS]
];

/**
 * Opens a live picture in the running cell. It shows the descriptor, DLPack device, streams and values of an
 * array; the memory and facts of a device; the operations of a stream; which stream waited for which in
 * `exchanges`; the owners of memory in `memoryLog`; what ran where in `trace`; workers and tasks of a
 * cluster. With a kernel and the arguments of a launch it runs the launch with all checks, on copies of the arrays, and shows the memory
 * that each line of the kernel accesses. Prints text outside a notebook.
 * @returns a handle that chooses a tab, places the picture beside the notebook, and closes it
 * @example inspect(w).show('values').place('right')
 * @throws ArgumentError for a value without a live picture
 */
export function inspect<F extends Body>(
  kernel: Kernel<F>,
  shape: LaunchShape,
  ...values: Passed<Parameters<F>>
): Inspection<never>;
export function inspect<Value extends Inspectable>(value: Value): Inspection<TabOf<Value>>;
export function inspect(value: unknown, shape?: unknown, ...values: unknown[]): Inspection {
  if (value instanceof Kernel) return open(value.picture(shape as LaunchShape, ...(values as never[])));
  return open(value as Inspectable);
}

function open<Value extends Inspectable>(value: Value): Inspection<TabOf<Value>> {
  const found = INSPECTABLE.find(([type]) => value instanceof type);
  if (found === undefined) throw new ArgumentError(`inspect: ${refusalOf(value)}`);
  const host = notebookHost();
  const inspection = new Inspection<TabOf<Value>>(found[1] as readonly TabOf<Value>[]);
  if (host !== undefined) host.inspect(value, picture => inspection.attach(picture));
  else printText(value[DISPLAY_METHOD]());
  return inspection;
}

function printText(bundle: MimeBundle | Promise<MimeBundle>): void {
  if (bundle instanceof Promise) void bundle.then(printText);
  else process.stdout.write(`${String(bundle['text/plain'])}\n`);
}

/** Attributes by which arrays of other libraries describe themselves. */
const PROTOCOLS = ['__cuda_array_interface__', '__dlpack__', '__array_interface__'];

/** Returns an error message that names the value and the call that makes an inspectable one from it. */
function refusalOf(value: unknown): string {
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return 'plain values have no live picture: create an array first, with array()';
  if (Object(value) === value && PROTOCOLS.some(name => name in (value as object)))
    return 'an array of another library has no live picture: import it first, with asCudaArray(), fromDlpack() or, from Python, python.asArray()';
  return `${textOf(value)} has no live picture: pass an array, a device, a stream, exchanges, memoryLog, trace, a cluster, or a kernel with the arguments of a launch`;
}

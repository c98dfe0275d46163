/** A trace's record of each operation, decoded from native columns. */

import { TRACE_KINDS } from './kinds.ts';
import { deviceAt, type Device } from '../../core/device.ts';
import type { Shape } from '../../layout/shape.ts';
import type { Access, DriverKind } from '../../native/binding.ts';
import type { NativeTraceRecords } from '../../native/observation-binding.ts';
import { contextOf, labelsOf, type TraceContext, type TraceLabel } from '../../core/context.ts';

/**
 * Kind of operation. `kernel`: a kernel launch; `graph`: a graph launch, whose parts are not distinguished.
 * `stream-wait`: a stream waits for another on the device. `host-wait`: the host waits. `allocation` and `free`: this
 * library's first and last reference to a block of memory, whoever owns it. `label`: a range of `trace.label`.
 */
export type TraceKind = (typeof TRACE_KINDS)[number];

/** Kinds that run on a stream; the others run on the host. */
const ON_DEVICE: ReadonlySet<TraceKind> = new Set(TRACE_KINDS.slice(0, 7));

/** A block of memory that an operation used. */
export interface TraceBlock {
  /** First byte of the block; the operation may use only a part of it. */
  readonly pointer: bigint;
  readonly bytes: number;
  readonly access: Access;
}

/** The array of an operation. */
export interface TraceArray {
  readonly dtype: string;
  readonly shape: Shape;
}

/** The device of an operation, of this process or of a worker of a cluster. */
export interface TraceDevice {
  readonly label: string;
  readonly name: string;
  readonly simulated: boolean;
}

/** One operation. Times are microseconds since the trace was started. */
export interface TraceEvent {
  /** Counted from 0 since the start. */
  readonly number: number;
  readonly kind: TraceKind;
  /** Readable name: `fill`, the name of a kernel, the text of a label. */
  readonly name: string;
  /** Null for a label. */
  readonly device: TraceDevice | null;
  /** The id of the stream; 0 for the stream of asynchronous copies to the host, null if there is no stream. */
  readonly streamId: number | null;
  /** `stream #3`, `legacy default stream`, `transfer stream`; null if there is no stream. */
  readonly stream: string | null;
  /** The id of the awaited stream, if a stream waits for a known one. */
  readonly waitsFor: number | null;
  /** Small number of the submitting thread. */
  readonly thread: number;
  /** Bytes copied or set, or the size of the block; 0 if unknown. */
  readonly bytes: number;
  /** Bytes of all the device's blocks after an allocation or a free; null for other kinds. */
  readonly allocatedBytes: number | null;
  readonly blocks: readonly TraceBlock[];
  readonly array: TraceArray | null;
  /** The notebook cell that submitted it, `In [3]`; null outside a notebook. */
  readonly cell: string | null;
  /** Labels around the submission, outermost first. */
  readonly labels: readonly TraceLabel[];
  /** Time of the submission, or of the wait or label, on the host's clock. */
  readonly hostStart: number;
  readonly hostEnd: number;
  /** Time of the submission on the axis of `start`: `hostStart`, or the host's position in virtual time; null if unknown. */
  readonly submitted: number | null;
  /** Time on the device; null for host operations, incomplete work, and work that the driver did not time. */
  readonly start: number | null;
  readonly end: number | null;
}

/** Numbers per record, in the order in which native/binding/trace_calls.cc writes them. */
const FIELDS = 19;
const DRIVERS: readonly DriverKind[] = ['cuda', 'simulated', 'recording'];
/** Kinds whose array is identified only by the block. */
const MOVES: ReadonlySet<TraceKind> = new Set(TRACE_KINDS.slice(0, 4));

export function streamName(device: Device, id: number): string {
  if (id === 0) return 'transfer stream';
  if (id === device.native.legacyStream().id) return 'legacy default stream';
  if (id === device.native.perThreadStream().id) return 'per-thread default stream';
  return `stream #${id}`;
}

function blocksOf(words: BigUint64Array): TraceBlock[] {
  return Array.from({ length: words.length / 3 }, (_, index) => ({
    pointer: words[3 * index]!,
    bytes: Number(words[3 * index + 1]),
    access: words[3 * index + 2] === 0n ? 'read' : 'write'
  }));
}

function arrayOf(
  kind: TraceKind,
  blocks: readonly TraceBlock[],
  context: TraceContext | undefined
): TraceArray | null {
  const subject = context?.subject;
  if (subject === undefined || !(MOVES.has(kind) || (kind === 'kernel' && subject.kernels))) return null;
  if (!blocks.some(({ pointer }) => pointer === subject.block)) return null;
  return { dtype: subject.dtype, shape: subject.shape };
}

/** Rounds to nanoseconds: the driver reports milliseconds as a float, whose last digits are noise. */
const rounded = (time: number): number => Math.round(time * 1000) / 1000;
const known = (time: number): number | null => (Number.isNaN(time) ? null : rounded(time));

/** Returns true if a record's work was not complete when it was read. */
export function isOpen({ numbers }: NativeTraceRecords, index: number): boolean {
  return numbers[index * FIELDS + 18] === 1;
}

/** Result of `read` at one moment. */
export interface TraceRecords {
  /** Oldest first. */
  readonly events: readonly TraceEvent[];
  readonly dropped: number;
}

/** Decodes the records of a trace; `source` is the number of this environment, whose cells and labels are known here. */
export function readRecords(columns: NativeTraceRecords, source: number): TraceRecords {
  const { numbers, names, operands } = columns;
  let operand = 0;
  const streams = new Map<string, string>();
  const nameOf = (device: Device, id: number): string => {
    const key = `${device.label} ${id}`;
    const name = streams.get(key) ?? streamName(device, id);
    streams.set(key, name);
    return name;
  };
  const events = names.map((name, index): TraceEvent => {
    const field = (at: number): number => numbers[index * FIELDS + at]!;
    const kind = TRACE_KINDS[field(0)]!;
    const driver = DRIVERS[field(1)];
    const device = driver === undefined ? null : deviceAt(driver, field(2));
    const words = operands.subarray(operand, (operand += 3 * field(15)));
    const blocks = blocksOf(words);
    const context = field(6) === source ? contextOf(field(7)) : undefined;
    const virtual = field(17) === 1;
    const streamId = ON_DEVICE.has(kind) || field(3) !== 0 ? field(3) : null;
    return {
      number: field(16),
      kind,
      name,
      device,
      streamId,
      stream: device === null || streamId === null ? null : nameOf(device, streamId),
      waitsFor: field(4) === 0 ? null : field(4),
      thread: field(5),
      bytes: field(8),
      allocatedBytes: kind === 'allocation' || kind === 'free' ? field(9) : null,
      blocks,
      array: arrayOf(kind, blocks, context),
      cell: context?.cell ?? null,
      labels: labelsOf(context),
      hostStart: rounded(field(10)),
      hostEnd: rounded(field(11)),
      submitted: known(field(virtual ? 12 : 10)),
      start: known(field(13)),
      end: known(field(14))
    };
  });
  return { events, dropped: columns.dropped };
}

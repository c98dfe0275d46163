/** What a trace records of each operation, read from the columns of native code. */

import { TRACE_KINDS } from './kinds.ts';
import { deviceAt, type Device } from '../../core/device.ts';
import type { Shape } from '../../layout/shape.ts';
import type { Access, DriverKind } from '../../native/binding.ts';
import type { NativeTraceRecords } from '../../native/observation-binding.ts';
import { contextOf, labelsOf, type TraceContext, type TraceLabel } from '../../core/context.ts';

/**
 * `kernel` is a launch of one kernel, `graph` of a graph, whose parts are not distinguished. `stream-wait`: a stream waits on the device for
 * another. `host-wait`: the host waits. `allocation` and `free`: a block of memory begins and ends to be referenced here, whoever
 * owns it. `label`: a range of `trace.label`.
 */
export type TraceKind = (typeof TRACE_KINDS)[number];

/** Kinds that have a place on a stream; the others are the host's. */
const ON_DEVICE: ReadonlySet<TraceKind> = new Set(TRACE_KINDS.slice(0, 7));

/** A block of memory that an operation used. */
export interface TraceBlock {
  /** First byte of the block, of which the operation may use a part. */
  readonly pointer: bigint;
  readonly bytes: number;
  readonly access: Access;
}

/** The array that an operation was about. */
export interface TraceArray {
  readonly dtype: string;
  readonly shape: Shape;
}

/** One operation. Times are microseconds since the trace was started. */
export interface TraceEvent {
  /** Counted from 0 since the start. */
  readonly number: number;
  readonly kind: TraceKind;
  /** As a person calls it: `fill`, the name of a kernel, the text of a label. */
  readonly name: string;
  /** Null for a label. */
  readonly device: Device | null;
  /** The id of the stream; 0 for the stream of asynchronous copies to the host, null for what is on no stream. */
  readonly streamId: number | null;
  /** `stream #3`, `legacy default stream`, `transfer stream`; null where there is none. */
  readonly stream: string | null;
  /** The id of the stream that is waited for, where a stream waits for one that is known. */
  readonly waitsFor: number | null;
  /** Small number of the thread that submitted it. */
  readonly thread: number;
  /** Bytes that are copied or set, or the length of the block; 0 where unknown. */
  readonly bytes: number;
  /** Bytes of all blocks of the device after an allocation or a free; null for other kinds. */
  readonly allocatedBytes: number | null;
  readonly blocks: readonly TraceBlock[];
  readonly array: TraceArray | null;
  /** The notebook cell that submitted it, `In [3]`; null outside a notebook. */
  readonly cell: string | null;
  /** Labels around the submission, outermost first. */
  readonly labels: readonly TraceLabel[];
  /** The submission, or the wait or the label itself, on the host's clock. */
  readonly hostStart: number;
  readonly hostEnd: number;
  /**
   * The submission on the axis of `start` and `end`: `hostStart`, or the host's place in the virtual time of a simulated device;
   * null where that is not known.
   */
  readonly submitted: number | null;
  /** On the device; null for what is the host's, while the work is not done, and where the driver did not time it. */
  readonly start: number | null;
  readonly end: number | null;
}

/** Numbers a record, in the order in which native/binding/trace_calls.cc writes them. */
const FIELDS = 19;
const DRIVERS: readonly DriverKind[] = ['cuda', 'simulated', 'recording'];
/** Kinds whose array is known by the block alone. */
const MOVES: ReadonlySet<TraceKind> = new Set([
  'copy-host-to-device',
  'copy-device-to-host',
  'copy-on-device',
  'fill'
]);

function streamName(device: Device, id: number): string {
  if (id === 0) return 'transfer stream';
  if (id === device.native.legacyStream().id) return 'legacy default stream';
  if (id === device.native.perThreadStream().id) return 'per-thread default stream';
  return `stream #${id}`;
}

function blocksOf(words: BigUint64Array): TraceBlock[] {
  return Array.from({ length: words.length / 3 }, (_, index) => ({
    pointer: words[3 * index] as bigint,
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

/** To the nanosecond: the driver reports milliseconds in a float, whose last digits mean nothing. */
const rounded = (time: number): number => Math.round(time * 1000) / 1000;
const known = (time: number): number | null => (Number.isNaN(time) ? null : rounded(time));

/** Whether the work of a record was not done when it was read. */
export function isOpen({ numbers }: NativeTraceRecords, index: number): boolean {
  return numbers[index * FIELDS + 18] === 1;
}

/** What `read` gives at one moment. */
export interface TraceRecords {
  /** Oldest first. */
  readonly events: readonly TraceEvent[];
  readonly dropped: number;
}

/** The records of a trace; `source` is the number of this environment, whose places in the program are known here. */
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
    const field = (at: number): number => numbers[index * FIELDS + at] as number;
    const kind = TRACE_KINDS[field(0)] as TraceKind;
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

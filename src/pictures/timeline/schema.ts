/** Data of a trace's picture, for kernel and page: columns of records, and tables of values that records share. Pure. Times in microseconds. */

import type { TraceProgress } from '../../recording/trace/kinds.ts';

/** Incremented when a field changes its meaning; a view rejects newer versions instead of guessing. */
export const TRACE_PICTURE_VERSION = 1;

/** Where an operation ran: a stream of a device, or a thread of the host. */
export interface TraceLane {
  /** `cuda:0`; null for a thread of the host. */
  readonly device: string | null;
  /** The driver's name of the device; empty for the host. */
  readonly deviceName: string;
  /** `stream #3`, `thread 1`. */
  readonly name: string;
  /** The stream's id or the thread's number. */
  readonly id: number;
  /** Whether its device is simulated, with virtual time. */
  readonly virtual: boolean;
}

/** Values shared by many records. Long texts are truncated. */
export interface TraceFacts {
  /** Index in `TRACE_KINDS`. */
  readonly kind: number;
  readonly name: string;
  /** The notebook cell, `In [3]`. */
  readonly cell: string | null;
  /** The array, `float32 (2, 3)`. */
  readonly array: string | null;
  /** Labels, outermost first. */
  readonly labels: readonly string[];
}

/** Value of a lane column without a lane. */
export const NO_LANE = 0xffff;

/**
 * The columns of a batch, concatenated in its bytes, little-endian. `start` and `duration` are device times, NaN if there are
 * none (yet); for a label they are its range in virtual time. `submitted` and `submitDuration` are the submission on the axis of
 * `start`, and for host operations their whole duration on the host's clock. `bytes`: copied, set, or the size of the block.
 * `lane`: the stream; `host`: the thread; `waits`: the awaited stream: indexes of the batch's lanes. `facts`: index of its facts.
 */
export const TRACE_COLUMNS = {
  start: Float64Array,
  submitted: Float64Array,
  bytes: Float64Array,
  duration: Float32Array,
  submitDuration: Float32Array,
  number: Uint32Array,
  facts: Uint32Array,
  lane: Uint16Array,
  host: Uint16Array,
  waits: Uint16Array
} as const;

export type TraceColumns = {
  readonly [Name in keyof typeof TRACE_COLUMNS]: InstanceType<(typeof TRACE_COLUMNS)[Name]>;
};

export const TRACE_RECORD_BYTES = Object.values(TRACE_COLUMNS).reduce(
  (sum, { BYTES_PER_ELEMENT }) => sum + BYTES_PER_ELEMENT,
  0
);

/** Creates the columns of `count` records over `buffer`, whose length is `count` times {@link TRACE_RECORD_BYTES}. */
export function traceColumns(buffer: ArrayBuffer, count: number): TraceColumns {
  let offset = 0;
  const columns = Object.entries(TRACE_COLUMNS).map(([name, Type]) => {
    const column = new Type(buffer, offset, count);
    offset += column.byteLength;
    return [name, column];
  });
  return Object.fromEntries(columns) as TraceColumns;
}

/** A batch of records; their columns are sent as a buffer. */
export interface TraceBatch {
  readonly count: number;
  readonly lanes: readonly TraceLane[];
  readonly facts: readonly TraceFacts[];
}

/** The records of a page without a kernel: the longest and the latest. */
export interface TracePicture extends TraceProgress {
  readonly version: number;
  readonly batch: TraceBatch;
  /** The columns of the batch, as base64. */
  readonly columns: string;
}

/**
 * What a picture of a trace needs to know: records as columns, and tables of what many records have in common. The one schema shared by
 * kernel and page. Pure; imports neither Node nor the DOM. Times are microseconds since the trace was started.
 */

import type { TraceProgress } from '../../recording/trace/kinds.ts';

/** Raised when a field changes its meaning; a view that meets a newer number says so instead of guessing. */
export const TRACE_PICTURE_VERSION = 1;

/** Where something ran: a stream of a device, or a thread of the host. */
export interface TraceLane {
  /** `cuda:0`; null for a thread of the host. */
  readonly device: string | null;
  /** What the driver calls the device; empty for the host. */
  readonly deviceName: string;
  /** `stream #3`, `thread 1`. */
  readonly name: string;
  /** The id of the stream, the number of the thread. */
  readonly id: number;
  /** Whether its device is simulated, whose time is virtual. */
  readonly virtual: boolean;
}

/** What many records have in common. Long texts are cut. */
export interface TraceFacts {
  /** Index in `TRACE_KINDS`. */
  readonly kind: number;
  readonly name: string;
  /** `In [3]`. */
  readonly cell: string | null;
  /** `float32 (2, 3)`. */
  readonly array: string | null;
  /** Outermost first. */
  readonly labels: readonly string[];
}

/** Stands in a column of lanes where there is none. */
export const NO_LANE = 0xffff;

/**
 * The columns of a batch, one after the other in its bytes, little-endian. `start` and `duration` are the device's, NaN where there are
 * none (yet); of a label they are its range in virtual time. `submitted` and `submitDuration` are the submission on the axis of `start`, and
 * for what is the host's alone the whole of it on the host's clock. `bytes`: copied, set, or the length of the block. `lane`: the stream;
 * `host`: the thread; `waits`: the stream that is waited for: indices of the batch's lanes. `facts`: index of its facts.
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

/** Bytes of one record. */
export const TRACE_RECORD_BYTES = Object.values(TRACE_COLUMNS).reduce(
  (sum, { BYTES_PER_ELEMENT }) => sum + BYTES_PER_ELEMENT,
  0
);

/** The columns of `count` records over `buffer`, whose length is `count` times {@link TRACE_RECORD_BYTES}. */
export function traceColumns(buffer: ArrayBuffer, count: number): TraceColumns {
  let offset = 0;
  const columns = Object.entries(TRACE_COLUMNS).map(([name, Type]) => {
    const column = new Type(buffer, offset, count);
    offset += column.byteLength;
    return [name, column];
  });
  return Object.fromEntries(columns) as TraceColumns;
}

/** Some records; their columns travel beside it. */
export interface TraceBatch {
  readonly count: number;
  readonly lanes: readonly TraceLane[];
  readonly facts: readonly TraceFacts[];
}

/** All that a page without a kernel has: the longest records and the latest. */
export interface TracePicture extends TraceProgress {
  readonly version: number;
  readonly batch: TraceBatch;
  /** The columns of the batch, as base64. */
  readonly columns: string;
}

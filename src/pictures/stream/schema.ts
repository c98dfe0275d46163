/** Data of a stream's picture as plain JSON, for kernel and page. Pure. Times are microseconds on the trace's axis, sizes bytes. */

/** Incremented when a field changes its meaning; a view rejects other versions instead of guessing. */
export const STREAM_PICTURE_VERSION = 1;

/** State of a stream. `held`: a simulated device has work that nothing has ordered yet. `failed`: the driver returns an error. */
export type StreamCondition = 'idle' | 'busy' | 'held' | 'capturing' | 'destroyed' | 'failed';

/** The last operation of another stream that later work waits for. */
export interface StreamOrder {
  readonly label: string;
  readonly sequence: number;
}

export interface StreamOperation {
  /** Number of the record, from 0 since the trace was started. */
  readonly number: number;
  /** `kernel`, `fill`, `copy-host-to-device`, `stream-wait`… */
  readonly kind: string;
  readonly name: string;
  readonly bytes: number;
  /** `In [3]`; null outside a notebook. */
  readonly cell: string | null;
  /** Null while unknown. */
  readonly start: number | null;
  readonly duration: number | null;
}

export interface StreamPicture {
  readonly version: number;
  readonly label: string;
  /** `1` and `2` for the default streams, else hexadecimal. */
  readonly handle: string;
  readonly device: string;
  readonly simulated: boolean;
  readonly condition: StreamCondition;
  /** The driver's error; null unless the condition is `failed`. */
  readonly problem: string | null;
  /** Whether this library created the stream, and will destroy it. */
  readonly owned: boolean;
  /** Whether it synchronizes with the legacy default stream. */
  readonly blocking: boolean;
  readonly priority: number;
  /** Range of priorities; lower numbers are greater priorities. */
  readonly priorities: { readonly least: number; readonly greatest: number } | null;
  /** Numbers of the last submitted operation, and of the last one known to be complete. */
  readonly submitted: number;
  readonly completed: number;
  /** Number of submitted waits for other streams. */
  readonly waits: number;
  readonly waitsFor: readonly StreamOrder[];
  readonly tracing: boolean;
  /** The latest traced operations, newest first; empty until requested. */
  readonly operations: readonly StreamOperation[];
}

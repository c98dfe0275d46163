/**
 * What the picture of a stream needs to know, as plain JSON, shared by the kernel half and the page half. Pure types and constants;
 * imports neither Node nor the DOM. Times are microseconds on the trace's axis, sizes bytes.
 */

/** Raised when a field changes its meaning; a view that meets another number says so instead of guessing. */
export const STREAM_PICTURE_VERSION = 1;

/** `held`: a simulated device has work that nothing ordered yet. `failed`: the driver answers with an error. */
export type StreamCondition = 'idle' | 'busy' | 'held' | 'capturing' | 'destroyed' | 'failed';

/** The last operation of another stream that later work waits for. */
export interface StreamOrder {
  readonly label: string;
  readonly sequence: number;
}

/** One operation, as the trace recorded it. */
export interface StreamOperation {
  /** Of the record, from 0 since the trace was started. */
  readonly number: number;
  /** `kernel`, `fill`, `copy-host-to-device`, `stream-wait`… */
  readonly kind: string;
  readonly name: string;
  readonly bytes: number;
  /** `In [3]`; null outside a notebook. */
  readonly cell: string | null;
  /** Null while it is not known. */
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
  /** What the driver said; null unless the condition is `failed`. */
  readonly problem: string | null;
  /** Made here, and destroyed here. */
  readonly owned: boolean;
  /** Whether it synchronises with the legacy default stream. */
  readonly blocking: boolean;
  readonly priority: number;
  /** Lower numbers are greater priorities. */
  readonly priorities: { readonly least: number; readonly greatest: number } | null;
  /** Numbers of the last operation that was submitted, and of the last one known to be complete. */
  readonly submitted: number;
  readonly completed: number;
  /** How many waits for other streams were submitted. */
  readonly waits: number;
  readonly waitsFor: readonly StreamOrder[];
  /** Whether the trace records now. */
  readonly tracing: boolean;
  /** The latest operations that the trace knows, newest first; empty until somebody asks for them. */
  readonly operations: readonly StreamOperation[];
}

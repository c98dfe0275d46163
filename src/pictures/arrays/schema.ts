/** Messages to the sidebar about a notebook's arrays, over a separate comm, in the format of `live-messages.ts`. Pure. */

/** The comm target that the page opens on the notebook's connection. */
export const ARRAYS_TARGET = 'stridelab.arrays';

/** A page ignores a kernel with a greater version. */
export const ARRAYS_VERSION = 1;

/** Minimum polling interval of the devices, in ms. */
export const LEAST_POLL_PERIOD = 500;

export type ArrayState = 'idle' | 'busy' | 'freed';

export interface ArrayEntry {
  /** Identifies the array object while the comm is open. */
  readonly id: number;
  /** Expressions that refer to it, shortest first: `x`, `model.w`, `xs[3]`, `cache.get("k")`. At most a few. */
  readonly names: readonly string[];
  readonly dtype: string;
  readonly shape: readonly number[];
  /** `cuda:0` or `sim:0`. */
  readonly device: string;
  /** Id of the stream that its work is submitted to. */
  readonly stream: number;
  /** Whether any stream has pending work on its memory. */
  readonly state: ArrayState;
  /** Bytes of its elements. */
  readonly bytes: number;
  /** Id shared by all arrays whose memory overlaps; `blockBytes` is the size of that memory. */
  readonly block: number;
  readonly blockBytes: number;
  readonly memory: 'device' | 'pinned' | 'managed';
  readonly readOnly: boolean;
  /** Owner of external memory, as part of a sentence such as `torch (Python)`; null for the library's memory. */
  readonly origin: string | null;
}

/** One device, in bytes. */
export interface DeviceEntry {
  readonly label: string;
  /** The driver's name of the device. */
  readonly name: string;
  readonly simulated: boolean;
  readonly total: number;
  readonly free: number;
  /** Bytes held by the kernel's memory managers, and those of them that only wait to be released. */
  readonly held: number;
  readonly waiting: number;
  /** Why the driver reports no memory figures, which are then 0. */
  readonly problem: string | null;
}

export interface StreamEntry {
  readonly id: number;
  readonly label: string;
  readonly device: string;
  readonly state: 'idle' | 'busy' | 'destroyed';
}

/** Content of a push: the changes since the previous one. */
export interface ArraysChange {
  readonly version: number;
  /** Whether earlier entries must be dropped. */
  readonly first: boolean;
  /** New or changed entries. */
  readonly set: readonly ArrayEntry[];
  /** Ids of arrays that no variable refers to any more. */
  readonly removed: readonly number[];
  /** Null if they did not change. */
  readonly devices: readonly DeviceEntry[] | null;
  readonly streams: readonly StreamEntry[] | null;
  /** False while further parts of the same scan follow. */
  readonly complete: boolean;
  /** Whether the scan was limited by the kernel. Null if this was not a full scan. */
  readonly truncated: boolean | null;
}

/** Where work runs: a device by its label, or a stream by its id. */
export type Place = { readonly device: string } | { readonly stream: number };

/** Requests of the page, by method: their parameters, and the content of the answer. */
export interface ArraysRequests {
  /** Sets whether the panel is visible: otherwise nothing is scanned. */
  readonly watch: { readonly visible: boolean; readonly period?: number };
  readonly refresh: Record<string, never>;
  /** Returns a MIME bundle that shows the live picture of an array, a device or a stream. */
  readonly inspect: { readonly id: number } | Place;
  /** Waits until all submitted work is complete, without blocking the kernel's cells. */
  readonly synchronize: Place;
  /** Disposes the arrays with those ids, or all arrays. */
  readonly free: { readonly ids?: readonly number[] };
  /** Returns what the notebook's arrays hold, whether or not the panel is visible. */
  readonly summary: Record<string, never>;
}

/** Answer to `free`. */
export interface FreeOutcome {
  readonly freed: number;
  readonly bytes: number;
  /** Names of arrays that still use memory of disposed arrays. */
  readonly remaining: readonly string[];
}

/** Answer to `synchronize`. */
export interface SynchronizeOutcome {
  /** Time from the kernel's handling of the request until all work was complete. */
  readonly microseconds: number;
}

/** Answer to `summary`. */
export interface ArraysSummary {
  readonly arrays: number;
  readonly bytes: number;
}

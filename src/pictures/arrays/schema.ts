/**
 * What the sidebar is told of a notebook's arrays, over a comm of its own. Pure types and constants; imports neither Node nor the DOM.
 * Requests and answers travel as those of pictures do: see `live-messages.ts`.
 */

/** The comm target that the page opens on the notebook's connection. */
export const ARRAYS_TARGET = 'stridelab.arrays';

/** A page shows nothing of a kernel whose number is greater. */
export const ARRAYS_VERSION = 1;

/** Shortest polling interval of the devices, in ms. */
export const LEAST_POLL_PERIOD = 500;

export type ArrayState = 'idle' | 'busy' | 'freed';

export interface ArrayEntry {
  /** Of the array object, for as long as the comm stands. */
  readonly id: number;
  /** How code reaches it, the shortest first: `x`, `model.w`, `xs[3]`, `cache.get("k")`. A few of them. */
  readonly names: readonly string[];
  readonly dtype: string;
  readonly shape: readonly number[];
  /** `cuda:0` or `sim:0`. */
  readonly device: string;
  /** Of the stream that its work goes to. */
  readonly stream: number;
  /** Whether any stream has work pending on its memory. */
  readonly state: ArrayState;
  /** Of its elements. */
  readonly bytes: number;
  /** One number for all arrays whose memory overlaps; `blockBytes` is the size of that memory. */
  readonly block: number;
  readonly blockBytes: number;
  readonly memory: 'device' | 'pinned' | 'managed';
  readonly readOnly: boolean;
  /** Who owns memory that is not the library's: a sentence part such as `torch (Python)`; null for its own. */
  readonly origin: string | null;
}

/** One device, in bytes. */
export interface DeviceEntry {
  readonly label: string;
  /** As the driver names it. */
  readonly name: string;
  readonly simulated: boolean;
  readonly total: number;
  readonly free: number;
  /** Bytes that memory managers of the kernel hold, and those of them that only wait to be released. */
  readonly held: number;
  readonly waiting: number;
  /** Why the driver does not tell how full it is: then the figures are 0. */
  readonly problem: string | null;
}

export interface StreamEntry {
  readonly id: number;
  readonly label: string;
  readonly device: string;
  readonly state: 'idle' | 'busy' | 'destroyed';
}

/** Content of a push: what changed since the one before. */
export interface ArraysChange {
  readonly version: number;
  /** Forget what was told before. */
  readonly first: boolean;
  /** Entries that are new or changed. */
  readonly set: readonly ArrayEntry[];
  /** Ids of arrays that no variable reaches any more. */
  readonly gone: readonly number[];
  /** Null where they did not change. */
  readonly devices: readonly DeviceEntry[] | null;
  readonly streams: readonly StreamEntry[] | null;
  /** False while further parts of one look are on their way. */
  readonly complete: boolean;
  /** There is more than is looked at: the limits are in the kernel. Null where this is no look at everything. */
  readonly truncated: boolean | null;
}

/** Where work runs: a device by its label, or a stream by its id. */
export type Place = { readonly device: string } | { readonly stream: number };

/** What the page may ask, by method: its parameters, and the content of the answer. */
export interface ArraysRequests {
  /** The panel is seen, or is not: nothing is looked at then. */
  readonly watch: { readonly visible: boolean; readonly period?: number };
  /** Reads everything again. */
  readonly refresh: Record<string, never>;
  /** A bundle that shows the live picture of an array, a device or a stream. */
  readonly inspect: { readonly id: number } | Place;
  /** Waits until all that was submitted there is done, without holding up the kernel's cells. */
  readonly synchronize: Place;
  /** Disposes the arrays, all of them where no ids are given. */
  readonly free: { readonly ids?: readonly number[] };
  /** What the notebook's arrays hold, whether the panel is seen or not. */
  readonly summary: Record<string, never>;
}

/** Answers `free`. */
export interface FreeOutcome {
  readonly freed: number;
  /** Bytes of memory that went with them. */
  readonly bytes: number;
  /** Names of arrays that still use memory of which a part was to be freed. */
  readonly remaining: readonly string[];
}

/** Answers `synchronize`. */
export interface SynchronizeOutcome {
  /** From when the kernel came to it until all was done. */
  readonly microseconds: number;
}

/** Answers `summary`. */
export interface ArraysSummary {
  readonly arrays: number;
  readonly bytes: number;
}

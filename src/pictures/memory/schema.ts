/**
 * What the picture of memory needs to know, shared by the kernel half and the page half. Pure types and constants; imports neither
 * Node nor the DOM. Sizes are bytes, times milliseconds since the log was started. Addresses are numbers: device memory is aligned
 * to more than a double drops of an address.
 */

import type { MemoryLogState } from '../../recording/memory/state.ts';

/** Raised when a field changes its meaning. */
export const MEMORY_PICTURE_VERSION = 1;

/** Numbers of an allocation's row, in their order. `-1` stands for what is not there or not known. */
export const ALLOCATION_FIELDS = [
  'id',
  /** Index in the picture's devices. */
  'device',
  /** Index in {@link ALLOCATION_KINDS}. */
  'kind',
  'pointer',
  /** What it takes, and what was asked for. */
  'bytes',
  'requested',
  /** Number and time of the event that made it; -1 for what was there before the log. */
  'made',
  'madeAt',
  /** Number and time of the event that ended it; -1 while it is alive. */
  'gone',
  'goneAt',
  /** Indexes in the rows' texts. */
  'stream',
  'cell',
  'stack',
  'what',
  /** Who keeps it: variables, as `a (view b)`, or what is known where there is none. */
  'owner',
  /** 1 where the owner is a variable. */
  'named'
] as const;

/** `borrowed`: memory of another library or process that arrays here lie over; it counts nowhere. */
export const ALLOCATION_KINDS = ['device', 'managed', 'borrowed'] as const;

/** Numbers of a segment's row: a stretch that a pool holds of a device. */
export const SEGMENT_FIELDS = ['id', 'device', 'pointer', 'bytes', 'made', 'gone'] as const;

/** Numbers of a failed request's row. `largest` is the largest hole in pools; `reason` and the rest are indexes in the texts. */
export const FAILURE_FIELDS = [
  'number',
  'device',
  'at',
  'bytes',
  'free',
  'pooled',
  'largest',
  'cell',
  'stack',
  'reason'
] as const;

export type AllocationField = (typeof ALLOCATION_FIELDS)[number];
export type SegmentField = (typeof SEGMENT_FIELDS)[number];
export type FailureField = (typeof FAILURE_FIELDS)[number];

/** Rows of numbers as records of them, by field. */
export function decodeRows<Field extends string>(
  fields: readonly Field[],
  numbers: ArrayLike<number>
): Record<Field, number>[] {
  return Array.from({ length: Math.floor(numbers.length / fields.length) }, (_, row) => {
    const decoded = {} as Record<Field, number>;
    for (const [column, field] of fields.entries())
      decoded[field] = numbers[row * fields.length + column] as number;
    return decoded;
  });
}

/** Rows one after the other. */
export interface MemoryRows<Numbers extends ArrayLike<number> = readonly number[]> {
  /** Texts that the rows refer to by index; a stack is its frames, innermost first, a line each. */
  readonly texts: readonly string[];
  readonly allocations: Numbers;
  readonly segments: Numbers;
  readonly failures: Numbers;
}

export interface MemoryDevice {
  readonly label: string;
  /** As the driver names it. */
  readonly name: string;
  readonly simulated: boolean;
  /** Why the driver tells no figures, of a device that is lost: free, used and kept are 0 then. Absent where it does. */
  readonly problem?: string;
  readonly total: number;
  /** Free as the driver counts. */
  readonly free: number;
  /** In use through this library now, as managers count: blocks that are handed out. */
  readonly used: number;
  /** Given back, and released when the device and the event loop come to it. Absent in pictures that older versions saved. */
  readonly waiting?: number;
  /** What managers hold beyond both, for later requests. */
  readonly kept: number;
  /** The largest free block in pools, and all free blocks in them; null where a pool does not tell. */
  readonly largest: number | null;
  readonly holes: number | null;
  /** Most bytes in use at one time since the log was started, and the event after which; null without a log. */
  readonly peak: number | null;
  readonly peakAfter: number | null;
  /** Managers in use, by class name. */
  readonly managers: readonly string[];
  /** Bytes in use over time, thinned: time, bytes, time, bytes. */
  readonly history: readonly number[];
}

export interface MemoryPicture {
  readonly version: number;
  readonly state: MemoryLogState;
  /** Another number after each start, when what a page knows is worth nothing any more. */
  readonly start: number;
  /** Milliseconds since the start, at this picture. */
  readonly now: number;
  /** Number of the first event that is still known, of the next one, and how many are forgotten. */
  readonly first: number;
  readonly next: number;
  readonly dropped: number;
  readonly devices: readonly MemoryDevice[];
  /** What is alive now, largest first, as far as it has room; and more of the past if all of it has. */
  readonly rows: MemoryRows;
  /** Whether the rows are all that is known. */
  readonly complete: boolean;
  /** Allocations that are alive and not among the rows. */
  readonly omitted: number;
}

/**
 * Request `rows` with `{ start, after }`: what changed at event `after` and later. The answer's content has these, and its buffers
 * hold allocations, segments and failures as doubles. `names` are of all that is alive: id, index of the owner in the texts, named.
 */
export interface MemoryRowsAnswer {
  readonly start: number;
  /** Whether the rows are all that is known, not only what changed. */
  readonly whole: boolean;
  readonly first: number;
  readonly next: number;
  readonly texts: readonly string[];
  readonly names: readonly number[];
}

/** Data of the memory picture, for kernel and page. Pure. Sizes are bytes, times milliseconds, addresses numbers (their lowest bits are zero). */

import type { MemoryLogState } from '../../recording/memory/state.ts';

/** Incremented when a field changes its meaning. */
export const MEMORY_PICTURE_VERSION = 1;

/** Fields of an allocation's row, in order. `-1` means absent or unknown. */
export const ALLOCATION_FIELDS = [
  'id',
  /** Index in the picture's devices. */
  'device',
  /** Index in {@link ALLOCATION_KINDS}. */
  'kind',
  'pointer',
  /** Bytes allocated, and bytes requested. */
  'bytes',
  'requested',
  /** Number and time of the event that made it; -1 for allocations made before the log. */
  'made',
  'madeAt',
  /** Number and time of the event that ended it; -1 while it is live. */
  'freed',
  'freedAt',
  /** Indexes in the rows' texts. */
  'stream',
  'cell',
  'stack',
  'what',
  /** Owner: variables, as `a (view b)`, or a description if there is none. */
  'owner',
  /** 1 if the owner is a variable. */
  'named'
] as const;

/** `borrowed`: external memory that arrays here view; not counted in any sum. */
export const ALLOCATION_KINDS = ['device', 'managed', 'borrowed'] as const;

/** Fields of a segment's row: a memory range that a pool holds on a device. */
export const SEGMENT_FIELDS = ['id', 'device', 'pointer', 'bytes', 'made', 'freed'] as const;

/** Fields of a failed request's row. `largest` is the largest hole in pools; `reason` and later fields are indexes in the texts. */
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

/** Decodes rows of numbers into objects by field. */
export function decodeRows<Field extends string>(
  fields: readonly Field[],
  numbers: ArrayLike<number>
): Record<Field, number>[] {
  return Array.from({ length: Math.floor(numbers.length / fields.length) }, (_, row) => {
    const decoded = {} as Record<Field, number>;
    for (const [column, field] of fields.entries()) decoded[field] = numbers[row * fields.length + column]!;
    return decoded;
  });
}

/** Concatenated rows. */
export interface MemoryRows<Numbers extends ArrayLike<number> = readonly number[]> {
  /** Texts that the rows refer to by index; a stack has one line per frame, innermost first. */
  readonly texts: readonly string[];
  readonly allocations: Numbers;
  readonly segments: Numbers;
  readonly failures: Numbers;
}

export interface MemoryDevice {
  readonly label: string;
  /** The driver's name of the device. */
  readonly name: string;
  readonly simulated: boolean;
  /** Why the driver of a lost device reports no figures: free, used and kept are then 0. Otherwise absent. */
  readonly problem?: string;
  readonly total: number;
  /** Free bytes according to the driver. */
  readonly free: number;
  /** Bytes in use through this library, as managers count: allocated blocks. */
  readonly used: number;
  /** Released blocks that wait for the device or the event loop. Absent in pictures saved by older versions. */
  readonly waiting?: number;
  /** Further bytes that managers keep for later requests. */
  readonly kept: number;
  /** The largest free block in pools, and the sum of all; null if a pool does not report it. */
  readonly largest: number | null;
  readonly holes: number | null;
  /** Peak of bytes in use since the log was started, and its event; null without a log. */
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
  /** Changes with each start, which invalidates what a page knows. */
  readonly start: number;
  /** Milliseconds from the start to this picture. */
  readonly now: number;
  /** Number of the oldest kept event, of the next one, and how many were dropped. */
  readonly first: number;
  readonly next: number;
  readonly dropped: number;
  readonly devices: readonly MemoryDevice[];
  /** Live allocations, largest first, as many as fit; and past ones if all of those fit. */
  readonly rows: MemoryRows;
  readonly complete: boolean;
  /** Number of live allocations that are not among the rows. */
  readonly omitted: number;
}

/**
 * Answer to the request `rows` with `{ start, after }`: changes at event `after` and later. Its buffers contain allocations,
 * segments and failures as doubles. `names` covers all live allocations: id, index of the owner in the texts, named.
 */
export interface MemoryRowsAnswer {
  readonly start: number;
  /** Whether the rows are complete, rather than only the changes. */
  readonly whole: boolean;
  readonly first: number;
  readonly next: number;
  readonly texts: readonly string[];
  readonly names: readonly number[];
}

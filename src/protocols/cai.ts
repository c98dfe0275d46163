/** The CUDA Array Interface between JavaScript objects: its names, its values, and what each version has. Rules 1 to 14, 66 to 71. */

import type { Descr } from '../dtype/dtype.ts';
import type { Shape } from '../layout/shape.ts';
import type { Strides } from '../layout/strides.ts';

export const CAI = '__cuda_array_interface__';
/** Registry twin of the member's name: a class may implement it and keep its surface clean. Looked up first. */
export const CAI_SYMBOL = Symbol.for('cai.__cuda_array_interface__');

export type CaiVersion = 0 | 1 | 2 | 3;
/** The newest version that is written and read here (rule 4). */
export const CAI_VERSION = 3;

/** What a version has beyond shape, typestr, data, strides and descr (rules 6 to 8). */
export interface VersionFeatures {
  /** Validity of the elements; below it the key means nothing. */
  readonly mask: boolean;
  /** Whether the text says what a missing stream means: nothing is pending. Older versions are silent (rule 10). */
  readonly synchronization: boolean;
}

/** By version. Version 2 clarified strides of C-contiguous and zero-size arrays, which every version is read by. */
export const CAI_VERSIONS: Readonly<Record<CaiVersion, VersionFeatures>> = {
  0: { mask: false, synchronization: false },
  1: { mask: true, synchronization: false },
  2: { mask: true, synchronization: false },
  3: { mask: true, synchronization: true }
};

/** The `event` entry beside `stream`, an extension (docs/spec/event-entry.md). Unaware consumers ignore it (rule 11). */
export interface EventEntry {
  /** Version of the extension. */
  readonly version: 1;
  /** CUevent as an address, valid while the exporting object lives. */
  readonly handle: bigint;
  /**
   * Tells the producer that work submitted so far has an event behind it: its next write waits for that event. The event must
   * be valid until the call returns. Null where the consumer must order its work before `stream` itself.
   */
  readonly release: ((consumerEvent: bigint) => void) | null;
}

/** The value of `__cuda_array_interface__`: a snapshot, to be read anew after further work (rule 83). */
export interface CudaArrayInterface {
  /** Non-negative integers; empty for a 0-d array (rule 15). */
  readonly shape: Shape;
  readonly typestr: string;
  /** Address of the first logical element, 0n when empty (rules 55, 58), and whether the consumer must not write (rule 60). */
  readonly data: readonly [pointer: bigint, readOnly: boolean];
  readonly version: CaiVersion;
  /** Bytes per axis, null when C-contiguous (rules 18, 19). */
  readonly strides: Strides | null;
  /** What the consumer must wait for: null nothing, 1 legacy default stream, otherwise a stream's address (rules 66 to 71). From version 3. */
  readonly stream?: bigint | 1 | null;
  /** Fields of a record (rules 45, 46). */
  readonly descr?: Descr;
  /** Validity of the elements, itself an array; absent where all are valid. From version 1 (rules 49, 50). */
  readonly mask?: { readonly [CAI]: CudaArrayInterface | undefined };
  readonly event?: EventEntry;
}

/** The interface of a value, by its symbol or its name; undefined where it has none. */
export function interfaceOf(value: unknown): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  const members = value as Record<string | symbol, unknown>;
  const found = members[CAI_SYMBOL] ?? members[CAI] ?? undefined;
  // A producer that wants no side effects of a look may make it a method (rule 13).
  return typeof found === 'function' ? (found as () => unknown).call(value) : found;
}

/** The CUDA Array Interface between JavaScript objects: its names, its values, and the keys of each version. Rules 1 to 14, 66 to 71. */

import type { Descr } from '../dtype/dtype.ts';
import type { Shape } from '../layout/shape.ts';
import type { Strides } from '../layout/strides.ts';

export const CAI = '__cuda_array_interface__';
/**
 * The symbol form of `__cuda_array_interface__`, from the global symbol registry. Looked up before the string name, so that a class can
 * implement the interface without a visible property.
 */
export const CAI_SYMBOL = Symbol.for('cai.__cuda_array_interface__');

export const CAI_VERSIONS = [0, 1, 2, 3] as const;
/** A version of the CUDA Array Interface. */
export type CaiVersion = (typeof CAI_VERSIONS)[number];
/** The newest supported version (rule 4). */
export const CAI_VERSION = 3;

/** The first version with a mask; in older ones the key is ignored (rules 6 to 8). */
export const FIRST_WITH_MASK = 1;
/** The first version in which a missing stream means that nothing is pending (rule 10). */
export const FIRST_WITH_SYNCHRONIZATION = 3;

/** The `event` entry beside `stream`, an extension (docs/spec/event-entry.md). Other consumers ignore it (rule 11: unknown keys). */
export interface EventEntry {
  /** The version of the extension. */
  readonly version: 1;
  /** The address of a CUevent, valid while the exporting object lives. */
  readonly handle: bigint;
  /**
   * Passes the producer an event recorded after the consumer's work; the producer's next write waits for it. The event must be valid until
   * the call returns. Null if the consumer must order its work before `stream` itself.
   */
  readonly release: ((consumerEvent: bigint) => void) | null;
}

/**
 * The value of `__cuda_array_interface__`: a snapshot that consumers must read again after further work (rule 83: re-read the descriptor).
 */
export interface CudaArrayInterface {
  /** The lengths of the axes, non-negative integers; empty for a 0-d array (rule 15: shape). */
  readonly shape: Shape;
  /** The element type, for example `<f4` (rule 43: the form of a typestr). */
  readonly typestr: string;
  /** The address of the first logical element, 0n if empty, and whether the consumer must not write (rules 55 to 60: the data entry). */
  readonly data: readonly [pointer: bigint, readOnly: boolean];
  /** The version of the interface that the descriptor follows. */
  readonly version: CaiVersion;
  /** Byte strides; null means C-contiguous (rule 19: null strides). */
  readonly strides: Strides | null;
  /**
   * The stream that consumers must synchronize with: null for none, 1 for the legacy default stream, 2 for the per-thread default stream,
   * otherwise a CUstream's address (rules 66 to 71: the stream entry). Present from version 3.
   */
  readonly stream?: bigint | 1 | null;
  /** The fields of a structured dtype (rules 45, 46: `descr`). */
  readonly descr?: Descr;
  /**
   * The validity of the elements, as an object with the interface; absent if all are valid. Present from version 1 (rules 49, 50: masks).
   */
  readonly mask?: { readonly [CAI]: CudaArrayInterface | undefined };
  /** An event to wait for instead of the stream; an extension (docs/spec/event-entry.md). */
  readonly event?: EventEntry;
}

/** Returns the descriptor of a value, by its symbol or its name; undefined if it has none. */
export function interfaceOf(value: unknown): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  const members = value as Record<string | symbol, unknown>;
  const found = members[CAI_SYMBOL] ?? members[CAI] ?? undefined;
  // A producer may make it a method, so that inspecting the object has no side effects (rule 13).
  return typeof found === 'function' ? (found as () => unknown).call(value) : found;
}

/**
 * The CUDA Array Interface, version 3, producer side. Rule numbers count the project's checklist of the interface
 * (`docs/conformance.md`).
 */

import type { DType } from '../dtype/dtype.ts';
import { DTypeError } from '../errors.ts';
import type { Shape } from '../layout/shape.ts';
import { isRowMajor, type Strides } from '../layout/strides.ts';
import type { Storage } from '../memory/storage.ts';
import { Stream } from '../stream.ts';

export const CAI_VERSION = 3;

/** The value of `__cuda_array_interface__`: a snapshot, to be read anew after further work (rule 83). */
export interface CudaArrayInterface {
  /** Non-negative integers; empty for a 0-d array (rule 15). */
  readonly shape: Shape;
  readonly typestr: string;
  /** Address of the first logical element, 0n when empty (rules 55, 58), and whether the consumer must not write (rule 60). */
  readonly data: readonly [pointer: bigint, readOnly: boolean];
  readonly version: typeof CAI_VERSION;
  /** Bytes per axis, null when C-contiguous (rules 18, 19). */
  readonly strides: Strides | null;
  /** What the consumer must wait for: null nothing, 1 legacy default stream, otherwise a stream's address (rules 66 to 71). */
  readonly stream: bigint | 1 | null;
}

/** What an exported descriptor is made of. */
export interface ExportedArray {
  readonly shape: Shape;
  readonly dtype: DType;
  readonly storage: Storage;
  /** Pointer and read-only flag. @throws FreedError */
  readonly exportedData: readonly [pointer: bigint, readOnly: boolean];
  /** As `exportedStrides` gives them. */
  readonly exportedStrides: Strides | null;
  readonly exportedReadOnly: boolean;
}

/** The descriptor of an array. Joins pending work of several streams into one, on the device (rule 80). */
export function describeForExport(array: ExportedArray): CudaArrayInterface {
  const { typestr } = array.dtype;
  if (typestr === null) {
    throw new DTypeError(`${array.dtype.name} has no typestr (rule 44): exchange it by DLPack`);
  }
  return Object.freeze({
    shape: array.shape,
    typestr,
    data: array.exportedData,
    version: CAI_VERSION,
    strides: array.exportedStrides,
    stream: exportedHandle(joinForExport(array.storage, array.exportedReadOnly))
  });
}

/** Null for C-contiguous and for empty arrays, otherwise the byte strides (rules 19, 27). */
export function exportedStrides(shape: Shape, strides: Strides, itemsize: number): Strides | null {
  return isRowMajor(shape, strides, itemsize) ? null : strides;
}

/** The `stream` entry for a stream; 0 is never exported (rule 68). */
export function exportedHandle(stream: Stream | null): bigint | 1 | null {
  if (stream === null) return null;
  return stream.handle === 1n ? 1 : stream.handle;
}

/**
 * The stream that an export would name, without recording anything: the one with the latest pending use that matters,
 * else the latest use at all, so that a reader sees which stream an array lives on; null when it is destroyed or nothing ran.
 */
export function streamForExport(storage: Storage, readOnly: boolean): Stream | null {
  const uses = storage.uses();
  const pending = uses.filter(use => !use.complete && !(readOnly && use.access === 'read'));
  const latest = (pending.length > 0 ? pending : uses).at(-1);
  if (latest === undefined || latest.stream.destroyed) return null;
  return latest.stream;
}

function joinForExport(storage: Storage, readOnly: boolean): Stream | null {
  // Whatever lived on one stream needs no join, and no look at what is pending: waiting for that stream is right.
  const sole = storage.soleStream;
  if (sole === undefined) return null;
  if (sole !== null && !sole.destroyed && sole.handle !== 2n) return sole;
  const stream = storage.join(readOnly) ?? streamForExport(storage, readOnly);
  if (stream === null || stream.handle !== 2n) return stream;
  // Handle 2 names another stream in another thread (rule 70): export the legacy stream, made to wait for ours.
  const legacy = Stream.legacyDefault(stream.device);
  legacy.wait(stream);
  return legacy;
}

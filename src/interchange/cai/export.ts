/**
 * Exports arrays through the CUDA Array Interface. Rules (`docs/conformance.md`) 1, 3, 4, 12 to 14, 19, 30,
 * 44, 49, 55, 60, 66 to 71, 78 to 84.
 */

import type { NDArray } from '../../array/array.ts';
import type { DType } from '../../dtype/dtype.ts';
import { opaqueTypestr } from '../../dtype/typestr.ts';
import { ArgumentError, DTypeError, ValueError } from '../../base/errors.ts';
import type { Shape } from '../../layout/shape.ts';
import { type Strides } from '../../layout/strides.ts';
import type { Storage, Use } from '../../memory/storage.ts';
import { exchangeObserver } from '../observer.ts';
import { Stream } from '../../core/stream.ts';
import { caiDTypeRefusal } from '../convert.ts';
import { makeEventEntry } from './event-entry.ts';
import {
  CAI_VERSION,
  CAI_VERSIONS,
  FIRST_WITH_MASK,
  type CaiVersion,
  type CudaArrayInterface
} from '../../protocols/cai.ts';
import { caiSettings } from '../settings.ts';

/** The properties of an array from which a descriptor is made. */
export interface ExportedArray {
  readonly shape: Shape;
  readonly dtype: DType;
  readonly storage: Storage;
  /** Pointer and read-only flag. @throws FreedError */
  readonly exportedData: readonly [pointer: bigint, readOnly: boolean];
  /** Null for C-contiguous and for empty arrays, otherwise byte strides (rules 19, 27). */
  readonly exportedStrides: Strides | null;
  readonly exportedReadOnly: boolean;
  readonly mask: NDArray | null;
}

/** Options of `exportCudaArrayInterface`. */
export interface ExportOptions {
  /** The version of the interface (rule 12: versions); by default that of STRIDELAB_CAI_EXPORT_VERSION, otherwise 3. */
  readonly version?: CaiVersion | undefined;
  /**
   * False leaves the stream out of the descriptor: the consumer does not wait, and the caller is responsible for ordering (rule 78: opting
   * out).
   */
  readonly stream?: boolean | undefined;
  /** True exports a type without a typestr as opaque bytes, `<V2` or `|V1` (rule 44: types without a typestr). */
  readonly opaque?: boolean | undefined;
  /** True adds the `event` entry beside the stream (docs/spec/event-entry.md). */
  readonly event?: boolean | undefined;
}

/** Returns the value of the property, with the environment's version and stream; undefined if there is no typestr (rules 14, 44). */
export function describeForExport(array: ExportedArray): CudaArrayInterface | undefined {
  const { current } = exchangeObserver;
  return current === null
    ? propertyOf(array)
    : current.interfaceRead(array, array.storage, () => propertyOf(array));
}

function propertyOf(array: ExportedArray): CudaArrayInterface | undefined {
  const { typestr, fields } = array.dtype;
  const settings = caiSettings();
  if (typestr === null) return undefined;
  if (
    fields !== null ||
    array.mask !== null ||
    !settings.exportStream ||
    settings.exportVersion < CAI_VERSION
  )
    return makeDescriptor(array, {});
  return Object.freeze({
    shape: array.shape,
    typestr,
    data: array.exportedData,
    version: CAI_VERSION,
    strides: array.exportedStrides,
    stream: exportedHandle(joinForExport(array.storage, array.exportedReadOnly))
  });
}

/**
 * Returns the CUDA Array Interface descriptor of an array, for a given version. Joins pending work of several streams into one, on the
 * device (rule 80: one stream in the descriptor). Versions below 3 cannot name a stream, so the legacy default stream, which their
 * consumers use, waits instead.
 * @throws DTypeError for a type without a typestr, unless `opaque`
 * @throws ValueError for a masked array and version 0, whose consumers would treat every element as valid
 * @throws FreedError
 */
export function exportCudaArrayInterface(
  array: ExportedArray,
  options: ExportOptions = {}
): CudaArrayInterface {
  const { current } = exchangeObserver;
  return current === null
    ? makeDescriptor(array, options)
    : current.interfaceRead(array, array.storage, () => makeDescriptor(array, options));
}

function makeDescriptor(array: ExportedArray, options: ExportOptions): CudaArrayInterface {
  const settings = caiSettings();
  const { dtype, storage, mask } = array;
  const version = options.version ?? settings.exportVersion;
  if (!CAI_VERSIONS.includes(version))
    throw new ValueError(`version is ${version}, expected 0, 1, 2 or 3 (rule 12: versions)`);
  const typestr = dtype.typestr ?? (options.opaque === true ? opaqueTypestr(dtype) : null);
  if (typestr === null) throw new DTypeError(caiDTypeRefusal(dtype) ?? dtype.name);
  if (mask !== null && version < FIRST_WITH_MASK)
    throw new ValueError(
      `version ${version} of the interface has no mask: export version 1 or newer (rule 12: versions)`
    );
  const data = array.exportedData; // throws for a freed array before anything is recorded
  const named = options.stream ?? settings.exportStream;
  const stream = named ? joinForExport(storage, array.exportedReadOnly) : null;
  const outside = stream !== null && !stream.capturing; // a capture orders nothing outside its graph (rule 84)
  if (version < CAI_VERSION && outside && stream.handle !== 1n)
    Stream.legacyDefault(stream.device).wait(stream);
  const withEvent = options.event === true && outside && version === CAI_VERSION;
  return Object.freeze({
    shape: array.shape,
    typestr,
    data,
    version,
    strides: array.exportedStrides,
    ...(version < CAI_VERSION ? {} : { stream: exportedHandle(stream) }),
    ...(dtype.descr === null ? {} : { descr: dtype.descr }),
    ...(mask === null ? {} : { mask }),
    ...(withEvent ? { event: makeEventEntry(storage, stream, array.exportedReadOnly) } : {})
  });
}

/** Returns the `stream` entry for a stream; 0 is never exported (rule 68). */
export function exportedHandle(stream: Stream | null): bigint | 1 | null {
  return stream === null ? null : stream.exported;
}

/**
 * Returns the stream that an export would name, without recording anything: that of the latest relevant pending use,
 * otherwise of the latest use, to show which stream an array is on; null if it is destroyed or nothing ran.
 */
export function streamForExport(
  storage: Storage,
  readOnly: boolean,
  uses: readonly Use[] = storage.uses()
): Stream | null {
  const pending = uses.filter(use => !use.complete && !(readOnly && use.access === 'read'));
  const latest = (pending.length > 0 ? pending : uses).at(-1);
  if (latest === undefined || latest.stream.destroyed) return null;
  return latest.stream;
}

function joinForExport(storage: Storage, readOnly: boolean): Stream | null {
  // Memory used on a single stream needs no join and no query: waiting for that stream suffices.
  const sole = storage.soleStream;
  if (sole === undefined) return null;
  if (sole !== null && sole.exported !== null && !sole.destroyed) return sole;
  const stream = storage.join(readOnly) ?? streamForExport(storage, readOnly);
  if (stream === null || stream.handle !== 2n) return stream;
  if (stream.capturing)
    throw new ArgumentError(
      'the per-thread default stream is being captured, and no other stream may wait for it: export after the capture (rule 70: stream 2)'
    );
  // Handle 2 names another stream in another thread (rule 70): export the legacy stream, which waits for this one.
  const legacy = Stream.legacyDefault(stream.device);
  legacy.wait(stream);
  return legacy;
}

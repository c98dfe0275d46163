/**
 * The DLPack protocol between JavaScript objects: what a producer offers and a consumer requests (docs/spec/javascript-interchange.md).
 * Rules 141 to 161.
 */

import { ArgumentError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';
import type { Stream } from '../core/stream.ts';
import type { DLDevice } from './dlpack-device.ts';

/** Registry symbols for the string members, for classes without visible properties. Looked up first. */
export const DLPACK = Symbol.for('dlpack.__dlpack__');
export const DLPACK_DEVICE = Symbol.for('dlpack.__dlpack_device__');
/** The exchange table, on an array class. */
export const DLPACK_EXCHANGE = Symbol.for('dlpack.__dlpack_c_exchange_api__');

/** Members by which the exchange table of this library reaches its arrays; not part of the protocol. */
export const EXCHANGE_RECORD = Symbol.for('stridelab.exchange.record');
export const EXCHANGE_ADOPT = Symbol.for('stridelab.exchange.adopt');
export const EXCHANGE_ADOPT_ARRAY = Symbol.for('stridelab.exchange.adopt-array');
export const EXCHANGE_ALLOCATE = Symbol.for('stridelab.exchange.allocate');

/** A version of DLPack: major and minor. */
export type DLPackVersion = readonly [major: number, minor: number];

/** The newest supported version, which `fromDlpack` requests. */
export const DLPACK_VERSION: DLPackVersion = Object.freeze([1, 3] as const);

/** Options of `__dlpack__`. Null and undefined mean Python's None; unknown keys are ignored. */
export interface DlpackOptions {
  /**
   * The consumer's stream: the data will be ready for work submitted to it after the call. CUDA: null or 1 is the legacy default stream, 2
   * the per-thread default stream, -1 no synchronization, otherwise a handle; 0 is refused. Host memory: null (rules 151 to 155: the stream
   * argument).
   */
  readonly stream?: bigint | number | Stream | null | undefined;
  /** The newest version that the consumer reads; null requests the unversioned struct of 0.x (rule 143: `max_version`). */
  readonly maxVersion?: DLPackVersion | null | undefined;
  /** The device that the data must be on; null keeps it where it is (rules 147 to 149: `dl_device`). */
  readonly dlDevice?: DLDevice | null | undefined;
  /** True always copies, false never copies, null copies only if necessary (rule 150: `copy`). */
  readonly copy?: boolean | null | undefined;
}

/** An object with `__dlpack__` and `__dlpack_device__`, under these names or the registry symbols. */
export interface DlpackProducer {
  /** Returns a capsule over the object's memory. */
  __dlpack__(options?: DlpackOptions): unknown;
  /** Returns the device type and id of the object's memory. */
  __dlpack_device__(): DLDevice;
}

type Member = (options?: DlpackOptions) => unknown;

/** Returns the two methods of a producer, bound to it; null for a value that lacks one. */
export function producerOf(value: unknown): { export: Member; device: Member } | null {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return null;
  const members = value as Record<string | symbol, unknown>;
  const exporter = members[DLPACK] ?? members['__dlpack__'];
  const device = members[DLPACK_DEVICE] ?? members['__dlpack_device__'];
  if (typeof exporter !== 'function' || typeof device !== 'function') return null;
  return {
    export: options => Reflect.apply(exporter as Member, value, [options]),
    device: () => Reflect.apply(device as Member, value, [])
  };
}

/** Checks a version. @throws ArgumentError for anything but two whole numbers */
export function checkVersion(value: unknown): DLPackVersion {
  if (
    Array.isArray(value) &&
    value.length === 2 &&
    value.every(part => Number.isInteger(part) && part >= 0)
  ) {
    return value as unknown as DLPackVersion;
  }
  throw new ArgumentError(`maxVersion is ${textOf(value)}, expected [major, minor] or null`);
}

/** Exports arrays as capsules: `__dlpack__`. Rules 111 to 121, 137 to 158. */

import type { NDArray } from '../../array/array.ts';
import type { DLDataType } from '../../dtype/dtype.ts';
import { ArgumentError, BufferError, CopyRequiredError } from '../../base/errors.ts';
import { exchangeObserver } from '../observer.ts';
import { native } from '../../native/load.ts';
import { Stream } from '../../core/stream.ts';
import {
  dlpackDTypeRefusal,
  dlpackMaskRefusal,
  dlpackStrideRefusal,
  minorFor,
  needsPaddedFlag
} from '../convert.ts';
import { DLPackCapsule } from '../../protocols/capsule.ts';
import {
  DLDeviceType,
  dlpackDevice,
  formatDlpackDevice,
  HOST,
  isDlpackDevice,
  isHost,
  sameDevice,
  type DLDevice
} from '../../protocols/dlpack-device.ts';
import { FLAG, writeFields } from './fields.ts';
import { copyTo } from './settle.ts';
import {
  checkVersion,
  DLPACK_VERSION,
  type DlpackOptions,
  type DLPackVersion
} from '../../protocols/dlpack.ts';
import { streamRequest } from './streams.ts';
import { deviceFor, memoryKind } from './targets.ts';

/** Returns the struct version to export; null for the unversioned struct (rule 143). */
function versionFor(wanted: DlpackOptions['maxVersion']): DLPackVersion | null {
  if (wanted === null || wanted === undefined) return null;
  const [major, minor] = checkVersion(wanted);
  if (major < DLPACK_VERSION[0]) return null;
  // A consumer of a higher major version must check the version that it receives (rule 143).
  return major > DLPACK_VERSION[0] || minor >= DLPACK_VERSION[1] ? DLPACK_VERSION : [major, minor];
}

/**
 * Makes a capsule over the array's memory, or over a copy. Order is kept on the device: the call blocks the host only if the data
 * goes to the host.
 * @throws BufferError for what DLPack or the requested version cannot express, and for unreachable devices (rules 131, 144, 147)
 * @throws CopyRequiredError if `copy: false` cannot be satisfied
 * @throws ArgumentError for invalid options, such as stream 0 (rule 155)
 * @throws FreedError
 */
export function exportDlpack(array: NDArray, options: DlpackOptions = {}): DLPackCapsule {
  if (
    typeof options !== 'object' ||
    options === null ||
    options instanceof Stream ||
    Array.isArray(options)
  ) {
    throw new ArgumentError(
      '__dlpack__: expected one object, { stream, maxVersion, dlDevice, copy } (rule 142: options)'
    );
  }
  const { current } = exchangeObserver;
  return current === null
    ? makeCapsule(array, options)
    : current.capsuleAsked(array, options, () => makeCapsule(array, options));
}

function makeCapsule(array: NDArray, options: DlpackOptions): DLPackCapsule {
  const { storage } = array;
  const version = versionFor(options.maxVersion);
  const triple = requireForm(array);
  requireVersion(array, triple, version);
  const own = dlpackDevice(storage);
  const target = options.dlDevice ?? own;
  if (target !== own && !isDlpackDevice(target))
    throw new ArgumentError('dlDevice: expected [type, id] or null');
  const copy = copyNeeded(options.copy, target, own);
  if (copy) return exportCopy(array, options, own, target, version);
  if (array.exportedReadOnly && version === null)
    throw new BufferError(
      'a read-only array needs maxVersion [1, 0] or newer: the unversioned struct would let its consumer write (rule 137: read-only)'
    );
  requireStrides(array);
  const order = options.stream instanceof Stream ? options.stream : streamRequest(target[0], options.stream);
  orderConsumer(array, order);
  return pack(array, triple, target, version, array.exportedReadOnly ? FLAG.READ_ONLY : 0);
}

/** Returns the DLPack type. @throws BufferError if no version or copy can express the array (rules 49, 131) */
function requireForm({ dtype, mask }: NDArray): DLDataType {
  const masked = dlpackMaskRefusal(mask);
  if (masked !== null) throw new BufferError(masked);
  if (dtype.dlpack === null) throw new BufferError(dlpackDTypeRefusal(dtype) ?? dtype.name);
  return dtype.dlpack;
}

/** Checks the strides. @throws BufferError for byte strides that are not multiples of the element size (rule 120) */
function requireStrides({ dtype, shape, strides }: NDArray): void {
  const refusal = dlpackStrideRefusal(dtype, shape, strides);
  if (refusal !== null) throw new BufferError(refusal);
}

/**
 * Returns a view for a consumer in this library, with the checks and the order of an export but without a capsule.
 * @throws BufferError, FreedError
 */
export function lendDlpack(array: NDArray, stream: Stream): NDArray {
  const { current } = exchangeObserver;
  return current === null
    ? lend(array, stream)
    : current.lent('dlpack', array, stream, () => lend(array, stream));
}

function lend(array: NDArray, stream: Stream): NDArray {
  requireForm(array);
  requireStrides(array);
  orderConsumer(array, stream);
  return array.onStream(stream);
}

/** Checks the version. @throws BufferError if the requested version does not support the dtype (rule 144) */
function requireVersion(array: NDArray, triple: DLDataType, version: DLPackVersion | null): void {
  const minor = minorFor(triple);
  const padded = needsPaddedFlag(array.dtype);
  if (minor === 0 && !padded) return;
  const needed = Math.max(minor, padded ? 1 : 0);
  if (version !== null && version[1] >= needed) return;
  throw new BufferError(
    `${array.dtype.name} needs DLPack 1.${needed}, the consumer asked for ${version === null ? 'the unversioned struct' : version.join('.')} (rule 144)`
  );
}

/** Returns true if a copy is needed. @throws CopyRequiredError */
function copyNeeded(copy: boolean | null | undefined, target: DLDevice, own: DLDevice): boolean {
  if (copy === true) return true;
  if (target === own) return false;
  // The host can read pinned and managed memory directly (rule 148).
  const readable = own[0] === DLDeviceType.kDLCUDAHost || own[0] === DLDeviceType.kDLCUDAManaged;
  if (sameDevice(target, own) || (readable && sameDevice(target, HOST))) return false;
  if (copy !== false) return true;
  throw new CopyRequiredError(
    `copy: false, but ${formatDlpackDevice(own)} to ${formatDlpackDevice(target)} requires a copy (rule 144: requests)`
  );
}

/** Makes the consumer's stream wait for the array's work, and later work on the array wait for the consumer's. */
function orderConsumer(array: NDArray, order: Stream | bigint | 'none' | 'host'): void {
  if (order === 'none') return;
  const { storage } = array;
  const access = array.exportedReadOnly ? 'read' : 'write';
  if (order === 'host') {
    if (storage.soleStream !== undefined) native().dlpack.waitForUses(storage.native, access === 'read');
    return;
  }
  if (order instanceof Stream) {
    // A consumer of this library notes its own uses.
    if (storage.soleStream !== undefined && storage.soleStream !== order) storage.prepare(order, access);
    return;
  }
  const stream = Stream.fromHandle(order, array.device);
  storage.prepare(stream, access);
  // An external stream may be destroyed at any time, so only a stream that we own is remembered (rule 162).
  if (stream.native.owned || order === 1n || order === 2n) storage.recordUse(stream, access);
}

/** Exports a copy, made on the consumer's stream or on the host (rules 147, 149, 150). */
function exportCopy(
  array: NDArray,
  options: DlpackOptions,
  own: DLDevice,
  target: DLDevice,
  version: DLPackVersion | null
): DLPackCapsule {
  const device = sameDevice(target, own) ? array.device : deviceFor(target);
  const order = options.stream instanceof Stream ? options.stream : streamRequest(target[0], options.stream);
  const stream =
    order instanceof Stream && order.device === device
      ? order
      : typeof order === 'bigint'
        ? Stream.fromHandle(order, device)
        : array.device === device
          ? array.stream
          : Stream.legacyDefault(device);
  const kind = memoryKind(target[0]) ?? 'device';
  const copy = copyTo(array, device, kind, stream);
  try {
    if (isHost(target[0])) native().dlpack.waitForUses(copy.storage.native, true);
    return pack(copy, copy.dtype.dlpack as DLDataType, target, version, FLAG.IS_COPIED, array.storage);
  } finally {
    copy.dispose();
  }
}

function pack(
  array: NDArray,
  triple: DLDataType,
  device: DLDevice,
  version: DLPackVersion | null,
  flags: number,
  source = array.storage
): DLPackCapsule {
  const { fields } = native().dlpack;
  const { storage, dtype, shape, strides, offset } = array;
  const bits = needsPaddedFlag(dtype) ? flags | FLAG.SUBBYTE_PADDED : flags;
  writeFields(fields, version, bits, device, triple, offset, shape, strides, dtype.itemsize);
  const readOnly = array.readOnly && (flags & FLAG.IS_COPIED) === 0;
  return new DLPackCapsule(version, { storage, dtype, shape, strides, offset, readOnly }, source);
}

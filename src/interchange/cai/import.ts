/** Imports arrays without a copy: `asCudaArray` and `fromCudaArrayInterface`. Rules 5 to 11, 50 to 77, 91 to 96. */

import { NDArray } from '../../array/array.ts';
import { toDevice } from '../../core/device.ts';
import {
  ArgumentError,
  DescriptorError,
  DeviceError,
  DTypeError,
  StridelabError
} from '../../base/errors.ts';
import { Event } from '../../core/event.ts';
import { exchangeObserver, recorded, type ExchangeObserver, type InterfaceImport } from '../observer.ts';
import { maskFor } from '../../array/mask.ts';
import { Storage, type ForeignMemory } from '../../memory/storage.ts';
import type { Stream } from '../../core/stream.ts';
import { isForeignObject, TAKE_ARRAY } from '../foreign.ts';
import { swapped } from './byte-order.ts';
import { parseDescriptor, type ParsedDescriptor, type ReadOptions } from './descriptor.ts';
import { settleOrder, type Order, type OrderOptions } from '../order.ts';
import { placeOf, validateStrictly, type Place, type PlaceOptions } from './place.ts';
import { interfaceOf } from '../../protocols/cai.ts';
import { caiSettings, type Validation } from '../settings.ts';

/** Options of `asCudaArray`. */
export interface ImportOptions extends OrderOptions, PlaceOptions, ReadOptions {
  /** The stream of the new array; by default the legacy default stream of its device. */
  readonly stream?: Stream | undefined;
  /** How much is checked; by default the value of STRIDELAB_CAI_VALIDATE, otherwise `structure`. */
  readonly validate?: Validation | undefined;
  /**
   * What happens to big-endian data: `native` refuses it, `swap` copies it through the host into the device's byte order (rule 42: byte
   * order).
   */
  readonly byteOrder?: 'native' | 'swap' | undefined;
}

/** Options of `fromCudaArrayInterface`. */
export interface DescriptorImportOptions extends ImportOptions {
  /** An object kept alive until the array is freed and its device work is done (rule 92: lifetime of a bare descriptor). */
  readonly owner?: unknown;
  /** Called once when the array and its views are disposed and their device work is done; not if they are only collected. */
  readonly released?: (() => void) | undefined;
}

/**
 * Imports the memory of an object with `__cuda_array_interface__`, a JavaScript or a Python object, without a copy, and keeps the object
 * alive (rule 91: lifetime of the producer). For an array of this library, returns a view on the given stream. The descriptor is a
 * snapshot: import again after the producer submits more work (rule 83: re-read the descriptor).
 * @throws DescriptorError, DTypeError, ShapeError for an invalid descriptor; each names the key or the rule
 * @throws DeviceError for memory of another device than the requested one
 * @throws ArgumentError for a value without the interface
 */
export function asCudaArray(value: object, options: ImportOptions = {}): NDArray {
  if (value instanceof NDArray) return viewOfOwn(value as NDArray, options);
  if (isForeignObject(value)) return value[TAKE_ARRAY]('cuda-array-interface', options);
  const { current } = exchangeObserver;
  if (current === null) return importDescriptor(readInterface(value), value, options, null, null);
  return recordImport(current, value, () => readInterface(value), value, options, null);
}

function readInterface(value: object): unknown {
  const descriptor = interfaceOf(value);
  if (descriptor !== undefined && descriptor !== null) return descriptor;
  const isDescriptor = typeof value === 'object' && value !== null && 'typestr' in value;
  throw new ArgumentError(
    isDescriptor
      ? 'asCudaArray: the value is a descriptor: pass it to fromCudaArrayInterface, with its owner'
      : 'asCudaArray: the value has no __cuda_array_interface__'
  );
}

/**
 * Imports memory from a bare CUDA Array Interface descriptor, without a copy. Pass the object that holds the memory as `owner`; without it,
 * the caller must keep the memory and the named stream until the array is freed and its work is done (rule 92: lifetime of a bare
 * descriptor).
 */
export function fromCudaArrayInterface(descriptor: object, options: DescriptorImportOptions = {}): NDArray {
  const { owner = null, released = null } = options;
  const { current } = exchangeObserver;
  if (current === null) return importDescriptor(descriptor, owner, options, released, null);
  return recordImport(current, null, () => descriptor, owner, options, released);
}

/** Imports a descriptor while exchanges are recorded. `producer` is null for a bare descriptor. */
function recordImport(
  observer: ExchangeObserver,
  producer: object | null,
  read: () => unknown,
  owner: unknown,
  options: ImportOptions,
  released: (() => void) | null
): NDArray {
  return recorded(observer.beginInterfaceImport(producer), exchange => {
    const descriptor = read();
    exchange.described(descriptor);
    return { array: importDescriptor(descriptor, owner, options, released, exchange) };
  }).array;
}

function viewOfOwn(array: NDArray, options: ImportOptions): NDArray {
  const { stream } = options;
  const wanted = options.device === undefined ? stream?.device : toDevice(options.device);
  if (wanted !== undefined && wanted !== array.device)
    throw new DeviceError(
      `the array is on ${array.device.toString()}, not on ${wanted.toString()} (rule 62: device)`
    );
  // The storage notes every use and orders each new one, so nothing is ordered here.
  const consumer = stream ?? array.stream;
  const { current } = exchangeObserver;
  const view = (): NDArray => array.onStream(consumer);
  return current === null ? view() : current.lent('cai', array, consumer, view);
}

function importDescriptor(
  descriptor: unknown,
  owner: unknown,
  options: ImportOptions,
  released: (() => void) | null,
  exchange: InterfaceImport | null
): NDArray {
  return importParsed(parseDescriptor(descriptor, options), owner, options, released, exchange);
}

/** Imports the memory of a descriptor that is already parsed. */
export function importParsed(
  parsed: ParsedDescriptor,
  owner: unknown,
  options: ImportOptions,
  released: (() => void) | null,
  exchange: InterfaceImport | null
): NDArray {
  const level = options.validate ?? caiSettings().validate;
  if (parsed.swaps.length > 0 && options.byteOrder !== 'swap')
    throw new DTypeError(
      `${parsed.dtype.name} is big-endian: swap the bytes in the producer, or pass byteOrder: 'swap' (rule 42: byte order)`
    );
  const place = placeOf(parsed, options, level);
  if (level === 'strict') validateStrictly(parsed, place.device);
  const order = settleOrder(parsed, place.device, options);
  exchange?.settled(parsed, order, options, place.device);
  const mask = parsed.mask === null ? null : importMask(parsed.mask, parsed, place, order, options);
  try {
    const array = arrayOver(parsed, place, order, { owner, released }, mask);
    return parsed.swaps.length === 0 ? array : swapped(array, parsed.swaps);
  } catch (error) {
    mask?.dispose();
    throw error;
  }
}

function arrayOver(
  parsed: ParsedDescriptor,
  place: Place,
  order: Order,
  { owner, released }: Pick<ForeignMemory, 'owner' | 'released'>,
  mask: NDArray | null
): NDArray {
  const { extent, pointer, shape, strides, dtype, readOnly } = parsed;
  const storage = Storage.foreign({
    device: place.device,
    pointer: extent.start === 0 ? pointer : pointer + BigInt(extent.start),
    bytes: extent.end - extent.start,
    kind: place.kind,
    owner,
    pending: order.pending,
    producer: order.producer,
    releasing: order.giveBack === null ? null : () => giveBack(storage, order),
    released
  });
  return new NDArray(storage, dtype, { shape, strides, offset: -extent.start }, order.stream, readOnly, mask);
}

/** Passes the producer an event recorded after every use, for which its next write waits (docs/spec/event-entry.md). */
function giveBack(storage: Storage, { giveBack: release, stream }: Order): void {
  const last = storage.join(false) ?? stream;
  if (release === null || last.destroyed) return; // pending work of a destroyed stream would have been joined
  using event = new Event({ device: storage.device, timing: false });
  last.record(event);
  release(event.handle);
}

/** Imports the mask, an array whose device, version and stream are honoured like those of the data (rule 51). */
function importMask(
  value: object,
  data: ParsedDescriptor,
  place: Place,
  order: Order,
  options: ImportOptions
): NDArray {
  const { sync, validate, unsynchronized, newerVersion } = options;
  try {
    using mask = asCudaArray(value, {
      device: place.device,
      stream: order.stream,
      sync: sync === 'adopt' ? 'event' : sync,
      validate,
      unsynchronized,
      newerVersion
    });
    return maskFor(mask, data.shape);
  } catch (error) {
    if (!(error instanceof StridelabError)) throw error;
    throw new DescriptorError('mask', error.message, { cause: error });
  }
}

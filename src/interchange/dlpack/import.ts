/** Imports arrays from producers and capsules: `fromDlpack`. Rules 107 to 124, 133 to 140, 145, 146, 159 to 168. */

import { NDArray } from '../../array/array.ts';
import { classNameOf } from '../../base/class-name.ts';
import { textOf } from '../../base/value-text.ts';
import { devices, toDevice, type Device, type DeviceLike } from '../../core/device.ts';
import { ArgumentError, BufferError } from '../../base/errors.ts';
import { importRecorded, type TensorImport } from '../observer.ts';
import { Storage } from '../../memory/storage.ts';
import type { NativeDlpack, NativeStorage } from '../../native/binding.ts';
import { native } from '../../native/load.ts';
import { Stream } from '../../core/stream.ts';
import { isForeignObject, TAKE_ARRAY } from '../foreign.ts';
import { DLPackCapsule, isCapsule, isVersioned } from '../../protocols/capsule.ts';
import { lendDlpack } from './export.ts';
import {
  dlpackDevice,
  formatDlpackDevice,
  HOST,
  isDlpackDevice,
  isHost,
  type DLDevice
} from '../../protocols/dlpack-device.ts';
import {
  DLPACK_VERSION,
  producerOf,
  type DlpackOptions,
  type DlpackProducer
} from '../../protocols/dlpack.ts';
import { refuseCopy, settle, type Imported } from './settle.ts';
import { deviceOfTensor, memoryKind } from './targets.ts';
import { TensorReader } from './tensor-reader.ts';

let reader: TensorReader | undefined;

/** Options of `fromDlpack`. */
export interface FromDlpackOptions {
  /** The device of the result; by default the data's own. The simulated device uses host memory, so host data needs no copy for it. */
  readonly device?: DeviceLike | null | undefined;
  /** True always copies, false never copies, null copies only if `device` requires it. */
  readonly copy?: boolean | null | undefined;
  /**
   * The stream of the array, which waits for the producer's work; by default the producer's if it is an array of this library, otherwise
   * the legacy default stream.
   */
  readonly stream?: Stream | undefined;
}

/**
 * Imports the memory of a DLPack producer without a copy: an object with `__dlpack__` and `__dlpack_device__` (or their registry symbols),
 * a Python object, or a bare capsule. A bare capsule names no stream and is taken as ready on the legacy default stream (rule 160). The
 * array keeps the memory until it is freed and its device work is done (rule 163: the deleter). The producer's exceptions are rethrown.
 * @throws BufferError for consumed capsules, unsupported devices, dtypes and versions, and invalid structs
 * @throws CopyRequiredError if `copy: false` cannot be satisfied
 * @throws ArgumentError for a value that is not a producer
 */
export function fromDlpack(
  value: DlpackProducer | DLPackCapsule | object,
  options: FromDlpackOptions = {}
): NDArray {
  const wanted =
    options.device === null || options.device === undefined ? undefined : toDevice(options.device);
  const own = value instanceof NDArray;
  if (!own && isForeignObject(value)) return value[TAKE_ARRAY]('tensor', options);
  const { stream } = options;
  if (stream !== undefined && !(stream instanceof Stream))
    throw new ArgumentError(`stream is ${textOf(stream)}, expected a Stream`);
  const imported = own
    ? importOwn(value as NDArray, stream, options.copy)
    : importRecorded(
        () => (isCapsule(value) ? null : value),
        exchange => importOther(value, options, wanted, exchange)
      );
  return settle(imported, wanted, stream, options.copy);
}

/** Imports an array of this library with its stream objects, which also works for simulated devices. */
function importOwn(value: NDArray, stream: Stream | undefined, copy: boolean | null | undefined): Imported {
  const consumer = stream?.device === value.device ? stream : value.stream;
  if (copy !== true) return { array: lendDlpack(value, consumer), copied: false };
  const request: DlpackOptions = { stream: consumer, maxVersion: DLPACK_VERSION, copy: true };
  return importRecorded(
    () => value,
    exchange => {
      exchange?.asking(request, dlpackDevice(value.storage), consumer);
      return importCapsule(value.__dlpack__(request), consumer, exchange);
    }
  );
}

function importOther(
  value: object,
  options: FromDlpackOptions,
  wanted: Device | undefined,
  exchange: TensorImport | null
): Imported {
  if (value instanceof DLPackCapsule) return importCapsule(value, options.stream, exchange);
  const producer = producerOf(value);
  if (producer === null) {
    if (isCapsule(value)) return importCapsule(value, options.stream, exchange);
    throw new ArgumentError(
      'fromDlpack: expected an object with __dlpack__ and __dlpack_device__, or a DLPack capsule'
    );
  }
  const device: unknown = producer.device();
  if (!isDlpackDevice(device)) throw new BufferError('__dlpack_device__() must give [type, id] (rule 141)');
  exchange?.located(device);
  // If this library cannot use the device's memory, the producer must copy to the host (rules 132, 147).
  const target = memoryKind(device[0]) !== null ? device : HOST;
  const stream = consumerStream(target, options.stream);
  const request: DlpackOptions = {
    maxVersion: DLPACK_VERSION,
    // Host memory has no stream; null makes a producer on the device get its data ready (rules 147, 153).
    stream: isHost(target[0]) ? null : (stream?.handle ?? null),
    ...(target === device ? {} : { dlDevice: HOST }),
    ...(options.copy === null || options.copy === undefined ? {} : { copy: options.copy })
  };
  if (target !== device && options.copy === false) refuseCopy(device, wanted);
  exchange?.asking(request, target, stream);
  const capsule = producer.export(request);
  if (!isCapsule(capsule)) throw new BufferError('__dlpack__() did not return a DLPack capsule (rule 164)');
  return importCapsule(capsule, stream, exchange, classNameOf(value));
}

/** Returns the stream on which the new array will be used (rule 161). */
function consumerStream(device: DLDevice, stream: Stream | undefined): Stream | undefined {
  if (stream !== undefined) return stream;
  if (isHost(device[0])) return undefined;
  const gpus = devices().filter(candidate => !candidate.simulated);
  return gpus.length === 0
    ? undefined
    : Stream.legacyDefault(gpus.find(gpu => gpu.ordinal === device[1]) ?? gpus[0]);
}

/** Imports an array from a capsule of the exchange table. */
export function importExchanged(capsule: object): NDArray {
  return importRecorded(
    () => null,
    exchange => {
      exchange?.unasked();
      return importCapsule(capsule, undefined, exchange);
    }
  ).array;
}

/** Takes the tensor of a capsule, whose deleter then runs exactly once, also after an error (rules 166, 168). */
function importCapsule(
  capsule: object,
  stream: Stream | undefined,
  exchange: TensorImport | null,
  origin = 'elsewhere'
): Imported {
  const { dlpack } = native();
  if (exchange !== null) exchange.taken(capsule, isVersioned(capsule) ? 'dltensor_versioned' : 'dltensor');
  const view = DLPackCapsule.viewOf(capsule);
  const held = DLPackCapsule.nativeOf(capsule);
  if (view !== null && !view.storage.freed) {
    const { storage } = view;
    dlpack.consume(held);
    const onStream = streamOn(storage.device, stream);
    return { array: new NDArray(storage.retain(), view.dtype, view, onStream, view.readOnly), copied: false };
  }
  const address = dlpack.take(held);
  try {
    return importTaken(dlpack, address, stream, origin);
  } finally {
    dlpack.dropTaken();
  }
}

function importTaken(
  dlpack: NativeDlpack,
  address: bigint,
  stream: Stream | undefined,
  origin: string
): Imported {
  reader ??= new TensorReader(dlpack.fields);
  const { copied } = reader;
  if (reader.offset >= 0) return { array: arrayOfOwn(reader, () => dlpack.adoptOwn(), stream), copied };
  const { dtype, shape, strides } = reader.layout();
  const storage = Storage.adopt(adoptForeign(dlpack, reader.device, address), origin);
  const onStream = streamOn(storage.device, stream);
  const view = { shape, strides, offset: -reader.start };
  const array = new NDArray(storage, dtype, view, onStream, reader.readOnly);
  // The producer's work is ordered only before this stream, so other streams wait for this one.
  if (!storage.device.simulated && array.size > 0) storage.recordUse(onStream, 'write');
  return { array, copied };
}

/** Makes the array of a tensor of this library, over the storage that native code keeps in it, which notes every use. */
export function arrayOfOwn(
  tensor: TensorReader,
  adopt: () => NativeStorage,
  stream: Stream | undefined
): NDArray {
  const { dtype, shape, strides } = tensor.layout();
  const { offset, readOnly } = tensor;
  const storage = Storage.adopt(adopt());
  storage.leaveOrderToNative();
  return new NDArray(storage, dtype, { shape, strides, offset }, streamOn(storage.device, stream), readOnly);
}

/** Returns the requested stream if it belongs to the device, otherwise the device's legacy default stream. */
export function streamOn(device: Device, wanted: Stream | undefined): Stream {
  return wanted?.device === device ? wanted : Stream.legacyDefault(device);
}

function adoptForeign(dlpack: NativeDlpack, device: DLDevice, address: bigint): NativeStorage {
  const kind = memoryKind(device[0]);
  if (kind === null)
    throw new BufferError(
      `DLPack tensor on ${formatDlpackDevice(device)}: only host, CUDA, pinned and managed memory can be imported (rules 132, 133)`
    );
  return dlpack.adoptTaken(deviceOfTensor(device, address).native, kind);
}

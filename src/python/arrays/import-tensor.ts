/** Imports Python arrays as DLPack tensors: through the exchange table of their class, or `__dlpack__`. Rules 107 to 176. */

import { NDArray } from '../../array/array.ts';
import type { Device } from '../../core/device.ts';
import { BufferError } from '../../base/errors.ts';
import { arrayOfOwn, streamOn } from '../../interchange/dlpack/import.ts';
import { importRecorded, type TensorImport } from '../../interchange/observer.ts';
import { settleOrder, type Order } from '../../interchange/order.ts';
import { formatDlpackDevice, HOST, type DLDevice } from '../../protocols/dlpack-device.ts';
import { refuseCopy, type Imported } from '../../interchange/dlpack/settle.ts';
import { deviceOfTensor, memoryKind } from '../../interchange/dlpack/targets.ts';
import { TensorReader } from '../../interchange/dlpack/tensor-reader.ts';
import { Storage } from '../../memory/storage.ts';
import type { NativeStorage } from '../../native/binding.ts';
import { native } from '../../native/load.ts';
import type { NativePythonHandle } from '../../native/python-binding.ts';
import { TAKE, type NativePythonImport } from '../../native/python-import-binding.ts';
import { Stream } from '../../core/stream.ts';
import type { AsArrayOptions } from '../interpreter/array-bridge.ts';

type TensorOptions = Omit<AsArrayOptions, 'via'>;

const LEGACY = 1n;
/** The value in place of an offset for memory that is not this library's. */
export const MEMORY = -1;
/** The value in place of an offset for an array of this library. */
const OWN_ARRAY = -2;

let imports: NativePythonImport | undefined;
let reader: TensorReader | undefined;

/** Returns the reader of the fields that native code writes for memory of Python. */
export function fieldsOfPython(): TensorReader {
  imports ??= native().pythonImport;
  return (reader ??= new TensorReader(imports.fields));
}

/** Imports the host memory that the fields describe; `owner` keeps it. */
export function importHost(owner: NativePythonHandle): NDArray {
  const fields = fieldsOfPython();
  try {
    return importForeign(owner, fields, fields.device, undefined, null).array;
  } catch (error) {
    imports?.end(owner);
    throw error;
  }
}

/**
 * Imports a tensor; undefined if the object has none of the routes that `via` (of TAKE) names.
 * @throws PythonError with the producer's exception, BufferError for an invalid tensor or unsupported memory
 */
export function importTensor(
  object: NativePythonHandle,
  options: TensorOptions,
  via: number
): Imported | undefined {
  return importRecorded(
    () => object,
    exchange => importWith(object, options, via, exchange)
  );
}

function importWith(
  object: NativePythonHandle,
  options: TensorOptions,
  via: number,
  exchange: TensorImport | null
): Imported | undefined {
  const reader = fieldsOfPython();
  const imports = native().pythonImport;
  const { stream } = options;
  const consumer = stream === undefined || stream.device.simulated ? undefined : stream;
  const taken = imports.take(object, via, consumer?.handle ?? LEGACY, options.copy ?? undefined);
  if (taken === undefined) return undefined;
  const { offset } = reader;
  exchange?.handedOver(reader.device, consumer);
  if (offset === OWN_ARRAY) return viewOf(taken as NDArray, stream);
  if (offset >= 0) return { array: arrayOfOwn(reader, () => taken as NativeStorage, stream), copied: false };
  const owner = taken as NativePythonHandle;
  const { device } = reader;
  try {
    if (options.copy === false && reader.copied) refuseCopy(device, undefined);
    if (memoryKind(device[0]) !== null) return importForeign(owner, reader, device, stream, exchange);
  } catch (error) {
    imports.end(owner);
    throw error;
  }
  imports.end(owner);
  return importFromElsewhere(object, device, options, via);
}

/** Returns an array of this library that Python had, on the given stream. */
function viewOf(array: NDArray, stream: Stream | undefined): Imported {
  if (stream === undefined || stream.device !== array.device) return { array, copied: false };
  try {
    return { array: array.onStream(stream), copied: false };
  } finally {
    array.dispose();
  }
}

function importForeign(
  owner: NativePythonHandle,
  tensor: TensorReader,
  [type, id]: DLDevice,
  stream: Stream | undefined,
  exchange: TensorImport | null
): Imported {
  const { dtype, shape, strides } = tensor.layout();
  const { start, first, readOnly, copied } = tensor;
  const bytes = tensor.end - start;
  const device = deviceOfTensor([type, id], first);
  const order = device.simulated ? READY : orderOf(bytes, tensor, device, stream);
  if (order.why !== null) exchange?.settled({ ...order, why: order.why });
  const storage = Storage.foreign({
    device,
    pointer: first,
    bytes,
    kind: device.simulated ? 'device' : memoryKind(type),
    owner,
    pending: order.pending,
    producer: order.producer,
    releasing: null,
    released: () => imports?.end(owner)
  });
  const on = order.stream ?? streamOn(device, stream);
  return { array: new NDArray(storage, dtype, { shape, strides, offset: -start }, on, readOnly), copied };
}

interface TensorOrder extends Pick<Order, 'pending' | 'producer'> {
  /** Null for the requested stream, or the default. */
  readonly stream: Stream | null;
  /** Null if the producer handled the order. */
  readonly why: Order['why'] | null;
}

const READY: TensorOrder = Object.freeze({ stream: null, pending: null, producer: null, why: null });

/**
 * Decides the order. The pending stream is the producer's if it came through the table; with `__dlpack__` it
 * is ours, which the producer made wait for its work (rules 154, 176).
 */
function orderOf(
  bytes: number,
  { stream: pending, producer }: TensorReader,
  device: Device,
  stream: Stream | undefined
): TensorOrder {
  if (pending === 0n || bytes === 0) return READY;
  const own = stream?.device === device ? stream : undefined;
  // The producer made a stream of another device wait, so other streams wait for that one.
  if (stream !== undefined && own === undefined && pending === stream.handle)
    return { stream: null, pending: stream, producer: null, why: null };
  const work = { size: bytes, stream: pending, saysWhatIsPending: true, event: null };
  const order = settleOrder(work, device, { stream: own });
  // Without a wait on import, later work does not wait either.
  if (producer === 0n || producer === pending || order.pending === null) return order;
  return { ...order, producer: Stream.fromHandle(producer, device) };
}

/** Imports memory of a device that this library does not support: its producer copies to the host. */
function importFromElsewhere(
  object: NativePythonHandle,
  device: DLDevice,
  options: TensorOptions,
  via: number
): Imported {
  if (options.copy === false) refuseCopy(device, undefined);
  // The methods were already asked for a host copy.
  const copied = via === TAKE.method ? undefined : importTensor(object, options, TAKE.method);
  if (copied !== undefined) return { ...copied, copied: true };
  throw new BufferError(
    `DLPack tensor on ${formatDlpackDevice(device)}, which is not supported, and its producer cannot copy it to ${formatDlpackDevice(HOST)} (rule 147: dlDevice)`
  );
}

/** Arrays of Python that come in as DLPack tensors: by the exchange table of their class, or by `__dlpack__`. Rules 107 to 176. */

import { NDArray } from '../array.ts';
import type { Device } from '../device.ts';
import { BufferError } from '../errors.ts';
import { settleOrder, type Order } from '../interchange/cai/order.ts';
import { formatDlpackDevice, HOST } from '../interchange/dlpack/device.ts';
import {
  FLAG,
  readFields,
  readWords,
  type TensorFields,
  type TensorWords
} from '../interchange/dlpack/fields.ts';
import { refuseCopy, type Imported } from '../interchange/dlpack/settle.ts';
import { memoryKind } from '../interchange/dlpack/targets.ts';
import { deviceOfTensor, layoutOf } from '../interchange/dlpack/tensor.ts';
import { sizeOf } from '../layout/shape.ts';
import { Storage } from '../memory/storage.ts';
import type { NativeStorage } from '../native/binding.ts';
import { native } from '../native/load.ts';
import type { NativePythonHandle } from '../native/python-binding.ts';
import { TAKE, type NativePythonImport } from '../native/python-import-binding.ts';
import { Stream } from '../stream.ts';
import type { AsArrayOptions } from './array-bridge.ts';

const LEGACY = 1n;

let imports: NativePythonImport | undefined;
let words: BigUint64Array | undefined;

/**
 * Undefined where the object has none of the ways that `via` (of TAKE) names.
 * @throws PythonError with what the producer raised, BufferError for a tensor that makes no sense or that memory here cannot hold
 */
export function importTensor(
  object: NativePythonHandle,
  options: AsArrayOptions,
  via: number
): Imported | undefined {
  imports ??= native().pythonImport;
  words ??= new BigUint64Array(imports.fields.buffer as ArrayBuffer);
  const { stream } = options;
  const consumer = stream === undefined || stream.device.simulated ? undefined : stream;
  const taken = imports.take(object, via, consumer?.handle ?? LEGACY, options.copy ?? undefined);
  if (taken === undefined) return undefined;
  if (taken instanceof NDArray) return viewOf(taken, stream);
  const tensor = readFields(imports.fields);
  if (tensor.offset >= 0) return importOwn(taken as NativeStorage, tensor, stream);
  const owner = taken as NativePythonHandle;
  try {
    if (options.copy === false && (tensor.flags & FLAG.IS_COPIED) !== 0) refuseCopy(tensor.device, undefined);
    if (memoryKind(tensor.device[0]) !== null) return importForeign(owner, tensor, readWords(words), stream);
  } catch (error) {
    imports.end(owner);
    throw error;
  }
  imports.end(owner);
  return importFromElsewhere(object, tensor, options, via);
}

/** An array of ours that Python had. */
function viewOf(array: NDArray, stream: Stream | undefined): Imported {
  if (stream === undefined || stream.device !== array.device) return { array, copied: false };
  try {
    return { array: array.onStream(stream), copied: false };
  } finally {
    array.dispose();
  }
}

/** A tensor of this library that was in Python: the same storage, which knows every use. */
function importOwn(taken: NativeStorage, tensor: TensorFields, stream: Stream | undefined): Imported {
  const { dtype, shape, strides } = layoutOf(tensor);
  const storage = Storage.adopt(taken);
  storage.leaveOrderToNative();
  const on = stream?.device === storage.device ? stream : Stream.legacyDefault(storage.device);
  const readOnly = (tensor.flags & FLAG.READ_ONLY) !== 0;
  return {
    array: new NDArray(storage, dtype, { shape, strides, offset: tensor.offset }, on, readOnly),
    copied: false
  };
}

function importForeign(
  owner: NativePythonHandle,
  tensor: ReturnType<typeof readFields>,
  pending: TensorWords,
  stream: Stream | undefined
): Imported {
  const { dtype, shape, strides } = layoutOf(tensor);
  const { first } = pending;
  const device = deviceOfTensor(tensor.device, first);
  const { start, end } = tensor.extent;
  const size = sizeOf(shape);
  const order = orderOf(size, pending, device, stream);
  const storage = Storage.foreign({
    device,
    pointer: first,
    bytes: end - start,
    kind: device.simulated ? 'device' : memoryKind(tensor.device[0]),
    owner,
    pending: order.pending,
    producer: order.producer,
    releasing: null,
    released: () => imports?.end(owner)
  });
  const readOnly = (tensor.flags & FLAG.READ_ONLY) !== 0;
  const array = new NDArray(storage, dtype, { shape, strides, offset: -start }, order.stream, readOnly);
  return { array, copied: (tensor.flags & FLAG.IS_COPIED) !== 0 };
}

/**
 * The pending stream is the producer's where it came by the table, and by `__dlpack__` the one that the producer made wait for its work:
 * ours (rules 154, 176).
 */
function orderOf(
  size: number,
  { stream: pending, producer }: TensorWords,
  device: Device,
  stream: Stream | undefined
): Pick<Order, 'stream' | 'pending' | 'producer'> {
  const own = stream?.device === device ? stream : undefined;
  if (pending === 0n || size === 0)
    return { stream: own ?? Stream.legacyDefault(device), pending: null, producer: null };
  // A stream of another device was made to wait: that is what any other one then waits for.
  if (stream !== undefined && own === undefined && pending === stream.handle)
    return { stream: Stream.legacyDefault(device), pending: stream, producer: null };
  const work = { size, stream: pending, saysWhatIsPending: true, event: null };
  const order = settleOrder(work, device, { stream: own });
  // Without waits nothing waits on the way back either.
  if (producer === 0n || producer === pending || order.pending === null) return order;
  return { ...order, producer: Stream.fromHandle(producer, device) };
}

/** Memory of a device that this library has none of: its producer copies to the host. */
function importFromElsewhere(
  object: NativePythonHandle,
  tensor: TensorFields,
  options: AsArrayOptions,
  via: number
): Imported {
  if (options.copy === false) refuseCopy(tensor.device, undefined);
  // By the methods the host was asked for already.
  const copied = via === TAKE.method ? undefined : importTensor(object, options, TAKE.method);
  if (copied !== undefined) return { ...copied, copied: true };
  throw new BufferError(
    `DLPack tensor on ${formatDlpackDevice(tensor.device)}, and its producer does not copy it to ${formatDlpackDevice(HOST)} (rule 147)`
  );
}

/** The hook through which the protocols report exchanges to a recorder. Without a recorder each call costs one check. */

import { muteInLooks } from '../core/look.ts';
import type { Device } from '../core/device.ts';
import type { Order, OrderOptions, PendingWork } from './order.ts';
import type { CudaArrayInterface } from '../protocols/cai.ts';
import type { DLDevice } from '../protocols/dlpack-device.ts';
import type { DlpackOptions } from '../protocols/dlpack.ts';
import type { NDArray } from '../array/array.ts';
import type { Storage } from '../memory/storage.ts';
import type { Stream } from '../core/stream.ts';
import { ended } from '../base/unwind.ts';

/** `cai`: the CUDA Array Interface. `python`: an array passed to Python, whose libraries choose between the two. */
export type Protocol = 'cai' | 'dlpack' | 'python';

/** The record of one import; either call completes it. */
interface ImportRecord {
  made(array: NDArray): void;
  failed(error: unknown): void;
  /** The object has no tensor. */
  dropped?(): void;
}

/** The steps of one import through the CUDA Array Interface. */
export interface InterfaceImport extends ImportRecord {
  /** The producer's interface was read. */
  described(descriptor: unknown): void;
  /** The order is decided, and immediate waits are submitted. */
  settled(
    work: PendingWork & { readonly version?: number },
    order: Order,
    options: OrderOptions,
    device: Device
  ): void;
}

/** The steps of one import of a tensor. */
export interface TensorImport extends ImportRecord {
  /** `__dlpack_device__` returned a device. */
  located(device: DLDevice): void;
  /** `__dlpack__` is about to be called, for memory of that device and work on that stream. */
  asking(options: DlpackOptions, device: DLDevice, stream: Stream | undefined): void;
  /** The tensor came without a request that names a stream, for example through the exchange table. */
  unasked(): void;
  /** The tensor was taken; `capsule` is the JavaScript object, otherwise null. */
  taken(capsule: object | null, name: string): void;
  /** Native code requested the tensor from a Python producer, through its exchange table or `__dlpack__`, for that stream. */
  handedOver(device: DLDevice, stream: Stream | undefined): void;
  /** The order of a tensor is decided; waits for its producer are submitted here. */
  settled(order: Pick<Order, 'producer' | 'why'> & { readonly stream: Stream | null }): void;
}

export interface ExchangeObserver {
  /** A descriptor of an array is read; undefined if it has none. */
  interfaceRead<Descriptor extends CudaArrayInterface | undefined>(
    array: object,
    storage: Storage,
    make: () => Descriptor
  ): Descriptor;
  /** `producer` is null for a bare descriptor. */
  beginInterfaceImport(producer: object | null): InterfaceImport;
  /** `__dlpack_device__` of an array of this library was called. */
  deviceAsked(array: NDArray, device: DLDevice): void;
  /** A capsule of an array is requested. */
  capsuleAsked<Capsule extends object>(array: NDArray, options: DlpackOptions, make: () => Capsule): Capsule;
  /** A consumer in this library gets a view, without a descriptor or a capsule. */
  lent(protocol: Protocol, array: NDArray, stream: Stream, make: () => NDArray): NDArray;
  /** Null for a bare capsule. */
  beginTensorImport(producer: object | null): TensorImport;
  /** Marks the imports in `work` as coming from Python. */
  fromPython<Result>(work: () => Result): Result;
  /** Python receives an object for the array. */
  toPython(array: NDArray): void;
  /** Marks the exports in `work` as requested by Python, of an array that it holds. */
  askedByPython<Result>(array: NDArray, work: () => Result): Result;
  /** The consumer returned an event, for which `stream` waits. */
  gaveBack(storage: Storage, stream: Stream): void;
}

/** Null while no recorder runs. */
export const exchangeObserver: { current: ExchangeObserver | null } = { current: null };
muteInLooks(exchangeObserver);

/** Runs an import and records its result. */
export function recorded<
  Exchange extends ImportRecord,
  Result extends { readonly array: NDArray } | undefined
>(exchange: Exchange, importNow: (exchange: Exchange) => Result): Result {
  try {
    const imported = importNow(exchange);
    if (imported === undefined) exchange.dropped?.();
    else exchange.made(imported.array);
    return imported;
  } catch (error) {
    exchange.failed(error);
    throw error;
  }
}

/** Runs the import of a tensor, with its record if exchanges are recorded. `producer` returns null for a bare capsule. */
export function importRecorded<Result extends { readonly array: NDArray } | undefined>(
  producer: () => object | null,
  importNow: (exchange: TensorImport | null) => Result
): Result {
  const { current } = exchangeObserver;
  return current === null ? importNow(null) : recorded(current.beginTensorImport(producer()), importNow);
}

/** Runs internal work that uses the code of the two protocols but is not an exchange. */
export function unobserved<Result>(work: () => Result): Result {
  const { current } = exchangeObserver;
  return ended(
    () => (exchangeObserver.current = current),
    () => {
      exchangeObserver.current = null;
      return work();
    }
  );
}

/** The hook through which the protocols report exchanges to a recorder. Without a recorder it costs one check in each place. */

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

/** `cai`: the CUDA Array Interface. `python`: an array that was handed to Python, whose libraries choose between the two. */
export type Protocol = 'cai' | 'dlpack' | 'python';

/** The record of one import, which one of these calls ends. */
interface ImportRecord {
  made(array: NDArray): void;
  failed(error: unknown): void;
  /** The object turned out to have no tensor. */
  dropped?(): void;
}

/** One import by the interface, step by step. */
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

/** One import of a tensor. */
export interface TensorImport extends ImportRecord {
  /** `__dlpack_device__` returned a device. */
  located(device: DLDevice): void;
  /** `__dlpack__` is about to be called, for memory of that device and work on that stream. */
  asking(options: DlpackOptions, device: DLDevice, stream: Stream | undefined): void;
  /** The tensor came through the exchange table, or without a request that names a stream. */
  unasked(): void;
  /** The tensor was taken; `capsule` where it is an object of JavaScript's. */
  taken(capsule: object | null, name: string): void;
  /** Python's producer was asked natively, by its exchange table or by `__dlpack__`, for work on that stream. */
  handedOver(device: DLDevice, stream: Stream | undefined): void;
  /** The order of a tensor whose producer is waited for here. */
  settled(order: Pick<Order, 'producer' | 'why'> & { readonly stream: Stream | null }): void;
}

export interface ExchangeObserver {
  /** A descriptor is made of an array; undefined where the array has none. */
  interfaceRead<Descriptor extends CudaArrayInterface | undefined>(
    array: object,
    storage: Storage,
    make: () => Descriptor
  ): Descriptor;
  /** `producer` is null for a bare descriptor. */
  beginInterfaceImport(producer: object | null): InterfaceImport;
  /** `__dlpack_device__` of an array of this library was called. */
  deviceAsked(array: NDArray, device: DLDevice): void;
  /** A capsule is made of an array. */
  capsuleAsked<Capsule extends object>(array: NDArray, options: DlpackOptions, make: () => Capsule): Capsule;
  /** A consumer in this library gets a view, without a descriptor or a capsule. */
  lent(protocol: Protocol, array: NDArray, stream: Stream, make: () => NDArray): NDArray;
  /** Null for a bare capsule. */
  beginTensorImport(producer: object | null): TensorImport;
  /** What `work` imports comes from Python. */
  fromPython<Result>(work: () => Result): Result;
  /** Python gets an object for the array. */
  toPython(array: NDArray): void;
  /** Python asks for what `work` exports of an array that it was given. */
  askedByPython<Result>(array: NDArray, work: () => Result): Result;
  /** The consumer passed an event, for which `stream` waits. */
  gaveBack(storage: Storage, stream: Stream): void;
}

/** Null while no recorder runs. */
export const exchangeObserver: { current: ExchangeObserver | null } = { current: null };
muteInLooks(exchangeObserver);

/** Runs an import, and records how it ends. */
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

/** Runs the import of a tensor, with its record if exchanges are recorded. `producer` gives null for a bare capsule. */
export function importRecorded<Result extends { readonly array: NDArray } | undefined>(
  producer: () => object | null,
  importNow: (exchange: TensorImport | null) => Result
): Result {
  const { current } = exchangeObserver;
  return current === null ? importNow(null) : recorded(current.beginTensorImport(producer()), importNow);
}

/** Runs what is no exchange of the two protocols, though it goes through their code. */
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

/** What the protocols' code tells, recorded: one object for each time that recording is started. */

import type { NDArray } from '../../array/array.ts';
import type { Protocol } from '../../interchange/observer.ts';
import type { CudaArrayInterface } from '../../protocols/cai.ts';
import type { DLDevice } from '../../protocols/dlpack-device.ts';
import type { DlpackOptions } from '../../protocols/dlpack.ts';
import type { Storage } from '../../memory/storage.ts';
import type { NativeExports, NativeWaits } from '../../native/observation-binding.ts';
import type { Stream } from '../../core/stream.ts';
import { AskedNatively } from './asked.ts';
import { RecordedExports } from './exports.ts';
import { RecordedInterfaceImport } from './interface-import.ts';
import type { ExchangeObserver, InterfaceImport, TensorImport } from '../../interchange/observer.ts';
import { ExchangeRegistry } from './registry.ts';
import { RecordedTensorImport } from './tensor-import.ts';
import { WaitLog } from './waits.ts';

/** The parts of native code that write down what is recorded. */
export interface RecorderSources {
  readonly waits: NativeWaits;
  readonly exports: NativeExports;
}

export class ExchangeRecorder implements ExchangeObserver {
  readonly registry: ExchangeRegistry;
  readonly asked: AskedNatively;
  readonly #exports: RecordedExports;

  constructor({ waits, exports }: RecorderSources, capacity: number, changed: () => void) {
    this.registry = new ExchangeRegistry(new WaitLog(waits), capacity, changed, () => this.asked.read());
    this.asked = new AskedNatively(exports, this.registry, capacity);
    this.#exports = new RecordedExports(this.registry);
  }

  /** What was recorded stays. */
  stop(): void {
    this.asked.stop();
    this.registry.stop();
  }

  interfaceRead<Descriptor extends CudaArrayInterface | undefined>(
    array: object,
    storage: Storage,
    make: () => Descriptor
  ): Descriptor {
    return this.#exports.interfaceRead(array, storage, make);
  }

  beginInterfaceImport(producer: object | null): InterfaceImport {
    return new RecordedInterfaceImport(this.registry, producer);
  }

  deviceAsked(array: NDArray, device: DLDevice): void {
    this.#exports.deviceAsked(array, device);
  }

  capsuleAsked<Capsule extends object>(array: NDArray, options: DlpackOptions, make: () => Capsule): Capsule {
    return this.#exports.capsuleAsked(array, options, make);
  }

  lent(protocol: Protocol, array: NDArray, stream: Stream, make: () => NDArray): NDArray {
    return this.#exports.lent(protocol, array, stream, make);
  }

  beginTensorImport(producer: object | null): TensorImport {
    return new RecordedTensorImport(this.registry, producer);
  }

  fromPython<Result>(work: () => Result): Result {
    const before = this.registry.language;
    this.registry.language = 'python';
    try {
      return work();
    } finally {
      this.registry.language = before;
    }
  }

  toPython(array: NDArray): void {
    this.asked.handsOut(array.storage, this.#exports.toPython(array));
  }

  askedByPython<Result>(array: NDArray, work: () => Result): Result {
    this.registry.answering = this.asked.exchangeOf(array.storage);
    try {
      return this.fromPython(work);
    } finally {
      this.registry.answering = null;
    }
  }

  gaveBack(storage: Storage, stream: Stream): void {
    this.#exports.gaveBack(storage, stream);
  }
}

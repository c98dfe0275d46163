/** Records the protocols' notifications. Each start of a recording creates one recorder. */

import type { NDArray } from '../../array/array.ts';
import type { Stream } from '../../core/stream.ts';
import type {
  ExchangeObserver,
  InterfaceImport,
  Protocol,
  TensorImport
} from '../../interchange/observer.ts';
import type { Storage, Use } from '../../memory/storage.ts';
import type { NativeBinding } from '../../native/binding.ts';
import type { CudaArrayInterface } from '../../protocols/cai.ts';
import { dlpackDevice, isHost, type DLDevice } from '../../protocols/dlpack-device.ts';
import type { DlpackOptions } from '../../protocols/dlpack.ts';
import { askedOptions, askedStream, deviceFact, streamNamed, writtenHandle } from './arguments.ts';
import { AskedNatively } from './asked.ts';
import type { NoWait } from './facts.ts';
import type { RecordedExchange } from './recorded-exchange.ts';
import { RecordedInterfaceImport, RecordedTensorImport } from './recorded-imports.ts';
import { ExchangeRegistry } from './registry.ts';
import { WaitLog } from './waits.ts';

/** A `__dlpack_device__` call, which precedes the request that it belongs to. */
interface DeviceQuestion {
  readonly array: WeakRef<NDArray>;
  readonly device: DLDevice;
  readonly time: number;
}

export class ExchangeRecorder implements ExchangeObserver {
  readonly registry: ExchangeRegistry;
  readonly asked: AskedNatively;
  #question: DeviceQuestion | null = null;

  constructor({ waits, exports }: NativeBinding, capacity: number, changed: () => void) {
    this.registry = new ExchangeRegistry(new WaitLog(waits), capacity, changed, () => this.asked.read());
    this.asked = new AskedNatively(exports, this.registry, capacity);
  }

  stop(): void {
    this.asked.stop();
    this.registry.stop();
  }

  beginInterfaceImport(producer: object | null): InterfaceImport {
    return new RecordedInterfaceImport(this.registry, producer);
  }

  beginTensorImport(producer: object | null): TensorImport {
    return new RecordedTensorImport(this.registry, producer);
  }

  interfaceRead<Descriptor extends CudaArrayInterface | undefined>(
    array: object,
    storage: Storage,
    make: () => Descriptor
  ): Descriptor {
    const { asking } = this.registry;
    const exchange = asking?.origin.protocol === 'cai' ? asking : this.registry.begin('cai');
    if (exchange !== asking) exchange.add({ kind: 'ask-interface' });
    exchange.joins('producer', array);
    exchange.onDevice(storage.device);
    exchange.before(storage);
    const descriptor = this.registry.during(exchange, 'producer', make);
    for (const wait of exchange.takeWaits()) exchange.joined(storage.device, descriptor?.version ?? 3, wait);
    if (descriptor === undefined) {
      const message = 'the array has no __cuda_array_interface__: its dtype has no typestr (rule 44)';
      exchange.add({ kind: 'failed', side: 'producer', message });
      return descriptor;
    }
    const { stream, version, event } = descriptor;
    const named = streamNamed(stream ?? null, storage);
    if (named !== null) exchange.works('producer', named);
    exchange.add({
      kind: 'descriptor',
      version,
      stream: writtenHandle(stream),
      names: named?.toString() ?? (stream === null || stream === undefined ? null : 'a stream'),
      event: event !== undefined
    });
    this.registry.remember(descriptor, exchange);
    this.registry.watch(exchange, storage, 'producer');
    return descriptor;
  }

  deviceAsked(array: NDArray, device: DLDevice): void {
    if (this.registry.asking === null)
      this.#question = { array: new WeakRef(array), device, time: this.registry.log.now() };
  }

  capsuleAsked<Capsule extends object>(array: NDArray, options: DlpackOptions, make: () => Capsule): Capsule {
    const { storage, device } = array;
    const { asking, answering } = this.registry;
    const exchange =
      asking?.origin.protocol === 'dlpack' ? asking : (answering ?? this.registry.begin('dlpack'));
    const [own] = dlpackDevice(storage);
    const [target] = options.dlDevice ?? [own];
    const { written, stream } = askedStream(options.stream, device, isHost(target));
    exchange.joins('producer', array);
    if (exchange !== asking) {
      this.#tellQuestion(exchange, array);
      const names = stream?.toString() ?? (/^0x/.test(written) ? `stream ${written}` : null);
      exchange.add({ kind: 'ask-capsule', stream: written, names, options: askedOptions(options) });
    }
    const latest = exchange.before(storage);
    if (stream !== null) exchange.works('consumer', stream);
    const capsule = this.registry.during(exchange, 'producer', make);
    if (!exchange.ordered(exchange.takeWaits()))
      exchange.add({ kind: 'no-wait', reason: written === '-1' ? 'minus-one' : whyNot(stream, latest) });
    const { version } = capsule as { readonly version?: unknown };
    const name = version === null ? 'dltensor' : 'dltensor_versioned';
    exchange.add({ kind: 'capsule', name, copied: options.copy === true || target !== own });
    this.registry.remember(capsule, exchange);
    this.registry.watch(exchange, storage, 'producer');
    return capsule;
  }

  lent(protocol: Protocol, array: NDArray, stream: Stream, make: () => NDArray): NDArray {
    const exchange = this.registry.begin(protocol);
    exchange.joins('producer', array);
    exchange.add({ kind: 'lend', stream: stream.toString() });
    const latest = exchange.before(array.storage);
    exchange.works('consumer', stream);
    const view = this.registry.during(exchange, 'producer', make);
    if (!exchange.ordered(exchange.takeWaits())) {
      const reason = whyNot(stream, latest);
      // With DLPack the producer ensures the order; with CAI the first use does.
      const deferred = protocol === 'cai' && reason === 'ordered' && latest?.complete === false;
      exchange.add({ kind: 'no-wait', reason: deferred ? 'deferred' : reason });
    }
    exchange.add({ kind: 'view', stream: stream.toString() });
    exchange.joins('consumer', view);
    // On one stream the uses of the two sides cannot be distinguished.
    if (latest?.stream !== stream) this.registry.watch(exchange, array.storage, 'both');
    return view;
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
    const exchange = this.registry.begin('python');
    exchange.joins('producer', array);
    exchange.before(array.storage);
    exchange.add({ kind: 'to-python' });
    this.registry.watch(exchange, array.storage, 'producer');
    this.asked.handsOut(array.storage, exchange);
  }

  askedByPython<Result>(array: NDArray, work: () => Result): Result {
    this.registry.answering = this.asked.exchangeOf(array.storage);
    try {
      return this.fromPython(work);
    } finally {
      this.registry.answering = null;
    }
  }

  /** Records that the consumer returned an event, for which `stream` waits. */
  gaveBack(storage: Storage, stream: Stream): void {
    for (const exchange of this.registry.of(storage)) {
      exchange.works('consumer', stream);
      exchange.add({ kind: 'give-back' });
    }
  }

  #tellQuestion(exchange: RecordedExchange, array: NDArray): void {
    const question = this.#question;
    if (question?.array.deref() !== array) return;
    this.#question = null;
    exchange.add({ kind: 'ask-device' }, question.time);
    exchange.add(deviceFact(question.device), question.time);
  }
}

function whyNot(stream: Stream | null, latest: Use | undefined): NoWait {
  if (latest === undefined) return 'nothing-pending';
  return stream === latest.stream ? 'same-stream' : 'ordered';
}

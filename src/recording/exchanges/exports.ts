/** The producer's half: arrays of this library that are asked for a descriptor or a capsule. */

import type { NDArray } from '../../array/array.ts';
import type { Protocol } from '../../interchange/observer.ts';
import type { NoWait } from './facts.ts';
import type { CudaArrayInterface } from '../../protocols/cai.ts';
import { dlpackDevice, dlpackTypeName, isHost, type DLDevice } from '../../protocols/dlpack-device.ts';
import type { DlpackOptions } from '../../protocols/dlpack.ts';
import type { Storage, Use } from '../../memory/storage.ts';
import type { Device } from '../../core/device.ts';
import { Stream } from '../../core/stream.ts';
import { askedOptions, askedStream, writtenHandle } from './arguments.ts';
import type { RecordedExchange } from './recorded-exchange.ts';
import type { ExchangeRegistry } from './registry.ts';
import type { Wait } from './waits.ts';

/** `__dlpack_device__`, which comes before the question that it belongs to. */
interface DeviceQuestion {
  readonly array: WeakRef<NDArray>;
  readonly device: DLDevice;
  readonly time: number;
}

/** `kDLCUDA` and what stands for it in a call. */
export function deviceFact([type, id]: DLDevice): {
  readonly kind: 'device';
  readonly pair: string;
  readonly name: string;
} {
  return { kind: 'device', pair: `(${type}, ${id})`, name: dlpackTypeName(type) };
}

export class RecordedExports {
  readonly #registry: ExchangeRegistry;
  #question: DeviceQuestion | null = null;

  constructor(registry: ExchangeRegistry) {
    this.#registry = registry;
  }

  interfaceRead<Descriptor extends CudaArrayInterface | undefined>(
    array: object,
    storage: Storage,
    make: () => Descriptor
  ): Descriptor {
    const { asking } = this.#registry;
    const exchange = asking?.origin.protocol === 'cai' ? asking : this.#registry.begin('cai');
    if (exchange !== asking) exchange.add({ kind: 'ask-interface' });
    exchange.joins('producer', array);
    exchange.onDevice(storage.device);
    exchange.before(storage);
    const descriptor = this.#registry.during(exchange, 'producer', make);
    for (const wait of exchange.takeWaits()) join(exchange, storage.device, descriptor?.version ?? 3, wait);
    if (descriptor === undefined) {
      const message = 'the array has no __cuda_array_interface__, for no typestr names its dtype (rule 44)';
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
    this.#registry.remember(descriptor, exchange);
    this.#registry.watch(exchange, storage, 'producer');
    return descriptor;
  }

  deviceAsked(array: NDArray, device: DLDevice): void {
    if (this.#registry.asking === null)
      this.#question = { array: new WeakRef(array), device, time: this.#registry.log.now() };
  }

  capsuleAsked<Capsule extends object>(array: NDArray, options: DlpackOptions, make: () => Capsule): Capsule {
    const { storage, device } = array;
    const { asking, answering } = this.#registry;
    const exchange =
      asking?.origin.protocol === 'dlpack' ? asking : (answering ?? this.#registry.begin('dlpack'));
    const target = options.dlDevice ?? dlpackDevice(storage);
    const { written, stream } = askedStream(options.stream, device, isHost(target[0]));
    exchange.joins('producer', array);
    if (exchange !== asking) {
      this.#tellQuestion(exchange, array);
      const names = stream?.toString() ?? (/^0x/.test(written) ? `stream ${written}` : null);
      exchange.add({ kind: 'ask-capsule', stream: written, names, options: askedOptions(options) });
    }
    const latest = exchange.before(storage);
    if (stream !== null) exchange.works('consumer', stream);
    const capsule = this.#registry.during(exchange, 'producer', make);
    if (!exchange.ordered(exchange.takeWaits()))
      exchange.add({ kind: 'no-wait', reason: written === '-1' ? 'minus-one' : whyNot(stream, latest) });
    const { version } = capsule as { readonly version?: unknown };
    exchange.add({
      kind: 'capsule',
      name: version === null ? 'dltensor' : 'dltensor_versioned',
      copied:
        options.copy === true ||
        (options.dlDevice?.[0] !== undefined && target[0] !== dlpackDevice(storage)[0])
    });
    this.#registry.remember(capsule, exchange);
    this.#registry.watch(exchange, storage, 'producer');
    return capsule;
  }

  lent(protocol: Protocol, array: NDArray, stream: Stream, make: () => NDArray): NDArray {
    const exchange = this.#registry.begin(protocol);
    exchange.joins('producer', array);
    exchange.add({ kind: 'lend', stream: stream.toString() });
    const latest = exchange.before(array.storage);
    exchange.works('consumer', stream);
    const view = this.#registry.during(exchange, 'producer', make);
    if (!exchange.ordered(exchange.takeWaits())) {
      const reason = whyNot(stream, latest);
      // By DLPack the producer has seen to the order; else the first use does.
      const deferred = protocol === 'cai' && reason === 'ordered' && latest?.complete === false;
      exchange.add({ kind: 'no-wait', reason: deferred ? 'deferred' : reason });
    }
    exchange.add({ kind: 'view', stream: stream.toString() });
    exchange.joins('consumer', view);
    // On one stream nobody can tell whose use is whose.
    if (latest?.stream !== stream) this.#registry.watch(exchange, array.storage, 'both');
    return view;
  }

  toPython(array: NDArray): RecordedExchange {
    const exchange = this.#registry.begin('python');
    exchange.joins('producer', array);
    exchange.before(array.storage);
    exchange.add({ kind: 'to-python' });
    this.#registry.watch(exchange, array.storage, 'producer');
    return exchange;
  }

  /** The consumer told of an event, for which `stream` waits. */
  gaveBack(storage: Storage, stream: Stream): void {
    for (const exchange of this.#registry.of(storage)) {
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

/** `otherwise`: why the legacy default stream waits where nothing else asks for it. */
export function join(
  exchange: RecordedExchange,
  device: Device,
  version: number,
  wait: Wait,
  otherwise: 'several' | 'unread' = 'several'
): void {
  const legacy = Stream.legacyDefault(device);
  const perThread = Stream.perThreadDefault(device);
  exchange.works('producer', legacy);
  const why =
    wait.waiter !== legacy.id
      ? 'several'
      : version < 3
        ? 'version'
        : wait.waited === perThread.id
          ? 'per-thread'
          : otherwise;
  const [stream, other] = [exchange.nameOf(wait.waiter), exchange.nameOf(wait.waited)];
  exchange.add({ kind: 'join', stream, other, why }, wait.time);
}

/** The stream object of an exported handle. */
export function streamNamed(handle: bigint | number | null, storage: Storage): Stream | null {
  if (handle === null) return null;
  if (handle === 1) return Stream.legacyDefault(storage.device);
  const known = [storage.soleStream, ...storage.recentUses().map(use => use.stream)];
  return known.find(stream => stream?.handle === handle) ?? null;
}

function whyNot(stream: Stream | null, latest: Use | undefined): NoWait {
  if (latest === undefined) return 'nothing-pending';
  return stream === latest.stream ? 'same-stream' : 'ordered';
}

/** The consumer's half of imports through both protocols. */

import type { NDArray } from '../../array/array.ts';
import type { Device } from '../../core/device.ts';
import type { Stream } from '../../core/stream.ts';
import type { InterfaceImport, Protocol, TensorImport } from '../../interchange/observer.ts';
import type { Order, OrderOptions, PendingWork } from '../../interchange/order.ts';
import { isHost, type DLDevice } from '../../protocols/dlpack-device.ts';
import type { DlpackOptions } from '../../protocols/dlpack.ts';
import { askedOptions, deviceFact, nameOfHandle, writtenHandle } from './arguments.ts';
import type { NoWait } from './facts.ts';
import type { RecordedExchange } from './recorded-exchange.ts';
import type { ExchangeRegistry } from './registry.ts';

/** Answers of this library's arrays during the import belong to it. */
abstract class RecordedImport {
  protected readonly registry: ExchangeRegistry;
  protected exchange: RecordedExchange;
  readonly #before: RecordedExchange | null;

  constructor(registry: ExchangeRegistry, protocol: Protocol) {
    this.registry = registry;
    this.exchange = registry.begin(protocol);
    this.#before = registry.asking;
    registry.asking = this.exchange;
  }

  failed(error: unknown): void {
    this.stopAsking();
    if (!this.exchange.has('failed')) this.exchange.failed('consumer', error);
  }

  /** Handles the producer's descriptor or capsule: the import continues the exchange that made it, if that was recorded. */
  protected answered(token: unknown): void {
    this.registry.asking = this.#before;
    this.exchange = this.registry.goOn(this.exchange, token);
  }

  protected stopAsking(): void {
    if (this.registry.asking === this.exchange) this.registry.asking = this.#before;
  }
}

/** An import through the CUDA Array Interface. */
export class RecordedInterfaceImport extends RecordedImport implements InterfaceImport {
  readonly #bare: boolean;
  #read = 0;

  /** `producer` is null if other code read the descriptor. */
  constructor(registry: ExchangeRegistry, producer: object | null) {
    super(registry, 'cai');
    this.#bare = producer === null;
    // Reads in Python go through native code, just before this.
    if (producer !== null || registry.language === 'python') this.exchange.add({ kind: 'ask-interface' });
    if (producer !== null) this.exchange.joins('producer', producer);
  }

  described(descriptor: unknown): void {
    const own = this.exchange;
    this.answered(descriptor);
    this.#read = this.registry.log.now();
    if (this.#bare && this.exchange === own && typeof descriptor === 'object' && descriptor !== null)
      own.joins('producer', descriptor);
    this.exchange.skipWaits();
  }

  settled(
    work: PendingWork & { readonly version?: number },
    order: Order,
    options: OrderOptions,
    device: Device
  ): void {
    const exchange = this.exchange;
    exchange.onDevice(device);
    if (order.producer !== null) exchange.works('producer', order.producer);
    exchange.works('consumer', order.stream);
    if (!exchange.has('descriptor')) {
      exchange.add(
        {
          kind: 'descriptor',
          version: work.version ?? 3,
          stream: writtenHandle(work.stream),
          names:
            work.stream === null
              ? null
              : (order.producer?.toString() ?? `stream ${writtenHandle(work.stream)}`),
          event: work.event !== null
        },
        this.#read
      );
    }
    if (!exchange.ordered(exchange.takeWaits()))
      exchange.add({ kind: 'no-wait', reason: whyNot(order, options) });
  }

  made(array: NDArray): void {
    this.exchange.add({ kind: 'view', stream: array.stream.toString() });
    this.exchange.joins('consumer', array);
    this.registry.watch(this.exchange, array.storage, 'consumer');
  }
}

/** An import through DLPack. */
export class RecordedTensorImport extends RecordedImport implements TensorImport {
  /** `producer` is null for a bare capsule. */
  constructor(registry: ExchangeRegistry, producer: object | null) {
    super(registry, 'dlpack');
    if (producer !== null) this.exchange.joins('producer', producer);
  }

  located(device: DLDevice): void {
    this.exchange.add({ kind: 'ask-device' });
    this.exchange.add(deviceFact(device));
  }

  asking(options: DlpackOptions, device: DLDevice, stream: Stream | undefined): void {
    const names = stream?.toString() ?? (isHost(device[0]) ? null : nameOfHandle(null));
    const asked = { stream: writtenHandle(stream?.handle), names, options: askedOptions(options) };
    this.exchange.add({ kind: 'ask-capsule', ...asked });
    if (stream !== undefined) this.exchange.works('consumer', stream);
  }

  unasked(): void {
    this.exchange.add({ kind: 'table' });
  }

  taken(capsule: object | null, name: string): void {
    this.answered(capsule);
    if (!this.exchange.has('capsule') && !this.exchange.has('table'))
      this.exchange.add({ kind: 'capsule', name, copied: false });
    if (!this.exchange.has('table')) this.exchange.add({ kind: 'consume', name: `used_${name}` });
    this.exchange.skipWaits();
  }

  handedOver(device: DLDevice, stream: Stream | undefined): void {
    this.answered(null);
    const names = isHost(device[0]) ? null : (stream?.toString() ?? nameOfHandle(null));
    const written = names === null ? 'None' : writtenHandle(stream?.handle ?? 1);
    this.exchange.add({ kind: 'tensor', stream: written, names });
  }

  settled(order: Pick<Order, 'producer' | 'why'> & { readonly stream: Stream | null }): void {
    const exchange = this.exchange;
    if (order.producer !== null) exchange.works('producer', order.producer);
    if (order.stream !== null) exchange.works('consumer', order.stream);
    if (!exchange.ordered(exchange.takeWaits()))
      exchange.add({ kind: 'no-wait', reason: whyNot(order, { sync: true }) });
  }

  made(array: NDArray): void {
    const exchange = this.exchange;
    exchange.works('consumer', array.stream);
    exchange.add({ kind: 'view', stream: array.stream.toString() });
    exchange.joins('consumer', array);
    const shared = this.registry.of(array.storage).includes(exchange);
    if (!shared) this.registry.watch(exchange, array.storage, 'consumer');
  }

  dropped(): void {
    this.stopAsking();
    this.registry.forget(this.exchange);
  }
}

/** Returns the reason why no wait was logged. `waited` without a logged wait: none was needed. */
function whyNot({ why }: Pick<Order, 'why'>, { sync }: OrderOptions): NoWait {
  if (why === 'waited') return 'ordered';
  return why === 'sync-false' && sync === undefined ? 'variable' : why;
}

/** The consumer's half of an import through the CUDA Array Interface. */

import type { NDArray } from '../../array/array.ts';
import type { NoWait } from './facts.ts';
import type { Device } from '../../core/device.ts';
import type { Order, OrderOptions, PendingWork } from '../../interchange/order.ts';
import { writtenHandle } from './arguments.ts';
import type { InterfaceImport } from '../../interchange/observer.ts';
import { RecordedImport } from './recorded-import.ts';
import type { ExchangeRegistry } from './registry.ts';

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

/** Returns the reason why no wait was logged. `waited` without a logged wait: none was needed. */
export function whyNot({ why }: Pick<Order, 'why'>, { sync }: OrderOptions): NoWait {
  if (why === 'waited') return 'ordered';
  return why === 'sync-false' && sync === undefined ? 'variable' : why;
}

/** Common base of imports through both protocols: answers of this library's arrays during the import belong to it. */

import type { Protocol } from '../../interchange/observer.ts';
import type { RecordedExchange } from './recorded-exchange.ts';
import type { ExchangeRegistry } from './registry.ts';

export abstract class RecordedImport {
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

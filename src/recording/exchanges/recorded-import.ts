/** What imports by both protocols have in common: while a producer is asked, what an array of this library answers belongs to the import. */

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

  /** The producer answered with a descriptor or capsule: the import continues the exchange that made it, if that was recorded. */
  protected answered(token: unknown): void {
    this.registry.asking = this.#before;
    this.exchange = this.registry.goOn(this.exchange, token);
  }

  protected stopAsking(): void {
    if (this.registry.asking === this.exchange) this.registry.asking = this.#before;
  }
}

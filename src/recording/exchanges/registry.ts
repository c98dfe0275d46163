/** The recorded exchanges, and the mapping from descriptors, capsules and memory blocks to them. */

import type { Protocol } from '../../interchange/observer.ts';
import type { ExchangeDescription, Side } from './facts.ts';
import type { Storage } from '../../memory/storage.ts';
import { notebookHost } from '../../notebook/host.ts';
import { RecordedExchange, type NameOf } from './recorded-exchange.ts';
import type { WaitLog } from './waits.ts';

export class ExchangeRegistry {
  readonly log: WaitLog;
  /** The import whose producer is being asked: answers of this library's arrays belong to it. */
  asking: RecordedExchange | null = null;
  /** An exchange with Python in which an array of this library is requested again. */
  answering: RecordedExchange | null = null;
  language: 'javascript' | 'python' = 'javascript';
  dropped = 0;
  readonly #capacity: number;
  readonly #changed: () => void;
  readonly #beforeNext: () => void;
  readonly #exchanges: RecordedExchange[] = [];
  /** Keyed by descriptor or capsule. */
  readonly #byToken = new WeakMap<object, RecordedExchange>();
  readonly #byStorage = new WeakMap<Storage, readonly RecordedExchange[]>();
  #last = 0;
  /** Above 0 during an exchange: uses of the memory are then part of it. */
  #busy = 0;

  /** `beforeNext` is called before each exchange, to read earlier native events first. */
  constructor(log: WaitLog, capacity: number, changed: () => void, beforeNext: () => void) {
    this.#beforeNext = beforeNext;
    this.log = log;
    this.#capacity = capacity;
    this.#changed = changed;
  }

  begin(protocol: Protocol, language = this.language): RecordedExchange {
    this.#beforeNext();
    const cell = notebookHost()?.cell?.() ?? null;
    const origin = { number: ++this.#last, protocol, language, cell };
    const exchange = new RecordedExchange(origin, this.log, this.#changed);
    this.#exchanges.push(exchange);
    if (this.#exchanges.length > this.#capacity) {
      this.#exchanges.shift()?.end();
      this.dropped++;
    }
    return exchange;
  }

  /** Removes an exchange that did not take place, or that continues another. */
  forget(exchange: RecordedExchange): void {
    const index = this.#exchanges.indexOf(exchange);
    if (index < 0) return;
    this.#exchanges.splice(index, 1);
    if (exchange.origin.number === this.#last) this.#last--;
    exchange.end();
  }

  /** Returns the exchange that an import continues: the one that made the token, or else `exchange`. */
  goOn(exchange: RecordedExchange, token: unknown): RecordedExchange {
    if (typeof token !== 'object' || token === null) return exchange;
    const known = this.#byToken.get(token);
    if (known === undefined || known === exchange) return exchange;
    this.forget(exchange);
    known.skipWaits();
    return known;
  }

  remember(token: object, exchange: RecordedExchange): void {
    this.#byToken.set(token, exchange);
  }

  /** Runs a part of an exchange; an error ends the exchange. */
  during<Result>(exchange: RecordedExchange, side: Side, work: () => Result): Result {
    exchange.skipWaits();
    this.#busy++;
    try {
      return work();
    } catch (error) {
      exchange.failed(side, error);
      throw error;
    } finally {
      this.#busy--;
    }
  }

  watch(exchange: RecordedExchange, storage: Storage, side: Side | 'both'): void {
    exchange.watch(storage, side, () => this.#busy > 0);
    const known = this.of(storage);
    if (!known.includes(exchange)) this.#byStorage.set(storage, [...known, exchange]);
  }

  /** Returns the exchanges of a memory block without dropped ones: an array may be exported any number of times. */
  of(storage: Storage): readonly RecordedExchange[] {
    return this.#byStorage.get(storage)?.filter(({ ended }) => !ended) ?? [];
  }

  describe(nameOf: NameOf): ExchangeDescription[] {
    return this.#exchanges.map(exchange => exchange.describe(nameOf));
  }

  clear(): void {
    for (const exchange of this.#exchanges.splice(0)) exchange.end();
    this.dropped = 0;
    this.#changed();
  }

  stop(): void {
    this.log.stop();
    for (const exchange of this.#exchanges) exchange.end();
  }
}

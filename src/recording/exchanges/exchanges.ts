/** Exchanges of arrays by the CUDA Array Interface and DLPack, recorded as they really happen. Costs nothing while it is off. */

import type { ExchangeDescription } from './facts.ts';
import { ArgumentError } from '../../base/errors.ts';
import { exchangeObserver } from '../../interchange/observer.ts';
import { ExchangeRecorder } from './recorder.ts';
import type { NameOf } from './recorded-exchange.ts';
import { native } from '../../native/load.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../../notebook/host.ts';
import { textOf } from '../../base/value-text.ts';

export interface ExchangesOptions {
  /** How many exchanges are kept, 256 by default: the oldest go first, and are counted. */
  readonly capacity?: number;
}

const DEFAULT_CAPACITY = 256;
const nameless: NameOf = () => undefined;

/**
 * There is one for the process, `exchanges`. It records who asked whom and with which stream argument, which stream was made to wait for
 * which and why one was not, what the consumer did with the memory first, the way back, and the end. It keeps no memory alive.
 * Rules 66 to 106 and 107 to 190. What Python asks and reads of arrays of ours is answered natively, and read when records are asked for.
 */
export class Exchanges {
  /** What a notebook shows: a sequence chart of each exchange, and a table where there is no extension. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;
  #recorder: ExchangeRecorder | null = null;
  readonly #listeners = new Set<() => void>();

  /** Whether exchanges are recorded now. */
  get enabled(): boolean {
    return this.#recorder !== null && exchangeObserver.current === this.#recorder;
  }

  /** How many older ones had to go. */
  get dropped(): number {
    return this.#recorder?.registry.dropped ?? 0;
  }

  /**
   * Begins to record, after dropping what was recorded. Returns the recording itself, whose disposal stops it.
   * @throws ArgumentError for a capacity that is no whole number above 0
   * @example using recording = exchanges.start();
   */
  start({ capacity = DEFAULT_CAPACITY }: ExchangesOptions = {}): this {
    if (!Number.isSafeInteger(capacity) || capacity < 1)
      throw new ArgumentError(`exchanges.start: capacity ${textOf(capacity)} is no whole number above 0`);
    this.stop();
    this.#recorder = new ExchangeRecorder(native(), capacity, () => this.#tell());
    exchangeObserver.current = this.#recorder;
    this.#tell();
    return this;
  }

  /** Ends recording and keeps what was recorded. */
  stop(): void {
    if (!this.enabled) return;
    exchangeObserver.current = null;
    this.#recorder?.stop();
    this.#tell();
  }

  /** Drops what was recorded, and goes on recording where it is on. */
  clear(): void {
    if (this.enabled) this.#recorder?.asked.read();
    this.#recorder?.registry.clear();
  }

  /** Whether there is more since the last call of `records` that no listener was told of: Python's libraries give no sign. */
  get pending(): boolean {
    return this.enabled && this.#recorder?.asked.pending === true;
  }

  /** What was recorded, oldest first. Times of facts are microseconds since the start. `nameOf` knows names of arrays. */
  records(nameOf: NameOf = nameless): readonly ExchangeDescription[] {
    if (this.enabled) this.#recorder?.asked.read();
    return this.#recorder?.registry.describe(nameOf) ?? [];
  }

  /** Calls `listener` whenever something was recorded, and at the start and the end; returns the call that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The recorder of this process. */
export const exchanges: Exchanges = new Exchanges();

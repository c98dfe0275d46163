/** Exchanges of arrays by the CUDA Array Interface and DLPack, recorded as they really happen. Costs nothing while it is off. */

import { Recording, requireCapacity, type Recorded, type RecordingOptions } from '../../core/recording.ts';
import type { ExchangeDescription } from './facts.ts';
import { exchangeObserver } from '../../interchange/observer.ts';
import { ExchangeRecorder } from './recorder.ts';
import type { NameOf } from './recorded-exchange.ts';
import { native } from '../../native/load.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../../notebook/host.ts';

export interface ExchangesOptions extends RecordingOptions {
  /** How many exchanges are kept, 256 by default: the oldest go first, and are counted. */
  readonly capacity?: number;
}

const DEFAULT_CAPACITY = 256;
const nameless: NameOf = () => undefined;

/**
 * There is one for the process, `exchanges`. It records who asked whom and with which stream argument, which stream was made to wait for
 * which and why one was not, what the consumer did with the memory first, the way back, and the end. It keeps no memory alive.
 * Rules 66 to 106 and 107 to 190. What Python asks and reads of this library's arrays is answered natively, and read when records are requested.
 */
export class Exchanges extends Recording<ExchangesOptions, Recorded<ExchangeDescription>> {
  /** What a notebook shows: a sequence chart of each exchange, and a table where there is no extension. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;
  #recorder: ExchangeRecorder | null = null;

  /** Whether exchanges are recorded now. */
  override get enabled(): boolean {
    return this.#recorder !== null && exchangeObserver.current === this.#recorder;
  }

  /**
   * Begins to record, after dropping what was recorded. Returns the recording itself, whose disposal stops it.
   * @throws ArgumentError for anything but a whole number above 0 as capacity
   * @example using recording = exchanges.start();
   */
  override start({ capacity = DEFAULT_CAPACITY }: ExchangesOptions = {}): this {
    requireCapacity('exchanges.start', capacity);
    this.stop();
    this.#recorder = new ExchangeRecorder(native(), capacity, () => this.changed());
    exchangeObserver.current = this.#recorder;
    this.changed();
    return this;
  }

  /** Ends recording and keeps what was recorded. */
  override stop(): void {
    if (!this.enabled) return;
    exchangeObserver.current = null;
    this.#recorder?.stop();
    this.changed();
  }

  /** Drops what was recorded; recording continues if it is on. */
  override clear(): void {
    if (this.enabled) this.#recorder?.asked.read();
    this.#recorder?.registry.clear();
  }

  /** Whether there is more to read of which no listener was notified: reads of Python's libraries cause no notification. */
  get pending(): boolean {
    return this.enabled && this.#recorder?.asked.pending === true;
  }

  /** What was recorded so far. `nameOf` knows names of arrays. */
  override read(nameOf: NameOf = nameless): Recorded<ExchangeDescription> {
    if (this.enabled) this.#recorder?.asked.read();
    const registry = this.#recorder?.registry;
    return { events: registry?.describe(nameOf) ?? [], dropped: registry?.dropped ?? 0 };
  }
}

/** The recorder of this process. */
export const exchanges: Exchanges = new Exchanges();

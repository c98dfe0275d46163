/** Recorder of array exchanges through the CUDA Array Interface and DLPack. Costs nothing while it is off. */

import { Recording, requireCapacity, type Recorded, type RecordingOptions } from '../../core/recording.ts';
import type { ExchangeDescription } from './facts.ts';
import { exchangeObserver } from '../../interchange/observer.ts';
import { ExchangeRecorder } from './recorder.ts';
import type { NameOf } from './recorded-exchange.ts';
import { native } from '../../native/load.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../../notebook/host.ts';

export interface ExchangesOptions extends RecordingOptions {
  /** Number of exchanges kept, 256 by default; the oldest are dropped and counted. */
  readonly capacity?: number;
}

const DEFAULT_CAPACITY = 256;

/**
 * Records array exchanges; the process has one instance, `exchanges`. It records who requested an array with which stream argument,
 * which stream waits for which and why a wait was omitted, the consumer's first uses, the return, and the release. It keeps no memory
 * alive. Rules 66 to 106 and 107 to 190. Python's requests and reads are answered natively, and added when records are read.
 */
export class Exchanges extends Recording<ExchangesOptions, Recorded<ExchangeDescription>> {
  /** Returns the notebook's display: a sequence chart of each exchange, and a table if the extension is missing. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;
  #recorder: ExchangeRecorder | null = null;

  /** Whether exchanges are being recorded. */
  override get enabled(): boolean {
    return this.#recorder !== null && exchangeObserver.current === this.#recorder;
  }

  /**
   * Starts recording, after dropping earlier records. Returns the recorder; disposing it stops the recording.
   * @throws ArgumentError if `capacity` is not a positive integer
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

  /** Stops recording and keeps the records. */
  override stop(): void {
    if (!this.enabled) return;
    exchangeObserver.current = null;
    this.#recorder?.stop();
    this.changed();
  }

  /** Drops the records; recording continues if it is on. */
  override clear(): void {
    if (this.enabled) this.#recorder?.asked.read();
    this.#recorder?.registry.clear();
  }

  /** Whether `read` would return records that caused no notification, such as reads by Python libraries. */
  get pending(): boolean {
    return this.enabled && this.#recorder?.asked.pending === true;
  }

  /** Returns the exchanges recorded so far. `nameOf` names arrays. */
  override read(nameOf: NameOf = () => undefined): Recorded<ExchangeDescription> {
    if (this.enabled) this.#recorder?.asked.read();
    const registry = this.#recorder?.registry;
    return { events: registry?.describe(nameOf) ?? [], dropped: registry?.dropped ?? 0 };
  }
}

/** The exchange recorder of this process. */
export const exchanges: Exchanges = new Exchanges();

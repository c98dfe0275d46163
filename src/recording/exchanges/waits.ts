/** Waits between streams, read from native code while exchanges are recorded. */

import type { NativeWaits } from '../../native/observation-binding.ts';

/** Numbers per wait, in the order in which native/binding/exchange_log_calls.cc writes them. */
const WAIT_FIELDS = 4;
/** Number of latest waits searched for an exchange; older ones do not belong to it. */
const KEPT = 2048;

export interface Wait {
  readonly number: number;
  /** Microseconds since the recording started. */
  readonly time: number;
  /** Ids of streams; `waiter` 0 is the host, `waited` 0 an event of an unknown stream. */
  readonly waiter: number;
  readonly waited: number;
}

export class WaitLog {
  readonly #native: NativeWaits;
  readonly #origin: number;
  #waits: Wait[] = [];
  #last: number;

  constructor(native: NativeWaits) {
    this.#native = native;
    native.start();
    this.#origin = native.now();
    const before = native.read(0);
    this.#last = before.length === 0 ? 0 : before[before.length - WAIT_FIELDS]!;
  }

  /** Returns the microseconds since the recording started. */
  now(): number {
    return this.#native.now() - this.#origin;
  }

  /** Returns the number of the latest wait. */
  mark(): number {
    this.#read();
    return this.#last;
  }

  /** Returns the waits after that number, oldest first; `lost` if some were already dropped. */
  after(number: number): { readonly waits: readonly Wait[]; readonly lost: boolean } {
    this.#read();
    if (number >= this.#last) return { waits: [], lost: false };
    const waits = this.#waits.filter(wait => wait.number > number);
    return { waits, lost: waits[0]?.number !== number + 1 };
  }

  /** Returns the kept waits after one number, up to another. */
  between(after: number, last: number): readonly Wait[] {
    return this.after(after).waits.filter(wait => wait.number <= last);
  }

  /** Converts a native time to the clock of `now`. */
  sinceStart(time: number): number {
    return time - this.#origin;
  }

  stop(): void {
    this.#native.stop();
  }

  #read(): void {
    const numbers = this.#native.read(this.#last);
    for (let at = 0; at < numbers.length; at += WAIT_FIELDS) {
      const [number, time, waiter, waited] = numbers.subarray(at, at + WAIT_FIELDS) as unknown as [
        number,
        number,
        number,
        number
      ];
      this.#waits.push({ number, time: time - this.#origin, waiter, waited });
      this.#last = number;
    }
    if (this.#waits.length > 2 * KEPT) this.#waits = this.#waits.slice(-KEPT);
  }
}

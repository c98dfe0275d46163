/** One opening of another process's array: what it tells the owner, and what it learns of it. */

import type { Device } from '../core/device.ts';
import { IpcError, PeerLostError, StridelabError } from '../base/errors.ts';
import type { NativeStorage } from '../native/binding.ts';
import { native } from '../native/load.ts';
import { Stream } from '../core/stream.ts';
import type { SharingLink } from './link.ts';
import { makeSharedEvent, type SharedEvent } from './order.ts';

/** Milliseconds that an event is kept for an owner who does not answer. */
const PATIENCE = 10_000;

export class Session {
  readonly #link: SharingLink;
  #reported = false;
  /** Recorded behind our last use, kept until the owner has waited for it. */
  #event: SharedEvent | null = null;
  #waited = false;
  #unmapped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(link: SharingLink) {
    this.#link = link;
    link.onMessage(message => {
      if (message !== null && message.fields['waited'] !== true) return;
      this.#waited = true;
      this.#endIfDone();
    });
  }

  /** Throws once when the owner is gone; the mapping stays, for whoever wants what is left. @throws PeerLostError */
  guard(): void {
    if (this.#reported || this.#link.alive) return;
    this.#reported = true;
    throw new PeerLostError(
      'the process that shared this array has ended: what it had still to write is not there. The memory can be used until the ' +
        'array is disposed, and this is thrown only once'
    );
  }

  /** The last reference goes: tells the owner what to wait for, so that it need not wait for the end of our work on the host. */
  releasing(storage: NativeStorage, device: Device): void {
    this.#reported = true;
    const joined = storage.join(false);
    if (joined === null) return;
    if (device.simulated) setImmediate(() => finishSimulated(device));
    if (!this.#link.alive) return;
    const event = makeSharedEvent(device);
    if (event === null) return;
    try {
      event.recordOn(Stream.of(joined));
      if (this.#link.send({ used: event.handle })) this.#event = event;
      else event[Symbol.dispose]();
    } catch (error) {
      event[Symbol.dispose]();
      // The memory goes all the same, after the work; the owner learns of that by the end of the connection.
      if (!(error instanceof StridelabError) || error instanceof IpcError) return;
      throw error;
    }
  }

  /** Our work is done and the mapping is gone. */
  unmapped(): void {
    this.#unmapped = true;
    this.#timer = setTimeout(() => {
      this.#waited = true;
      this.#endIfDone();
    }, PATIENCE).unref();
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (!this.#unmapped || (this.#event !== null && !this.#waited && this.#link.alive)) return;
    clearTimeout(this.#timer);
    this.#event?.[Symbol.dispose]();
    this.#event = null;
    this.#link.close();
  }
}

/** Its clock stands still while nobody calls it, so that work would never be done. */
function finishSimulated(device: Device): void {
  device.synchronize();
  native().drainReleases();
}

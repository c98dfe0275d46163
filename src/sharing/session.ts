/** One opening of another process's array: the messages to and from the owner. */

import type { Device } from '../core/device.ts';
import { IpcError, PeerLostError, StridelabError } from '../base/errors.ts';
import type { NativeStorage } from '../native/binding.ts';
import { native } from '../native/load.ts';
import { Stream } from '../core/stream.ts';
import type { MessageHandler } from './channel.ts';
import { makeSharedEvent, type SharedEvent } from './order.ts';

/** Milliseconds that an event is kept for an owner that does not answer. */
const PATIENCE = 10_000;

/** The connection between two processes that share an array: a channel, or a part of another connection. */
export interface SharingLink {
  /** False once the other process has exited or released the array. */
  readonly alive: boolean;
  /** Messages are queued until there is a handler. */
  onMessage(handler: MessageHandler): void;
  /** Returns false if the other end is closed. */
  send(fields: Readonly<Record<string, unknown>>): boolean;
  /** A second call does nothing. */
  close(): void;
}

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

  /** Throws once after the owner has exited; the mapping stays, so that the memory can still be read. @throws PeerLostError */
  guard(): void {
    if (this.#reported || this.#link.alive) return;
    this.#reported = true;
    throw new PeerLostError(
      'the process that shared this array has ended: what it had still to write is not there. The memory can be used until the ' +
        'array is disposed, and this is thrown only once'
    );
  }

  /** Sends the owner an event behind our last use, so that its later work waits on the device. */
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
      // The memory is released after the work in any case, and the end of the connection notifies the owner.
      if (!(error instanceof StridelabError) || error instanceof IpcError) return;
      throw error;
    }
  }

  /** Ends the session when the work is done and the memory is unmapped. */
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

/** A simulated device makes progress only when it is called, so that its pending work would never be done. */
function finishSimulated(device: Device): void {
  device.synchronize();
  native().drainReleases();
}

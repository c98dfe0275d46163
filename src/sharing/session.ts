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
  /** Sets a function that orders the owner's later work after all uses so far, for a link that knows when the owner continues. */
  onHandover?(order: () => void): void;
}

export class Session {
  readonly #link: SharingLink;
  #reported = false;
  /** Events that were sent to the owner, oldest first; each is kept until the owner has waited for it. */
  readonly #events: SharedEvent[] = [];
  #unmapped = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(link: SharingLink) {
    this.#link = link;
    link.onMessage(message => {
      if (message === null) this.#forgetEvents();
      else if (message.fields['waited'] === true) this.#events.shift()?.[Symbol.dispose]();
      else return;
      this.#endIfDone();
    });
  }

  /** Throws once after the owner has exited; the mapping stays, so that the memory can still be read. @throws PeerLostError */
  guard(): void {
    if (this.#reported || this.#link.alive) return;
    this.#reported = true;
    throw new PeerLostError(
      'the process that shared this array has exited: writes that it had not finished are missing. The memory can be used until the ' +
        'array is disposed, and this error is thrown only once'
    );
  }

  /** Orders the owner's later work after our last use, on the device. */
  releasing(storage: NativeStorage, device: Device): void {
    this.#reported = true;
    const pending = this.orderOwner(storage, device);
    if (pending && device.simulated) setImmediate(() => finishSimulated(device));
  }

  /** Sends the owner an event behind our uses so far, so that its later work waits on the device. Returns whether any use is pending. */
  orderOwner(storage: NativeStorage, device: Device): boolean {
    const joined = storage.join(false);
    if (joined === null) return false;
    const stream = Stream.of(joined);
    // Captured work has not run.
    if (!this.#link.alive || stream.capturing) return true;
    const event = makeSharedEvent(device);
    if (event === null) return true;
    try {
      event.recordOn(stream);
      if (this.#link.send({ used: event.handle })) this.#events.push(event);
      else event[Symbol.dispose]();
    } catch (error) {
      event[Symbol.dispose]();
      // The memory is released after the work in any case, and the end of the connection notifies the owner.
      if (!(error instanceof StridelabError) || error instanceof IpcError) return true;
      throw error;
    }
    return true;
  }

  /** Ends the session when the work is done and the memory is unmapped. */
  unmapped(): void {
    this.#unmapped = true;
    this.#timer = setTimeout(() => {
      this.#forgetEvents();
      this.#endIfDone();
    }, PATIENCE).unref();
    this.#endIfDone();
  }

  #endIfDone(): void {
    if (!this.#unmapped || (this.#events.length > 0 && this.#link.alive)) return;
    clearTimeout(this.#timer);
    this.#forgetEvents();
    this.#link.close();
  }

  #forgetEvents(): void {
    for (const event of this.#events.splice(0)) event[Symbol.dispose]();
  }
}

/** Finishes pending work, because a simulated device makes progress only when it is called. */
function finishSimulated(device: Device): void {
  device.synchronize();
  native().drainReleases();
}
